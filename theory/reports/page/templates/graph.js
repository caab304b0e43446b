// --- what rests on what ---
// As deep as any paper, and so many forms of a statement as fit beside the drawing.
const ALL = 30, FORMS = 6;
for (const tools of all(".graph-tools")) {
  const view = document.getElementById(tools.dataset.paper);
  view.drawing = one(".graph svg", view);
  view.boxes = all("a", view.drawing);
  view.arrows = all(".e path", view.drawing);
  view.home = view.boxes.map((box) => box.getAttribute("transform").match(/-?\d+/g).map(Number));
  // Shown beside the drawing at once; the browser's own would come a second later, over what is asked about.
  for (const box of view.boxes) {
    const title = one("title", box), [, , itself, rests] = document.getElementById(box.dataset.s + ",s").cells;
    box.said = `${title.textContent}. Itself ${itself.textContent}; ${rests.textContent}`;
    // Its name has what stands in it, also where that is cut off.
    const drawn = one("text", box).textContent;
    box.setAttribute("aria-label", box.said.includes(drawn) ? box.said : `${drawn}: ${box.said}`);
    title.remove();
  }
  const moved = () => {
    const depth = one("input", tools).value;
    location.hash = link(view.id, { focus: one("select", tools).value, depth: Number(depth) >= ALL ? "" : depth });
  };
  one("select", tools).addEventListener("change", moved);
  one("input", tools).addEventListener("change", moved);
  for (const type of ["mouseover", "focusin"]) view.drawing.addEventListener(type, (event) => peek(view, event.target.closest("a")));
  for (const type of ["mouseleave", "focusout"]) view.drawing.addEventListener(type, () => peek(view, null));
}
addEventListener("keydown", (event) => {
  if (event.key === "Escape") all(".peek").forEach((panel) => (panel.hidden = true));
});

// The arrows of a box, and what there is to say of it.
const peek = (view, box) => {
  const number = view.boxes.indexOf(box);
  view.drawing.classList.toggle("asked", Boolean(box));
  const near = new Set([number]);
  for (const arrow of view.arrows) {
    const ends = arrow.dataset.e.split(" ").map(Number);
    const lit = ends.includes(number);
    arrow.classList.toggle("lit", lit);
    if (lit) ends.forEach((end) => near.add(end));
  }
  view.boxes.forEach((other, k) => other.classList.toggle("near", near.has(k)));
  const panel = one(".peek", view);
  panel.hidden = !box;
  if (!box) return;
  const said = document.createElement("p");
  said.textContent = box.said;
  panel.replaceChildren(said);
  const forms = all("td:last-child a", document.getElementById(box.dataset.s + ",s"));
  for (const form of forms.slice(0, FORMS)) {
    const line = document.createElement("p"), name = document.createElement("strong");
    name.textContent = form.textContent;
    line.append(name, " ", form.nextElementSibling.cloneNode(true), " ");
    const formula = one(".f", document.getElementById(form.getAttribute("href").slice(1)) || panel);
    if (formula) line.append(...formula.cloneNode(true).childNodes);
    panel.append(line);
  }
  fill(panel);
  if (forms.length > FORMS) panel.append(`and ${forms.length - FORMS} more`);
};

// Places in columns without empty ones, where a depth leaves some of a drawing out.
const dense = (kept) => {
  const columns = new Map();
  for (const [number, , x, y] of kept) columns.set(x, [...(columns.get(x) || []), [y, number]]);
  const tallest = Math.max(...[...columns.values()].map((column) => column.length));
  const found = new Map();
  [...columns.keys()].sort((a, b) => a - b).forEach((x, column) => {
    const members = columns.get(x).sort((a, b) => a[0] - b[0]);
    members.forEach(([, number], row) => found.set(number, [column, row + (tallest - members.length) / 2]));
  });
  return found;
};

const focus = (view, query) => {
  const tools = one(".graph-tools", view), drawing = view.drawing;
  const select = one("select", tools);
  const name = query.get("focus") || "";
  const option = all("option[data-n]", select).find((entry) => entry.value === name || entry.text.split(":")[0] === name);
  const depth = Number(query.get("depth")) || ALL;
  select.value = option ? option.value : "";
  one("input", tools).value = depth;
  const [half, wide] = drawing.dataset.half.split(" ").map(Number);
  const step = drawing.dataset.step.split(" ").map(Number);
  const centre = option ? Number(option.dataset.n) : -1;
  let where = new Map(view.home.entries());
  if (option) {
    const asked = stored.papers[view.id][centre], kept = asked.filter(([, steps]) => steps <= depth);
    where = kept.length < asked.length ? dense(kept) : new Map(asked.map(([number, , column, row]) => [number, [column, row]]));
    for (const [number, place] of where) where.set(number, place.map((value, axis) => Math.round(value * step[axis])));
  }
  const side = (number) => (view.boxes[number].classList.contains("main") ? wide : half);
  view.boxes.forEach((box, number) => {
    const place = where.get(number);
    box.classList.toggle("off", !place);
    box.classList.toggle("here", number === centre);
    if (place) box.setAttribute("transform", `translate(${place.join(" ")})`);
  });
  let arrows = 0;
  for (const arrow of view.arrows) {
    const [used, user] = arrow.dataset.e.split(" ").map(Number);
    const from = where.get(used), to = where.get(user);
    arrow.classList.toggle("off", !from || !to);
    if (!from || !to) continue;
    const start = from[0] + side(used), end = to[0] - side(user), middle = Math.round((start + end) / 2);
    arrow.setAttribute("d", `M${start} ${from[1]}C${middle} ${from[1]} ${middle} ${to[1]} ${end} ${to[1]}l-6-3m6 3l-6 3`);
    arrows += 1;
  }
  const margin = drawing.dataset.margin.split(" ").map(Number);
  const ends = [0, 1].map((axis) => {
    const along = [...where.values()].map((place) => place[axis]);
    return [Math.min(...along) - margin[axis], Math.max(...along) + margin[axis]];
  });
  drawing.setAttribute("viewBox", `${ends[0][0]} ${ends[1][0]} ${ends[0][1] - ends[0][0]} ${ends[1][1] - ends[1][0]}`);
  drawing.style.width = ends[0][1] - ends[0][0] + "px";
  const frame = drawing.parentElement, [x, y] = where.get(centre) || [ends[0][0], ends[1][0]];
  frame.scrollTo(x - ends[0][0] - frame.clientWidth / 2, y - ends[1][0] - frame.clientHeight / 2);
  one("output", tools).textContent = `${where.size} of ${view.boxes.length} statements, ${arrows} arrows`;
  const shown = view.boxes.filter((box) => !box.classList.contains("off"));
  for (const cell of all("[data-count]", view))
    cell.textContent = shown.filter((box) => box.classList.contains(cell.dataset.count)).length;
  one("a.here", tools).href = location.hash || link(view.id, {});
};
