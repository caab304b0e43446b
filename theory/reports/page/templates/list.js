// --- the list of claims ---
const form = one(".filter");
const rows = all(".claims tbody tr");
const filter = (query) => {
  for (const name of ["words", "paper", "theme", "verdict"]) form.elements[name].value = query.get(name) || "";
  form.elements.odd.checked = query.has("odd");
  const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const [id, title, said] = all("td", row).map((cell) => cell.textContent);
    const verdict = said.split(" ")[0];
    const text = (id + " " + title + " " + row.dataset.t).toLowerCase();
    const kept =
      words.every((word) => text.includes(word)) &&
      (!query.get("paper") || id.startsWith(query.get("paper") + ":")) &&
      (!query.get("theme") || row.dataset.t === query.get("theme")) &&
      (!query.get("verdict") || verdict.startsWith(query.get("verdict"))) &&
      (!query.has("odd") || row.classList.contains("odd"));
    row.hidden = !kept;
    count += kept;
  }
  one("output", form).textContent = count + " of " + rows.length;
};
const asked = () => {
  const values = Object.fromEntries(["words", "paper", "theme", "verdict"].map((name) => [name, form.elements[name].value]));
  history.replaceState(null, "", link("claims", { ...values, odd: form.elements.odd.checked && "yes" }));
  filter(state()[1]);
};
form.addEventListener("input", asked);
form.addEventListener("submit", (event) => event.preventDefault());
