one("#planner").classList.add("on");
addEventListener("hashchange", () => plan(state()[1]));
plan(state()[1]);
