// --- the axis of widths on the front ---
const axis = one("form.asked");
const placed = (power) => power !== null && !isNaN(power);
const widths = (query) => {
  if (!axis) return;
  filled(axis, query);
  drawAxis();
};
const drawAxis = () => {
  const sizes = sizesOf(axis);
  if (!sizes) return;
  one(".as-table").href = link("planner", changed(axis));
  const [last, stretch] = drawn.axis;
  for (const lane of all(".lane")) {
    const dots = all(".dots a", lane).map((dot) => ({ dot, power: between(drawn.tables[dot.dataset.id], sizes) }));
    for (const { dot, power } of dots) {
      dot.hidden = !placed(power);
      dot.title = dot.ariaLabel = dot.dataset.label + ": " + readable(power) + dot.title.slice(dot.title.indexOf(";"));
    }
    const shown = dots.filter(({ power }) => placed(power)).sort((a, b) => a.power - b.power);
    let first = -drawn.near, row = 0, rows = 1;
    for (const { dot, power } of shown) {
      const at = (100 * Math.log1p(power / stretch)) / Math.log1p(last / stretch);
      [first, row] = at - first < drawn.near ? [first, row + 1] : [at, 0];
      rows = Math.max(rows, row + 1);
      dot.style.left = at + "%";
      dot.style.setProperty("--row", row);
    }
    lane.style.setProperty("--rows", rows);
    const without = dots.filter(({ power }) => !placed(power)).map(({ dot }) => dot.dataset.label);
    one(".without", lane).textContent = without.length ? "no width known at these sizes: " + without.join(", ") : "";
  }
};
if (axis) {
  axis.addEventListener("input", () => {
    keep(link("front", changed(axis)));
    drawAxis();
  });
  axis.addEventListener("reset", () => {
    keep(link("front", {}));
    setTimeout(() => widths(state()[1]));
  });
  axis.addEventListener("submit", (event) => event.preventDefault());
}
