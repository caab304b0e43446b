// --- the address, and what it shows ---
const all = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
const one = (selector, inside = document) => inside.querySelector(selector);
const places = JSON.parse(one("#data").textContent);

// The part of the address after # is a view, the id of a claim or of a statement, and what follows ? its state.
const state = () => {
  const [target, query = ""] = decodeURIComponent(location.hash.slice(1)).split("?");
  return [target || "front", new URLSearchParams(query)];
};
const link = (view, values) => {
  const given = Object.entries(values).filter(([, value]) => value !== "" && value !== false);
  return "#" + view + (given.length ? "?" + new URLSearchParams(given) : "");
};

const show = () => {
  const [target, query] = state();
  let found = document.getElementById(target) || document.getElementById(target + ",s") || one("#front");
  const view = found.closest(".view, .claim") || one("#front");
  all(".on").forEach((element) => element.classList.remove("on"));
  view.classList.add("on");
  const folded = found.closest("details");
  if (folded) folded.open = true;
  document.title = "lemmata: " + (view.id || "ledger");
  if (view.id === "claims") filter(query);
  if (places[view.id]) focus(view, query);
  if (found === view) window.scrollTo(0, 0);
  else found.scrollIntoView();
};
