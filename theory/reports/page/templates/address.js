// --- the view that the address names ---
// What an entry remembers when it is left: how far down one was, and at which link.
history.scrollRestoration = "manual";
const remember = (values) => history.replaceState({ ...history.state, ...values }, "");
let settling = 0;
addEventListener("scroll", () => {
  clearTimeout(settling);
  settling = setTimeout(() => remember({ down: scrollY }), 100);
}, { passive: true });
document.addEventListener("click", (event) => {
  const left = event.target.closest("a[href^='#']");
  if (!left) return;
  clearTimeout(settling);
  remember({ down: scrollY, link: all("a[href]").indexOf(left) });
}, true);

const missing = (target) => {
  const view = one("#missing");
  one("code", view).textContent = target;
  const words = target.toLowerCase().split(/[^a-z0-9.]+/).filter(Boolean);
  const near = rows
    .map((row) => [words.filter((word) => id(row).toLowerCase().includes(word)).length, id(row)])
    .filter(([count]) => count)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 8);
  one("ul", view).replaceChildren(...near.map(([, claim]) => {
    const entry = document.createElement("li"), to = document.createElement("a");
    to.href = "#" + claim;
    to.textContent = claim;
    entry.append(to);
    return entry;
  }));
  return view;
};

let current = null;
const show = () => {
  clearTimeout(settling);
  const [target, query] = state();
  const found = document.getElementById(target) || document.getElementById(target + ",s") || missing(target);
  const view = found.closest(".view, .claim") || one("#front");
  all(".on").forEach((element) => element.classList.remove("on"));
  view.classList.add("on");
  const folded = found.closest("details");
  if (folded) folded.open = true;
  document.title = "lemmata: " + (view === one("#missing") ? "nothing of that name" : view.id || "ledger");
  if (view.id === "claims") filter(query);
  if (view.id === "front") widths(query);
  if (view.id === "planner") plan(query);
  if (view.drawing && stored) focus(view, query);
  fill(view.closest(".forms") || view);
  const back = history.state && history.state.down !== undefined;
  if (back) window.scrollTo(0, history.state.down);
  else if (found === view) window.scrollTo(0, 0);
  else found.scrollIntoView();
  // A reader of the screen, and the next tab, go on in what is shown; the first view is begun at its top anyway.
  if (current && (current !== view || found !== view)) {
    const before = back && all("a[href]")[history.state.link];
    const next = before && before.closest(".on") ? before : found;
    if (next === found) next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }
  current = view;
};
