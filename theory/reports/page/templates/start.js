// --- light and dark, and the first view ---
one("#theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.remove("dark", "light");
  root.classList.add(dark ? "light" : "dark");
  try {
    localStorage.setItem("lemmata-theme", dark ? "light" : "dark");
  } catch {
    // A browser that keeps nothing for files asks again on the next page.
  }
});
addEventListener("hashchange", show);
show();
if (packed) unpack().then(show);
