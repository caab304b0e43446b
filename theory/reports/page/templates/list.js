// --- the list of claims ---
const form = one(".filter");
const list = one(".claims tbody");
const rows = all("tr", list);
const FIELDS = ["words", "paper", "theme", "kind", "verdict", "sort"];
const heads = all(".claims thead th");
const COLUMNS = heads.map((head) => head.textContent);
const cell = (row, column) => row.cells[COLUMNS.indexOf(column)];
const id = (row) => cell(row, "claim").textContent;
// Of 3/3+5 the 3 and the 5.
const caught = (text) => (text.match(/\d+/g) || []).map(Number).reduce((sum, number, k) => sum + (k === 1 ? 0 : number), 0);
// Numbers are sorted as such; what is no number stands last either way.
const NUMBERS = {
  // Near 1 a ratio is written as 1 + 2.1e-6.
  ratio: (found) => found.textContent.replace("inf", "Infinity").replace(/ ([+-]) /, " $1").split(" ").reduce((sum, part) => sum + Number(part), 0),
  power: (found) => Number(found.dataset.n),
  variants: (found) => caught(found.textContent),
};
const plain = (text) => text.toLowerCase().replace(/[_-]+/g, " ");
// What the symbols of a card stand for is said once for all forms of its statement.
const meanings = (card) => all(".about .symbols", card.closest(".forms")).map((list) => list.textContent).join(" ");
// Read once, when words are first asked for: what a row says itself, and all of its card and its erratum.
let texts = null;
const read = () => {
  const told = new Map();
  for (const entry of all(".errata dt")) {
    const claim = one("a", entry).getAttribute("href").slice(1), said = entry.nextElementSibling.textContent;
    told.set(claim, (told.get(claim) || "") + " " + said);
  }
  return new Map(rows.map((row) => {
    const bound = row.dataset.b || "";
    const card = document.getElementById(id(row));
    const field = (known.words[row.dataset.t] || "") + " " + (known.words[cell(row, "kind").textContent] || "");
    const name = ["claim", "label", "statement"].map((column) => cell(row, column).textContent);
    const rest = [row.textContent, bound, field, card ? card.textContent + meanings(card) : "", told.get(id(row)) || ""];
    const label = plain(name[1]), tail = plain(name[0].split(":")[1]);
    return [row, { label, tail, name: plain(name.join(" ")), field: plain(row.dataset.t + " " + field), rest: plain(rest.join(" ")), bound: bound.toLowerCase() }];
  }));
};
const order = new Map(rows.map((row, number) => [row, number]));
// Where a row says the words: as its label, in its name, in its theme, elsewhere, or not at all.
const rank = (row, words) => {
  const { label, tail, name, field, rest, bound } = texts.get(row);
  const asked = words.map(plain), whole = asked.join(" ");
  const named = asked.every((word) => name.includes(word));
  const own = asked.filter((word) => !id(row).split(":")[0].includes(word)).join(" ");
  if (named && [label, tail, tail.slice(tail.indexOf(" ") + 1)].includes(own)) return 5;
  if (named) return label.includes(whole) ? 4 : 3;
  if (asked.every((word) => (name + " " + field).includes(word))) return 2;
  return words.every((word, k) => (name + " " + rest).includes(asked[k]) || bound.includes(word)) ? 1 : 0;
};
const value = (row, column) => {
  const found = cell(row, column);
  return NUMBERS[column] ? NUMBERS[column](found) : found.textContent;
};
const compare = (a, b) => {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  return isNaN(a) || isNaN(b) ? isNaN(a) - isNaN(b) : a === b ? 0 : a - b;
};
const filter = (query) => {
  for (const name of FIELDS) form.elements[name].value = query.get(name) || "";
  form.elements.odd.checked = query.has("odd");
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length) texts = texts || read();
  const ranks = new Map();
  for (const row of rows) {
    const verdict = cell(row, "verdict").textContent.split(" ")[0];
    const kept =
      (!query.get("paper") || id(row).startsWith(query.get("paper") + ":")) &&
      (!query.get("theme") || row.dataset.t === query.get("theme")) &&
      (!query.get("kind") || cell(row, "kind").textContent === query.get("kind")) &&
      (!query.get("verdict") || verdict.startsWith(query.get("verdict"))) &&
      (!query.has("odd") || row.classList.contains("odd"));
    ranks.set(row, kept ? (words.length ? rank(row, words) : 1) : 0);
    row.hidden = !ranks.get(row);
  }
  const column = form.elements.sort.value, down = query.has("down");
  for (const head of heads) {
    if (head.textContent === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  const keys = column && new Map(rows.map((row) => [row, value(row, column)]));
  const last = (key) => typeof key === "number" && isNaN(key);
  const turned = (a, b) => {
    if (!column) return ranks.get(b) - ranks.get(a);
    const found = compare(keys.get(a), keys.get(b));
    return down && !last(keys.get(a)) && !last(keys.get(b)) ? -found : found;
  };
  const sorted = [...rows].sort((a, b) => turned(a, b) || order.get(a) - order.get(b));
  if (sorted.some((row, place) => row !== list.rows[place])) list.append(...sorted);
  const shown = rows.filter((row) => !row.hidden);
  const named = new Set(shown.filter((row) => ranks.get(row) > 2).map(id));
  let beside = 0;
  for (const group of all(".beside a")) {
    const said = plain([group.textContent, group.dataset.words, known.words[group.dataset.words]].join(" "));
    const told = words.length && (words.every((word) => said.includes(plain(word))) ||
      group.dataset.claims.trim().split(" ").filter((claim) => named.has(claim)).length > 1);
    group.hidden = !told;
    beside += Boolean(told);
  }
  one(".beside").hidden = !beside;
  one("output", form).textContent = shown.length + " of " + rows.length;
};
const asked = (given = {}) => {
  const values = Object.fromEntries(FIELDS.map((name) => [name, form.elements[name].value]));
  const down = state()[1].has("down") && "yes";
  keep(link("claims", { ...values, odd: form.elements.odd.checked && "yes", down, ...given }));
  filter(state()[1]);
};
for (const head of heads) {
  const button = document.createElement("button"), column = head.textContent;
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const now = head.getAttribute("aria-sort");
    asked(now === "ascending" ? { sort: column, down: "yes" } : now ? { sort: "", down: false } : { sort: column, down: false });
  });
}
// A thousand rows are laid out anew in a tenth of a second: not for every letter of a word.
let typing = 0;
form.addEventListener("input", (event) => {
  clearTimeout(typing);
  typing = setTimeout(() => form.closest(".on") && asked(), event.target.name === "words" ? 150 : 0);
});
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  if (state()[0] !== "claims") location.hash = "#claims";
  setTimeout(() => form.elements.words.focus());
});
