// --- what a large page keeps compressed ---
const packed = one("#packed");
// Nothing until it is unpacked; a page that is not large has all in its place.
let stored = packed ? null : known;
const unpack = async () => {
  try {
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    stored = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
    rows.forEach((row, number) => (row.dataset.b = stored.bounds[number]));
    texts = null;
    all(".graph-tools select").forEach((select, number) => (select.innerHTML = stored.choices[number]));
  } catch {
    // A browser that cannot unpack shows what there is without a script.
    document.documentElement.classList.add("bare");
  }
};
// Pictures and formulas of what is shown, put in their places.
const fill = (shown) => {
  if (!packed || !stored) return;
  for (const figure of all("figure[data-p]", shown)) {
    figure.insertAdjacentHTML("afterbegin", stored.pictures[figure.dataset.p]);
    figure.removeAttribute("data-p");
    // One that is wider than its place is moved by keys as well.
    figure.tabIndex = 0;
  }
  for (const line of all("[data-f]", shown)) line.outerHTML = stored.formulas[line.dataset.f];
};
