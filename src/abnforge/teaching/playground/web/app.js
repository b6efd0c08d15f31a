// The page: sends a grammar and a string to the worker after each change, and shows the results in panes.
import { Client, Replaced, Stopped } from "./client.js";
import built from "./page.json";
import { Editor } from "./editor.js";
import { draft, fromFragment, save, saved, saveDraft, toFragment } from "./state.js";
import { el, option, places, plural, quoted, sentence, visible } from "./text.js";
import { compare } from "./panes/compare.js";
import { constructions } from "./panes/constructions.js";
import { derivation } from "./panes/derivation.js";
import { diagram, forget } from "./panes/diagram.js";
import { exercises } from "./panes/exercises.js";
import { rule as ruleInWords } from "./panes/rule.js";
import { strings } from "./panes/strings.js";
import { same, tree } from "./panes/tree.js";
import { why } from "./panes/why.js";

const PAUSE = 150; // ms without a keystroke before a call
const PANES = { why, tree, derivation, diagram, rule: ruleInWords, constructions, compare, strings, exercises };
const SHOWN_FINDINGS = 8;
const MORE = 10; // a retry multiplies the budget by this factor
const MOST_BUDGETS = 100;
const SHOWN_CHARACTERS = 2000; // of the string with its marks

const $ = (id) => document.getElementById(id);
const text = $("text");

// Status, also for screen readers; progress is only visible.
function tell(message, aloud = true) {
  $("status").setAttribute("aria-live", aloud ? "polite" : "off");
  $("status").textContent = message;
}

const client = new Client((state, message, share) => {
  document.body.dataset.state = state;
  tell(message, share === undefined && (state === "loading" || state === "failed"));
  $("progress").hidden = state !== "loading";
  if (share !== undefined) $("progress").value = share;
  $("stop").disabled = state !== "working";
});

const page = {
  grammar: "", read: "", string: "", rule: "", rules: [], loads: null, judged: null, tab: "why", other: null, otherRule: null, exercise: null, answer: null, lines: "", construction: null, marked: null,
  ask: (ask, told, slot) => client.ask(ask, told, slot),
  question: () => ({ text: page.grammar, rule: page.rule, string: page.string }),
  setString(string) { showString(string); touch(); stringChanged(); $("string").focus(); },
  show: (tab) => select(tab, true),
  changed: () => { touch(); keep(); },
  examples: (rows) => examples(rows),
  addExamples: (rows) => addExamples(rows),
  redraw: () => draw(),
  problem(where, error) {
    if (error instanceof Replaced) return;
    where.replaceChildren(el("p", { class: "problem", role: "alert" }, ...withRetry(error)));
  },
  // Highlights a part of the string, its rules, and its line in the tree.
  point(row, marked = null, show = true) {
    drawText(row ? [row] : []);
    if (marked) page.marked?.(marked);
    const names = (row?.rules ?? (row?.rule ? [row.rule] : [])).map((each) => each.toLowerCase());
    editor.point(page.rules.filter((each) => names.includes(each.name.toLowerCase())).flatMap((each) => each.places), show);
  },
};

// The message of an error, and for an exceeded budget, a button that retries with a larger one.
function withRetry(error) {
  if (!error.setting?.startsWith("budget.") || client.factor >= MOST_BUDGETS) return [sentence(error)];
  return [`${sentence(error)} `, el("button", { type: "button", onclick: ({ target }) => {
    target.remove();
    client.factor *= MORE;
    $(`pane-${page.tab}`).focus();
    return grammarChanged();
  } }, `Retry with ${MORE * client.factor} times the budget`)];
}

const { menu } = built;
let timer = null;
let unread = false; // the grammar has changed since it was parsed
let touched = false; // the user has changed something since loading
let linked = null; // the state of the link that is open, until something changes
let wanted = ""; // the chosen rule, which may be invalid during editing

const editor = new Editor($("grammar"), {
  label: "Grammar in ABNF",
  changed: (_, own) => { if (own) touch(); later(true); },
  moved: (offset) => pointFromGrammar(offset),
  rename: () => openRename(),
  names: (grammar, at) => client.ask("names", { text: grammar, at }).catch(() => []),
});

function later(grammar) {
  unread ||= grammar;
  clearTimeout(timer);
  timer = setTimeout(() => (unread ? grammarChanged() : stringChanged()), PAUSE);
}

const state = () => ({ grammar: editor.text, rule: wanted || page.rule, string: page.string, tab: page.tab, ...(page.other ? { other: page.other } : {}),
  ...(page.lines ? { lines: page.lines } : {}), ...(page.construction ? { construction: page.construction } : {}),
  ...(page.otherRule ? { otherRule: page.otherRule } : {}),
  ...(page.tab === "exercises" && page.exercise ? { exercise: page.exercise, answer: page.answer ?? "" } : {}) });

// An unchanged link or example does not replace the draft; a change removes the link from the address, and the
// draft from before the link can be restored.
const keep = () => touched && saveDraft(state());

function touch() {
  touched = true;
  $("notice").textContent = "";
  if (location.hash) window.history.replaceState(null, "", location.pathname + location.search);
  const before = linked && draft();
  if (before && before.grammar !== linked.grammar) {
    save("earlier", JSON.stringify(before));
    offerEarlier();
  }
  linked = null;
}

function offerEarlier() {
  const before = saved("earlier");
  if (!before) return;
  $("notice").replaceChildren("The link replaced your draft. ", el("button", { type: "button", onclick: () => {
    save("earlier", "");
    saveDraft(JSON.parse(before));
    load(JSON.parse(before));
    $("notice").textContent = "";
  } }, "Restore the draft"));
}

// The grammar

async function grammarChanged() {
  unread = false;
  const asked = editor.text;
  page.grammar = asked;
  keep();
  try {
    const found = await client.ask("grammar", { text: asked });
    if (asked !== page.grammar) return;
    page.rules = found.rules;
    page.read = asked;
    page.loads = found.rules.length > 0 && !found.findings.some((each) => each.severity === "error");
    editor.diagnose(found.findings);
    showFindings(found);
    showRules();
    await Promise.all([tryExamples(), judge()]);
  } catch (error) {
    if (error instanceof Replaced || asked !== page.grammar) return;
    page.loads = false;
    page.judged = null;
    page.read = null; // the next call starts with the grammar
    $("grammar-says").textContent = sentence(error);
    $("verdict").replaceChildren("Not validated. ", ...withRetry(error));
    $("verdict").className = "verdict";
    await draw();
  }
}

function showFindings({ findings, count }) {
  const errors = findings.filter((each) => each.severity === "error").length;
  const warnings = findings.filter((each) => each.severity === "warning").length;
  $("grammar-says").textContent = errors ? plural(errors, "error")
    : !page.rules.length ? "No rule yet. Write a rule as NAME = ELEMENTS, such as pin = 4DIGIT."
      : warnings ? `No errors, ${plural(warnings, "warning")}.` : `${plural(page.rules.length, "rule")}, no errors and no warnings.`;
  const grave = findings.filter((each) => each.severity !== "info");
  const remarks = findings.filter((each) => each.severity === "info");
  $("findings").replaceChildren(...grave.slice(0, SHOWN_FINDINGS).map(finding));
  if (grave.length > SHOWN_FINDINGS) $("findings").append(el("li", { class: "soft" }, `and ${grave.length - SHOWN_FINDINGS} more`));
  $("remarks").hidden = !remarks.length;
  $("remarks-count").textContent = plural(remarks.length + count - findings.length, "remark");
  $("remarks-list").replaceChildren(...remarks.map(finding));
}

function finding(each) {
  const place = el("button", { type: "button", class: "place", onclick: () => editor.go(each.start) }, each.line ? `line ${each.line}` : "grammar");
  const item = el("li", { class: each.severity }, place, ` ${each.message} `, el("code", {}, each.code));
  if (each.edits.length) item.append(" ", el("button", { type: "button", onclick: () => editor.edit(each.edits, page.read) }, each.fix ? `Fix: ${each.fix}` : "Fix"));
  else if (each.fix) item.append(el("span", { class: "soft" }, ` ${each.fix}`));
  return item;
}

function showRules() {
  const names = page.rules.map((each) => each.name);
  wanted ||= page.rule;
  page.rule = names.find((each) => each.toLowerCase() === wanted.toLowerCase()) ?? names[0] ?? "";
  $("rule").replaceChildren(...names.map((each) => option(each, each, each === page.rule)));
}

async function tryExamples() {
  if (!page.loads) { $("tests").replaceChildren(); $("tests-says").textContent = page.rules.length ? "fix the grammar's errors first" : ""; return; }
  let results;
  try {
    results = await client.ask("examples", { text: page.grammar });
  } catch (error) {
    if (error instanceof Replaced) return;
    $("tests").replaceChildren();
    $("tests-says").textContent = error.message;
    return;
  }
  const passed = results.filter((each) => each.status === "passed").length;
  $("tests-says").textContent = results.length ? `${passed} of ${results.length} pass` : "none yet";
  $("tests").replaceChildren(...results.map((each) => el("li", { class: each.status },
    el("span", { class: `mark ${each.status === "passed" ? "good" : "bad"}` }, each.status === "passed" ? "✓ " : each.status === "failed" ? "✗ " : "? ",
      el("span", { class: "hidden" }, `${each.status}: `)),
    el("code", {}, `${each.rule}`), ` ${must(each.valid, each.status)} `,
    el("button", { type: "button", class: "string", onclick: () => { chooseRule(each.rule); page.setString(each.text); } }, quoted(each.text)),
    each.message ? el("span", { class: "reason" }, ` ${each.message}`) : null,
  )));
}

// An example that fails is not a fact.
const must = (valid, status) => status === "passed" ? (valid ? "matches" : "does not match") : `should ${valid ? "" : "not "}match`;

// The string

// The original string, and its form in a field, whose line breaks are LF.
function showString(string) {
  page.string = string;
  $("crlf").checked = /\r\n/.test(string);
  $("string").value = string;
  noteLineBreaks();
}

function noteLineBreaks() {
  const other = page.string.replaceAll("\r\n", "").includes("\r") || (page.string.includes("\r\n") && /(^|[^\r])\n/.test(page.string));
  $("string-says").textContent = other ? "The string mixes line breaks; an edit here makes them the same." : "";
}

function typed() {
  const lines = $("string").value;
  page.string = $("crlf").checked ? lines.replaceAll("\n", "\r\n") : lines;
  noteLineBreaks();
  touch();
  later(false);
}

function stringChanged() {
  keep();
  drawText([]);
  judge();
}

function chooseRule(name) {
  page.rule = page.rules.find((each) => each.name.toLowerCase() === name.toLowerCase())?.name ?? page.rule;
  wanted = page.rule;
  $("rule").value = page.rule;
  forget();
}

async function judge() {
  const verdict = $("verdict");
  if (page.read === null) return grammarChanged(); // because that call was stopped
  if (page.grammar !== page.read) return undefined; // parsing calls this function later
  if (!page.loads) {
    page.judged = null;
    verdict.className = "verdict";
    verdict.textContent = page.rules.length || page.grammar.trim() ? "Not validated: the grammar has errors." : "Not validated: no grammar yet.";
    return draw();
  }
  try {
    page.judged = await client.ask("string", page.question());
  } catch (error) {
    if (error instanceof Replaced) return undefined;
    page.judged = null;
    verdict.className = "verdict";
    verdict.replaceChildren("Not validated. ", ...withRetry(error));
    return draw();
  }
  const { valid, rule, rejection } = page.judged;
  verdict.className = `verdict ${valid ? "good" : "bad"}`;
  verdict.dataset.rule = rule;
  verdict.replaceChildren(el("b", {}, valid ? "✓ valid" : "✗ not valid"), valid ? `: the string matches ${rule}.` : `: ${rejection.message} (offset ${rejection.offset}) `,
    ...(valid ? [] : [el("code", {}, rejection.code)]));
  return draw();
}

// The string with its mistake and highlighted parts; for a long string, only their surroundings.
function drawText(rows) {
  const chars = Array.from(page.string);
  const wrong = page.judged && !page.judged.valid ? page.judged.rejection : null;
  const first = rows.length ? rows[0].start : wrong ? wrong.start : 0;
  const from = chars.length > SHOWN_CHARACTERS ? Math.max(0, first - SHOWN_CHARACTERS / 4) : 0;
  const to = Math.min(chars.length, from + SHOWN_CHARACTERS);
  const parts = from ? [el("span", { class: "soft" }, `${from} before … `)] : [];
  let run = null;
  for (let n = from; n <= to; n += 1) {
    const bad = wrong && (wrong.start === wrong.end ? n === wrong.start : n >= wrong.start && n < wrong.end);
    if (n === to && (!bad || to < chars.length)) break;
    const at = rows.some((row) => n >= row.start && n < row.end);
    const kind = `${bad ? "wrong " : ""}${at ? "pointed" : ""}`;
    const char = n === chars.length ? "␣" : visible(chars[n]);
    if (run && run.dataset.kind === kind) run.textContent += char;
    else { run = el("span", { class: kind }, char); run.dataset.kind = kind; run.dataset.start = n; parts.push(run); }
    if (n === chars.length) run.classList.add("end");
  }
  if (to < chars.length) parts.push(el("span", { class: "soft" }, ` … ${chars.length - to} more`));
  text.replaceChildren(...parts);
}

// Highlights the innermost line of the tree, and the rule, for the character under the pointer.
let under = null;
function pointFromText(event) {
  if (!page.judged?.valid) return;
  const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const run = caret?.offsetNode?.parentElement?.closest?.("[data-start]");
  if (!run) return;
  const at = Number(run.dataset.start) + places(run.textContent).point(caret.offset);
  let best = null;
  for (const row of page.judged.tree.boxes) if (row.start <= at && at < row.end && row.names.length) best = row;
  if (best === under) return;
  under = best;
  const chain = page.judged.tree.boxes.filter((row) => best && row.start === best.start && row.end === best.end);
  page.point(best && { ...best, rules: chain.flatMap((row) => row.names) }, same(best));
}
text.addEventListener("pointerover", pointFromText); // the string may be redrawn under the pointer
text.addEventListener("pointermove", pointFromText);
text.addEventListener("pointerleave", () => { under = null; page.point(null, () => false); });

// Highlights all matches of the rule under the cursor or the pointer.
function pointFromGrammar(offset) {
  if (!page.judged?.valid) return;
  const rule = page.rules.find((each) => each.places.some(([start, end]) => start <= offset && offset <= end));
  const reads = (row) => Boolean(rule) && row.names?.some((name) => name.toLowerCase() === rule.name.toLowerCase());
  page.marked?.(reads);
  drawText(page.judged.tree.boxes.filter(reads).slice(0, 200));
}

// The edit that adds strings to the grammar as examples of the rule; null while the grammar is not parsed.
function examples(rows) {
  const rule = page.rules.find((each) => each.name === page.rule);
  if (!rule || editor.text !== page.read) return null;
  const points = Array.from(page.read);
  let start = rule.places[0][0];
  while (start && points[start - 1] !== "\n") start -= 1;
  const indent = points.slice(start, rule.places[0][0]).join("");
  const written = (text) => text.match(/[ !#-~]+|[^ !#-~]+/gu)?.map((part) => /^[ !#-~]+$/.test(part) ? `"${part}"`
    : `%x${Array.from(part, (char) => char.codePointAt(0).toString(16).toUpperCase().padStart(2, "0")).join(".")}`).join("") ?? '""';
  return { start, end: start, text: rows.map(({ text, expected }) => `${indent};@ ${expected ? "match" : "no-match"} ${written(text)}\n`).join("") };
}

function addExamples(rows) {
  const edit = examples(rows);
  if (!edit) return;
  touch();
  editor.edit([edit]);
}

// Panes

async function draw() {
  drawText([]);
  page.marked = null;
  if (page.loads === null) { $(`pane-${page.tab}`).replaceChildren(el("p", { class: "soft" }, "Python is not loaded yet.")); return; }
  await PANES[page.tab]($(`pane-${page.tab}`), page);
}

const tabs = [...document.querySelectorAll("[role=tab]")];

function select(tab, focus = false) {
  page.tab = Object.hasOwn(PANES, tab) ? tab : "why";
  document.body.dataset.tab = page.tab;
  for (const each of tabs) {
    const chosen = each.id === `tab-${page.tab}`;
    each.setAttribute("aria-selected", String(chosen));
    each.tabIndex = chosen ? 0 : -1;
    $(each.getAttribute("aria-controls")).hidden = !chosen;
    if (chosen && focus) each.focus();
  }
  keep();
  return draw();
}

$("tabs").addEventListener("click", (event) => {
  const tab = event.target.closest("[role=tab]");
  if (tab) select(tab.id.slice(4));
});
$("tabs").addEventListener("keydown", (event) => {
  const at = tabs.findIndex((each) => each.id === `tab-${page.tab}`);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  select(tabs[(to + tabs.length) % tabs.length].id.slice(4), true);
});

// Tools

function load(told) {
  client.factor = 1;
  touched = false;
  wanted = page.rule = told.rule ?? "";
  page.other = told.other ?? null;
  page.otherRule = told.otherRule ?? null;
  page.lines = told.lines ?? "";
  page.construction = told.construction ?? page.construction;
  page.exercise = told.exercise ?? page.exercise;
  page.answer = told.answer ?? null;
  page.shared = page.answer !== null; // an answer that the exercise does not show yet
  forget();
  showString(told.string ?? "");
  editor.text = told.grammar ?? menu[0].grammar; // a link to an exercise may have only its name
  select(told.tab ?? (told.grammar === undefined ? "exercises" : page.tab));
  clearTimeout(timer);
  return grammarChanged();
}

// Colors and the size of text, which the browser stores.
for (const name of ["theme", "size"]) {
  const choose = $(name);
  const apply = () => { document.documentElement.dataset[name] = choose.value; };
  choose.value = saved(name) ?? "";
  choose.addEventListener("change", () => { apply(); save(name, choose.value); });
  apply();
}

$("string").addEventListener("input", typed);
$("crlf").addEventListener("change", typed);
$("rule").addEventListener("change", () => { chooseRule($("rule").value); touch(); keep(); judge(); });
$("menu").addEventListener("change", () => {
  const found = menu.find((each) => each.id === $("menu").value);
  if (found) { touch(); load(found); }
});
$("stop").addEventListener("click", () => client.stop());
$("add-match").addEventListener("click", () => addExamples([{ text: page.string, expected: true }]));
$("add-no-match").addEventListener("click", () => addExamples([{ text: page.string, expected: false }]));
$("format").addEventListener("click", async () => {
  try {
    const told = await client.ask("format", { text: editor.text });
    touch();
    editor.text = told.text;
  } catch (error) { $("grammar-says").textContent = `Not formatted. ${sentence(error)}`; }
});
$("share").addEventListener("click", async () => {
  const url = new URL(location.href);
  url.hash = await toFragment(state());
  keep();
  window.history.replaceState(null, "", url);
  try {
    await navigator.clipboard.writeText(url.href);
    shared("Copied", "Copied the link.");
  } catch {
    shared("In the address bar", "The link is in the address bar.");
  }
});

// Shows a message on the button for a while, also for screen readers.
function shared(label, message) {
  $("share").textContent = label;
  $("shared").textContent = message;
  setTimeout(() => { $("share").textContent = "Copy link"; }, 2000);
}

const dialog = $("rename-dialog");
function openRename() {
  const at = editor.offset;
  const points = Array.from(editor.text);
  const name = points.slice(0, at).join("").match(/[\w-]*$/)[0] + points.slice(at).join("").match(/^[\w-]*/)[0];
  if (!name) { $("grammar-says").textContent = "Put the cursor on a rule's name to rename it."; return; }
  $("rename-title").textContent = `Rename rule ${name}`;
  dialog.dataset.at = at;
  $("rename-says").textContent = "";
  $("rename-name").value = "";
  dialog.showModal();
}
$("rename").addEventListener("click", openRename);
$("rename-cancel").addEventListener("click", () => dialog.close());
$("rename-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = $("rename-name").value.trim();
  try {
    const told = await client.ask("rename", { text: editor.text, at: Number(dialog.dataset.at), name });
    touch();
    if (told.was.toLowerCase() === wanted.toLowerCase()) wanted = name;
    editor.text = told.text;
    dialog.close();
    editor.focus();
  } catch (error) { $("rename-says").textContent = sentence(error); }
});

window.addEventListener("hashchange", () => begin(false));

// Restores the state of the link, else of the draft, else the first example.
async function begin(first) {
  let told = null;
  let damaged = "";
  try {
    told = await fromFragment(location.hash);
  } catch (error) {
    damaged = `Cannot open the link: ${error.message}.`;
  }
  linked = told;
  if (told || first) load(told ?? draft() ?? menu[0]);
  $("notice").textContent = damaged;
  if (!told && !damaged && first) offerEarlier();
}

for (const each of menu) $("menu").append(option(each.id, each.title));
$("verdict").textContent = "Not validated yet.";
const loading = client.start();
begin(true); // the calls wait for Python
try {
  const { version, kernel, packed } = await loading;
  const code = kernel === "compiled" ? "C extension" : packed ? "pure Python, since this browser cannot load the C extension" : "pure Python";
  $("implementation").textContent = `abnforge ${version} (${code})`;
  // The service worker stores the files, so that the next visit requires no network.
  navigator.serviceWorker?.register("./service.js").catch(() => {});
} catch (error) {
  $("verdict").textContent = `Not validated. Cannot load Python: ${error.message}`;
}
