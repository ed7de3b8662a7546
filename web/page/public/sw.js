// Caches the page for use without a network. The build replaces the names between @ signs.
const CACHE = `page-${"@VERSION@"}`;
/** The files of the page and their digests. */
const FILES = ["@FILES@"];
/** There is one file at each address, regardless of `Vary` headers and query strings. */
const ANY = { ignoreSearch: true, ignoreVary: true };

/** Returns this version of a file; a recent download of the page is used if it is the same. */
async function get(path, integrity) {
  try {
    const had = await fetch(path, { cache: "force-cache", integrity });
    if (had.ok) return had;
  } catch {
    // Another version, or a host that changes files in transit.
  }
  const fresh = await fetch(path, { cache: "no-cache" });
  if (!fresh.ok) throw new Error(`${path}: ${fresh.status}`);
  return fresh;
}

async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(FILES.map(async ([path, integrity]) => cache.put(path, await get(path, integrity))));
  await self.skipWaiting();
}

async function activate() {
  const isOld = (name) => name.startsWith("page-") && name !== CACHE;
  await Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request, path) {
  // The engine caches its own files (networks, tables) separately; they are found there as well.
  const kept = await caches.match(path === "index.html" ? "./" : request, ANY);
  if (kept) return kept;
  const fetched = await fetch(request);
  // Optional parts of the page are cached on first use.
  if (fetched.ok && path.startsWith("assets/")) await (await caches.open(CACHE)).put(path, fetched.clone());
  return fetched;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
// A click on a notification about a game between people shows the page.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const show = ([page]) => page?.focus() ?? self.clients.openWindow("./#/play/lobby");
  event.waitUntil(self.clients.matchAll({ type: "window" }).then(show));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || !url.href.startsWith(registration.scope)) return;
  const path = url.href.slice(registration.scope.length).split(/[?#]/)[0];
  // A server's answers are never cached, nor are parts of files.
  if (path.startsWith("api/") || request.headers.has("Range")) return;
  event.respondWith(answer(request, path));
});
