// --- the axis of widths on the front ---
const axis = one("form.asked");
const drawn = known.widths;
// As `theory.reports.page.widths.between`: linear in the depth and in the logarithms of the other sizes.
const shares = (name, value) => {
  const scale = drawn.grid[name].map((point) => (name === "L" ? point : Math.log(point)));
  const here = name === "L" ? value : Math.log(value);
  let place = scale.findIndex((point, k) => k > 0 && (here - point) * (scale[k] - scale[0]) <= 0);
  if (place < 0) place = scale.length - 1;
  const share = (here - scale[place - 1]) / (scale[place] - scale[place - 1]);
  return [[place - 1, 1 - share], [place, share]];
};
const between = (powers, sizes) => {
  let corners = [[0, 1]];
  for (const [name, points] of Object.entries(drawn.grid))
    corners = corners.flatMap(([place, weight]) =>
      shares(name, sizes[name]).map(([index, share]) => [place * points.length + index, weight * share]));
  const used = corners.filter(([, weight]) => weight !== 0);
  if (used.some(([place]) => powers[place] === null)) return null;
  return used.reduce((total, [place, weight]) => total + weight * powers[place], 0);
};
const readable = (power) =>
  power === null ? "no width at these sizes"
    : power <= 0 ? "any width"
      : "m ≥ " + (power < 6 ? Math.round(10 ** power).toLocaleString("en") : "10^" + Math.round(power));
const widths = (query) => {
  if (!axis) return;
  for (const input of all("input", axis)) input.value = query.get(input.name) || input.defaultValue;
  const sizes = Object.fromEntries(all("input", axis).map((input) => [input.name, Number(input.value)]));
  if (!Object.values(sizes).every((size) => size > 0)) return;
  const [last, stretch] = drawn.axis;
  for (const lane of all(".lane")) {
    const dots = all(".dots a", lane).map((dot) => ({ dot, power: between(drawn.powers[dot.dataset.id], sizes) }));
    for (const { dot, power } of dots) {
      dot.hidden = power === null;
      dot.title = dot.ariaLabel = dot.dataset.label + ": " + readable(power) + dot.title.slice(dot.title.indexOf(";"));
    }
    const placed = dots.filter(({ power }) => power !== null).sort((a, b) => a.power - b.power);
    let first = -drawn.near, row = 0, rows = 1;
    for (const { dot, power } of placed) {
      const at = (100 * Math.log1p(power / stretch)) / Math.log1p(last / stretch);
      [first, row] = at - first < drawn.near ? [first, row + 1] : [at, 0];
      rows = Math.max(rows, row + 1);
      dot.style.left = at + "%";
      dot.style.setProperty("--row", row);
    }
    lane.style.setProperty("--rows", rows);
    const without = dots.filter(({ power }) => power === null).map(({ dot }) => dot.dataset.label);
    one(".without", lane).textContent = without.length ? "no width at these sizes: " + without.join(", ") : "";
  }
};
if (axis) {
  axis.addEventListener("input", () => {
    const given = all("input", axis).filter((input) => input.value !== input.defaultValue);
    keep(link("front", Object.fromEntries(given.map((input) => [input.name, input.value]))));
    widths(state()[1]);
  });
  axis.addEventListener("reset", () => {
    keep(link("front", {}));
    setTimeout(() => widths(state()[1]));
  });
  axis.addEventListener("submit", (event) => event.preventDefault());
}
