"use strict";
(() => {
  const all = (selector, inside = document) => Array.from(inside.querySelectorAll(selector));
  const one = (selector, inside = document) => inside.querySelector(selector);
  const places = JSON.parse(one("#data").textContent);
  const BOX = [104, 18];

  // The part of the address after # is a view, the id of a claim or of a statement, and what follows ? its state.
  const state = () => {
    const [target, query = ""] = decodeURIComponent(location.hash.slice(1)).split("?");
    return [target || "front", new URLSearchParams(query)];
  };
  const link = (view, values) => {
    const given = Object.entries(values).filter(([, value]) => value !== "" && value !== false);
    return "#" + view + (given.length ? "?" + new URLSearchParams(given) : "");
  };

  const show = () => {
    const [target, query] = state();
    let found = document.getElementById(target) || document.getElementById(target + ",s") || one("#front");
    const view = found.closest(".view, .claim") || one("#front");
    all(".on").forEach((element) => element.classList.remove("on"));
    view.classList.add("on");
    const folded = found.closest("details");
    if (folded) folded.open = true;
    document.title = "lemmata: " + (view.id || "ledger");
    if (view.id === "claims") filter(query);
    if (places[view.id]) focus(view, query);
    if (found === view) window.scrollTo(0, 0);
    else found.scrollIntoView();
  };

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

  // --- what rests on what ---
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

  // --- copying, light and dark ---
  for (const code of all("code.copy")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "copy";
    code.after(" ", button);
  }
  document.addEventListener("click", async (event) => {
    const code = event.target.previousElementSibling;
    if (event.target.tagName !== "BUTTON" || !code || !code.classList.contains("copy")) return;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    event.target.textContent = "copied";
  });
  one("#theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
    root.classList.remove("dark", "light");
    root.classList.add(dark ? "light" : "dark");
  });
  addEventListener("hashchange", show);
  show();
})();
