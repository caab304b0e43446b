// --- the planner: a table of least widths ---
const sizing = one("form.sizing");
const plan = (query) => {
  if (!sizing) return;
  filled(sizing, query);
  ranked();
};
// Which premises fail, and where they would hold.
const failing = (fails) => {
  const said = document.createElement("small");
  said.textContent = fails.join("; ");
  return said;
};
const ranked = () => {
  const sizes = sizesOf(sizing), trained = Number(sizing.elements.m.value);
  if (!sizes) return;
  const body = one(".planned tbody");
  const found = all("tr", body).map((row) => [row, between(drawn.tables[row.dataset.id], sizes)]);
  let reached = 0;
  for (const [row, power] of found) {
    const [width, how, within] = all("td", row), table = drawn.tables[row.dataset.id];
    width.textContent = readable(power);
    if (power === null || isNaN(power)) width.append(failing(table.fails));
    how.textContent = standing(table, sizes);
    const enough = power !== null && trained > 0 && power <= Math.log10(trained);
    within.textContent = !(trained > 0) ? "" : enough ? "within reach" : isNaN(power) ? "not known" : "out of reach";
    within.className = enough ? "v-holds" : isNaN(power) ? "" : "v-refuted";
    reached += enough;
  }
  const last = (power) => (power === null || isNaN(power) ? Number.MAX_VALUE : power);
  body.append(...found.sort((a, b) => last(a[1]) - last(b[1])).map(([row]) => row));
  one("output", sizing).textContent = trained > 0 ? reached + " of " + found.length + " within reach of m = " + trained.toLocaleString("en") : "";
};
if (sizing) {
  sizing.addEventListener("input", () => {
    keep(link("planner", changed(sizing)));
    ranked();
  });
  sizing.addEventListener("reset", () => {
    keep(link("planner", {}));
    setTimeout(() => plan(state()[1]));
  });
  sizing.addEventListener("submit", (event) => event.preventDefault());
}
