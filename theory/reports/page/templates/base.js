// --- what stands in the address after # ---
const all = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
const one = (selector, inside = document) => inside.querySelector(selector);
const known = JSON.parse(one("#data").textContent);

// The part of the address after # is a view, the id of a claim or of a statement, and what follows ? its state.
// A % that begins no letter stands for itself.
const decoded = (text) =>
  text.replace(/(%[0-9a-f]{2})+/gi, (letters) => {
    try {
      return decodeURIComponent(letters);
    } catch {
      return letters;
    }
  });
const state = () => {
  const [target, ...query] = location.hash.slice(1).split(/\?|%3f/i);
  return [decoded(target) || "front", new URLSearchParams(query.join("?"))];
};
const link = (view, values) => {
  const given = Object.entries(values).filter(([, value]) => value !== "" && value !== false);
  return "#" + view + (given.length ? "?" + new URLSearchParams(given) : "");
};

// The same entry of the history under another address.
const keep = (address) => history.replaceState(history.state, "", address);
