// Compare the module with the URL parser of the runtime: npm run bench -- FILE, with one URI on each line.
import { readFileSync } from "node:fs";
import { check, matches, parts } from "./uri.mjs";

const ROUNDS = 25;
const lines = readFileSync(process.argv[2] ?? "../uris.txt", "utf8")
  .split("\n")
  .filter(Boolean);

function host(text) {
  const place = parts(text)?.host;
  return place ? text.slice(...place) : "";
}

function urlHost(text) {
  try {
    return new URL(text).hostname;
  } catch {
    return "";
  }
}

const functions = {
  matches: (text) => Number(matches(text)),
  check: (text) => Number(check(text) === null),
  parts: (text) => Number(parts(text) !== null),
  "parts, text of the host": (text) => host(text).length,
  "URL.canParse": (text) => Number(URL.canParse(text)),
  "new URL, text of the host": (text) => urlHost(text).length,
};
const best = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, call] of Object.entries(functions)) {
    let sum = 0; // a result that is used, so that no engine omits the calls
    const started = process.hrtime.bigint();
    for (const line of lines) sum += call(line);
    const time = Number(process.hrtime.bigint() - started) / lines.length;
    if (sum >= 0) best[name] = Math.min(best[name] ?? Infinity, time);
  }
}
for (const [name, time] of Object.entries(best))
  console.log(`${name.padEnd(28)}${time.toFixed(0).padStart(6)} ns`);
