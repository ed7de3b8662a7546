// The colours that the user has chosen, before the first paint.
try {
  const { theme } = JSON.parse(localStorage.getItem("millbrain.settings") ?? "{}");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage there is no choice.
}

// The rules are what the board waits for: on a first visit they are asked for beside the script. Later they are here.
if (!navigator.serviceWorker?.controller) {
  const rules = { rel: "preload", href: "engine/rules.wasm", as: "fetch", crossOrigin: "anonymous" };
  document.head.append(Object.assign(document.createElement("link"), rules));
}
