// --- widths from the table of theorems ---
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
const between = (table, sizes) => {
  let corners = [[0, 1]];
  for (const name of table.sizes)
    corners = corners.flatMap(([place, weight]) =>
      shares(name, sizes[name]).map(([index, share]) => [place * drawn.grid[name].length + index, weight * share]));
  const used = corners.filter(([, weight]) => weight !== 0);
  const lacking = used.filter(([place]) => table.powers[place] === null).length;
  if (lacking) return lacking === used.length ? null : NaN;
  return used.reduce((total, [place, weight]) => total + weight * table.powers[place], 0);
};
// As `theory.reports.page.widths.standing`.
const standing = (table, sizes) => {
  const outside = ([name, points]) => sizes[name] < Math.min(...points) || sizes[name] > Math.max(...points);
  const between = table.sizes.some((name) => !drawn.grid[name].includes(sizes[name]));
  return drawn.found[Object.entries(drawn.grid).some(outside) ? 2 : between ? 1 : 0];
};
const readable = (power) =>
  power === null ? "no width at these sizes"
    : isNaN(power) ? "not known here"
    : power <= 0 ? "any width"
      : "m ≥ " + (power < 6 ? Math.round(10 ** power).toLocaleString("en") : "10^" + Math.round(power));
// The sizes of a form, with those that it does not ask for as at first; nothing where one of them is none.
const sizesOf = (form) => {
  const given = all("input[name]:not([name=m])", form).map((input) => [input.name, Number(input.value)]);
  return given.every(([, size]) => size > 0) ? { ...drawn.sizes, ...Object.fromEntries(given) } : null;
};
const changed = (form) =>
  Object.fromEntries(all("input", form).filter((input) => input.value !== input.defaultValue).map((input) => [input.name, input.value]));
// Not while one types: a field that is empty for a moment would be filled again.
const filled = (form, query) => {
  for (const input of all("input", form)) input.value = query.get(input.name) || input.defaultValue;
};
