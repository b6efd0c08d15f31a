// The client of the worker: queues calls, keeps the newest of each kind, stops and restarts the worker.

import built from "./page.json";

const LIMIT = 20000; // ms, timeout of a call with the usual budget
const GRACE = 1500; // ms until an ignored stop terminates the worker

const mega = (bytes) => (bytes / 1e6).toFixed(1);

export class Stopped extends Error {}
export class Replaced extends Error {}

export class Client {
  #worker = null;
  #interrupts = null;
  #ready = null;
  #waiting = [];
  #asked = null;
  #next = 1;
  #timer = null;
  factor = 1; // raises the budget and the timeout of calls

  // `told(state, message, share)` is called with "loading", "ready", "working", "failed". `share` of the bytes is loaded.
  constructor(told) {
    this.told = told;
    if (globalThis.crossOriginIsolated && globalThis.SharedArrayBuffer) {
      this.#interrupts = new Uint8Array(new SharedArrayBuffer(1));
    }
  }

  // Starts Python; resolves to its description.
  start(again = false) {
    this.told("loading", again ? "Restarting Python…" : "Loading Python…");
    this.#worker?.terminate();
    this.#worker = new Worker(`./${built.worker}`, { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#answered(data);
    this.#worker.onerror = (event) => this.#answered({ id: this.#asked?.id, fatal: true, said: event.message });
    if (this.#interrupts) this.#interrupts[0] = 0;
    this.#ready = false;
    return new Promise((resolve, reject) => {
      this.#send({ id: this.#next++, start: true, resolve, reject });
    });
  }

  // Calls the worker; a waiting call with the same `slot` is rejected with Replaced.
  ask(ask, told, slot = ask) {
    return new Promise((resolve, reject) => {
      const older = this.#waiting.findIndex((each) => each.slot === slot);
      if (older >= 0) this.#waiting.splice(older, 1)[0].reject(new Replaced());
      this.#waiting.push({ id: this.#next++, slot, limit: LIMIT * this.factor, question: JSON.stringify({ ask, budget: this.factor, ...told }), resolve, reject });
      this.#go();
    });
  }

  // Stops the current call.
  stop(why = "Stopped") {
    const asked = this.#asked;
    if (!asked || asked.start) return;
    asked.why = why;
    if (this.#interrupts) {
      this.#interrupts[0] = 2;
      setTimeout(() => this.#asked === asked && this.#restart(why), GRACE);
    } else {
      this.#restart(why);
    }
  }

  #restart(why) {
    const asked = this.#asked;
    this.#asked = null;
    clearTimeout(this.#timer);
    asked?.reject(new Stopped(why));
    this.start(true).catch(() => {});
  }

  #go() {
    if (this.#asked || !this.#ready || !this.#waiting.length) return;
    this.#send(this.#waiting.shift());
  }

  #send(asked) {
    this.#asked = asked;
    if (this.#interrupts) this.#interrupts[0] = 0;
    if (asked.start) {
      // A counted response of WebAssembly has no compiled copy in the browser's cache, so later visits count nothing.
      const counts = !navigator.serviceWorker?.controller;
      this.#worker.postMessage({ id: asked.id, start: true, interrupts: this.#interrupts, counts });
      return;
    }
    this.told("working", "Working…");
    this.#timer = setTimeout(() => this.stop(`Stopped after ${asked.limit / 1000} s`), asked.limit);
    this.#worker.postMessage({ id: asked.id, question: asked.question });
  }

  #answered(data) {
    const asked = this.#asked;
    if (!asked || data.id !== asked.id) return;
    if (data.loaded !== undefined) {
      const share = Math.min(1, data.loaded / built.bytes);
      this.told("loading", `Loading Python: ${mega(share * built.bytes)} of ${mega(built.bytes)} MB`, share);
      return;
    }
    this.#asked = null;
    clearTimeout(this.#timer);
    if (data.fatal && asked.start) {
      this.told("failed", `Cannot load Python: ${data.said}`);
      asked.reject(new Error(data.said));
      return;
    }
    if (data.fatal) {
      asked.reject(new Error("Python ran out of memory in the browser and was restarted"));
      this.start(true).catch(() => {});
      return;
    }
    this.#ready = true;
    this.told("ready", "Ready");
    if (data.stopped) {
      asked.reject(new Stopped(asked.why ?? "Stopped"));
    } else if (data.told === undefined) {
      asked.reject(new Error(data.said));
    } else {
      const told = JSON.parse(data.told);
      if (told.error) asked.reject(Object.assign(new Error(told.error.message), { code: told.error.code, setting: told.error.setting }));
      else asked.resolve(told.answer);
    }
    this.#go();
  }
}
