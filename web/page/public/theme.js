// The colours that the user has chosen, before the first paint.
try {
  const { theme } = JSON.parse(localStorage.getItem("millbrain.settings") ?? "{}");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage there is no choice.
}
