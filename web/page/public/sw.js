// Keeps the page for the time without a network. What is between @ signs is filled in by the build.
const CACHE = `page-${"@VERSION@"}`;
const FILES = ["@FILES@"];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith("page-") && name !== CACHE;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || !url.href.startsWith(registration.scope)) return;
  const path = url.href.slice(registration.scope.length).split(/[?#]/)[0];
  // A server's answers are never old ones.
  if (path.startsWith("api/")) return;
  event.respondWith(
    // The engine keeps its own files (networks, tables) in a cache of its own; they are found there as well.
    caches.match(request, { ignoreSearch: true }).then((kept) => kept ?? fetch(request)),
  );
});
