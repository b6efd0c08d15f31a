// The state of the page: in the address as a link to share, and in the browser's storage as a draft.

const DRAFT = "abnforge-draft";
const FIELDS = ["grammar", "rule", "string", "tab", "other", "otherRule", "exercise", "answer", "lines", "construction"];
const MOST = 2_000_000; // maximum bytes of a state in an address

// Reads a stream, at most MOST bytes.
async function through(octets, stream) {
  const reader = new Blob([octets]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > MOST) {
      reader.cancel();
      throw new Error("the state is too large");
    }
    parts.push(value);
  }
}

function coded(octets) {
  let text = "";
  for (const octet of octets) text += String.fromCharCode(octet);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const decoded = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));

// The fragment for a state: deflated JSON, in base64url.
export async function toFragment(state) {
  const octets = new TextEncoder().encode(JSON.stringify(state));
  return `s=${coded(await through(octets, new CompressionStream("deflate-raw")))}`;
}

// The state of a fragment; null without one. Throws an error for a damaged fragment.
export async function fromFragment(fragment) {
  if (!/^#?s=/.test(fragment)) return null;
  let told;
  try {
    const octets = await through(decoded(fragment.replace(/^#?s=/, "")), new DecompressionStream("deflate-raw"));
    told = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(octets));
  } catch (error) {
    throw error.message?.startsWith("the state") ? error : new Error("the state is incomplete or damaged");
  }
  return known(told);
}

function known(told) {
  const state = {};
  for (const field of FIELDS) if (typeof told?.[field] === "string") state[field] = told[field];
  if (state.grammar === undefined && state.exercise === undefined) throw new Error("the grammar is missing");
  return state;
}

// Each tab has its own draft; a new tab starts with the newest draft.
export function saveDraft(state) {
  for (const storage of ["sessionStorage", "localStorage"]) {
    try { globalThis[storage].setItem(DRAFT, JSON.stringify(state)); } catch { /* no storage: no draft */ }
  }
}

export function draft() {
  for (const storage of ["sessionStorage", "localStorage"]) {
    try { return known(JSON.parse(globalThis[storage].getItem(DRAFT))); } catch { /* there is none */ }
  }
  return null;
}

export function saved(key) {
  try { return localStorage.getItem(`abnforge-${key}`); } catch { return null; }
}

export function save(key, value) {
  try { localStorage.setItem(`abnforge-${key}`, value); } catch { /* as above */ }
}
