// Python in a worker, which handles one call at a time without blocking the page.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const PACKAGES = "/lib/playground";
let answer = null;

async function start(interrupts) {
  const packages = fetch("./python.zip").then((reply) => {
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
  return answer('{"ask": "menu"}');
}

// After a fatal error, Pyodide returns wrong results, so it is not used again.
const fatal = (error) => Boolean(error?.pyodide_fatal_error) || error instanceof RangeError
  || error instanceof WebAssembly.RuntimeError;

self.onmessage = async ({ data }) => {
  try {
    const told = data.start ? await start(data.interrupts) : answer(data.question);
    if (typeof told !== "string") throw new RangeError("Python did not return a result");
    self.postMessage({ id: data.id, told });
  } catch (error) {
    const stopped = error?.type === "KeyboardInterrupt";
    const said = String(error?.message ?? error).slice(-300);
    self.postMessage({ id: data.id, stopped, fatal: !stopped && (data.start || fatal(error)), said });
  }
};
