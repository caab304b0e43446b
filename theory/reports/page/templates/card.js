// --- the card of a claim: its tab, copying ---
const markTab = () => {
  for (const tab of all(".tabs a")) {
    if (tab.getAttribute("href") === "#" + state()[0]) {
      tab.setAttribute("aria-current", "page");
      tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - 40;
    } else tab.removeAttribute("aria-current");
  }
};
addEventListener("hashchange", markTab);
markTab();
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
