// Applies the user's theme before the first paint.
try {
  const { theme } = JSON.parse(localStorage.getItem("millbrain.settings") ?? "{}");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the default theme applies.
}

// The board waits for the rules: if they are not cached, they are requested in parallel with the script.
(async () => {
  const href = "engine/rules.wasm";
  // Pages that are not secure have no cache, and some may not access it.
  const kept = await globalThis.caches?.match(href, { ignoreVary: true }).catch(() => undefined);
  if (kept) return;
  const preload = { rel: "preload", href, as: "fetch", crossOrigin: "anonymous" };
  document.head.append(Object.assign(document.createElement("link"), preload));
})();
