// Python in a worker, which handles one call at a time without blocking the page.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const PACKAGES = "/lib/playground";
const PAUSE = 100; // ms between two reports of progress
let answer = null;

// Reports the number of bytes that Pyodide and this module have fetched.
function reportProgress(id) {
  const original = self.fetch;
  let loaded = 0;
  let last = 0;
  self.fetch = async (...request) => {
    const reply = await original(...request);
    if (!reply.body) return reply;
    const count = new TransformStream({
      transform(chunk, output) {
        loaded += chunk.length;
        if (performance.now() - last > PAUSE) { self.postMessage({ id, loaded }); last = performance.now(); }
        output.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = reply;
    return new Response(reply.body.pipeThrough(count), { status, statusText, headers });
  };
}

async function start(interrupts) {
  const packages = fetch(`./python.zip${self.location.search}`).then((reply) => {
    if (!reply.ok) throw new Error(`python.zip: ${reply.status} ${reply.statusText}`);
    return reply.arrayBuffer();
  });
  try {
    return await load(packages, interrupts, {});
  } catch (error) { // a C extension can stop Python while it is loaded
    if (!error?.pyodide_fatal_error) throw error;
    return load(packages, interrupts, { ABNFORGE_KERNEL: "python" });
  }
}

async function load(packages, interrupts, env) {
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href, env });
  python.unpackArchive(new Uint8Array(await packages), "zip", { extractDir: PACKAGES });
  python.runPython(`import sys, importlib; sys.path.insert(0, ${JSON.stringify(PACKAGES)}); importlib.invalidate_caches()`);
  if (interrupts) python.setInterruptBuffer(interrupts);
  answer = python.runPython("from abnforge.teaching.playground.questions import answer; answer");
  return answer('{"ask": "implementation"}');
}

// After a fatal error, Pyodide returns wrong results, so it is not used again.
const fatal = (error) => Boolean(error?.pyodide_fatal_error) || error instanceof RangeError
  || error instanceof WebAssembly.RuntimeError;

self.onmessage = async ({ data }) => {
  try {
    if (data.counts) reportProgress(data.id);
    const told = data.start ? await start(data.interrupts) : answer(data.question);
    if (typeof told !== "string") throw new RangeError("Python did not return a result");
    self.postMessage({ id: data.id, told });
  } catch (error) {
    const stopped = error?.type === "KeyboardInterrupt";
    const said = String(error?.message ?? error).slice(-300);
    self.postMessage({ id: data.id, stopped, fatal: !stopped && (data.start || fatal(error)), said });
  }
};
