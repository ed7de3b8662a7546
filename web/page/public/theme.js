// The colours that the user has chosen, before the first paint.
try {
  const { theme } = JSON.parse(localStorage.getItem("millbrain.settings") ?? "{}");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage there is no choice.
}

// The rules are what the board waits for: where they are not kept yet they are asked for beside the script.
(async () => {
  const href = "engine/rules.wasm";
  // Pages that are not secure keep nothing, and some may not look.
  const kept = await globalThis.caches?.match(href, { ignoreVary: true }).catch(() => undefined);
  if (kept) return;
  const preload = { rel: "preload", href, as: "fetch", crossOrigin: "anonymous" };
  document.head.append(Object.assign(document.createElement("link"), preload));
})();
