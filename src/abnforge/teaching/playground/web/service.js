// The service worker: keeps the files of this build, so that the page opens without network.
// The build writes the constants BUILD and FILES above.
const CACHE = `abnforge-${BUILD}`;
const PATIENCE = 2000; // ms until the stored page is used instead of a slow network

async function store() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
  await self.skipWaiting();
}

async function discardOthers() {
  for (const name of await caches.keys()) if (name.startsWith("abnforge-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

// The page is from the network if possible, and names its files by digests; these are from the cache.
async function reply(request) {
  if (request.mode !== "navigate") return (await caches.match(request)) ?? fetch(request);
  try {
    return await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
  } catch (error) {
    const page = new URL(request.url).pathname === new URL("./", self.location).pathname && await caches.match("./");
    if (!page) throw error;
    return page;
  }
}

self.addEventListener("install", (event) => event.waitUntil(store()));
self.addEventListener("activate", (event) => event.waitUntil(discardOthers()));
self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === self.location.origin) event.respondWith(reply(event.request));
});
