// --- what rests on what ---
const BOX = [104, 18];
for (const tools of all(".graph-tools")) {
  const paper = tools.dataset.paper;
  const view = document.getElementById(paper);
  const boxes = all(".graph a", view);
  const select = one("select", tools);
  for (const number of Object.keys(places[paper])) {
    const option = document.createElement("option");
    option.value = option.textContent = one("title", boxes[number]).textContent.split(":")[0];
    option.dataset.number = number;
    select.append(option);
  }
  view.boxes = boxes;
  view.paths = all(".graph path", view);
  view.home = boxes.map((box) => box.getAttribute("transform"));
  const moved = () => {
    const depth = one("input", tools).value;
    location.hash = link(paper, { focus: select.value, depth: depth === "30" ? "" : depth });
  };
  select.addEventListener("change", moved);
  one("input", tools).addEventListener("change", moved);
}
const at = (transform) => transform.match(/-?[\d.]+/g).map(Number);
const focus = (view, query) => {
  const tools = one(".graph-tools", view);
  const select = one("select", tools);
  const name = query.get("focus") || "";
  const option = all("option", select).find((entry) => entry.value === name && entry.dataset.number);
  const depth = Number(query.get("depth") || 30);
  select.value = option ? name : "";
  one("input", tools).value = depth;
  const where = new Map();
  if (option) {
    for (const [number, steps, x, y] of places[view.id][option.dataset.number]) if (steps <= depth) where.set(number, [x, y]);
  } else view.home.forEach((transform, number) => where.set(number, at(transform)));
  view.boxes.forEach((box, number) => {
    const place = where.get(number);
    box.classList.toggle("off", !place);
    if (place) box.setAttribute("transform", "translate(" + place.join(" ") + ")");
  });
  view.paths.forEach((path) => {
    const [from, to] = path.dataset.e.split(" ").map((number) => where.get(Number(number)));
    path.classList.toggle("off", !from || !to);
    if (from && to)
      path.setAttribute("d", `M${from[0] + BOX[0]} ${from[1] + BOX[1] / 2}L${to[0]} ${to[1] + BOX[1] / 2}`);
  });
  const drawing = one(".graph svg", view);
  const xs = [...where.values()].map((place) => place[0]), ys = [...where.values()].map((place) => place[1]);
  const width = Math.max(...xs) + BOX[0] + 8, height = Math.max(...ys) + BOX[1] + 8;
  drawing.setAttribute("viewBox", `-4 -4 ${width} ${height}`);
  drawing.style.width = width + "px";
  one(".here", tools).href = location.hash || link(view.id, {});
};
