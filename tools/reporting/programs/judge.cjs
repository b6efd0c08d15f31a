// Reads strings as JSON Lines and prints whether a function accepts each. The argument names the function.
"use strict";
const readline = require("node:readline");

const always = (parse) => (text) => (parse(text), true);
const ajv = (format) => {
  const Ajv = require("ajv");
  const instance = new Ajv({ logger: false });
  require("ajv-formats")(instance);
  return instance.compile({ type: "string", format });
};
const delimiters = /[[\]/?#@\\]/;
const between = (before, behind) => (text) => !delimiters.test(text) && URL.canParse(before + text + behind);
const functions = {
  "URL": () => (text) => URL.canParse(text),
  "URL-ipv6": () => between("http://[", "]/"),
  "URL-port": () => between("http://h:", "/"),
  "JSON": () => always(JSON.parse),
  "uri-js": () => {
    const { parse } = require("uri-js");
    return (text) => { const found = parse(text); return !found.error && found.scheme !== undefined; };
  },
  "uri-js-reference": () => { const { parse } = require("uri-js"); return (text) => !parse(text).error; },
  "fast-uri": () => {
    const { parse } = require("fast-uri");
    return (text) => { const found = parse(text); return !found.error && found.scheme !== undefined; };
  },
  "fast-uri-reference": () => { const { parse } = require("fast-uri"); return (text) => !parse(text).error; },
  "date-fns": () => { const { isValid, parseISO } = require("date-fns"); return (text) => isValid(parseISO(text)); },
  "luxon": () => { const { DateTime } = require("luxon"); return (text) => DateTime.fromISO(text).isValid; },
  "validator:isEmail": () => require("validator").isEmail,
  "validator:isURL": () => require("validator").isURL,
  "json-p3": () => always(require("json-p3").compile),
  "jsonpath-plus": () => { const { JSONPath } = require("jsonpath-plus"); return always((path) => JSONPath({ path, json: {} })); },
};

const name = process.argv[2];
const judge = name.startsWith("ajv:") ? ajv(name.slice(4)) : functions[name]();
readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const { id, text } = JSON.parse(line);
  let answer;
  try {
    answer = { id, valid: Boolean(judge(text)) };
  } catch (error) {
    answer = { id, valid: false, error: error.constructor.name };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
