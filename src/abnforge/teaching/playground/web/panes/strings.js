// Many strings with expected verdicts: a line of text for each, its verdict, and whether both agree.
import { download } from "../picture.js";
import { el, plural, quoted } from "../text.js";

const PART = 100; // lines of a call, so that results appear soon and Stop works
const MOST = 2000; // lines
const PAUSE = 300; // ms without a keystroke

let timer = null;
let run = 0;

export function strings(pane, page) {
  if (!pane.querySelector("#lines")) build(pane, page);
  const field = pane.querySelector("textarea");
  if (field.value !== page.lines) field.value = page.lines;
  return validate(pane, page);
}

function build(pane, page) {
  const field = el("textarea", { id: "lines", rows: "7", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "lines-note" });
  field.addEventListener("input", () => {
    page.lines = field.value;
    page.changed();
    clearTimeout(timer);
    timer = setTimeout(() => validate(pane, page), PAUSE);
  });
  const button = (id, label, act) => el("button", { id, type: "button", onclick: act }, label);
  pane.replaceChildren(
    el("h3", {}, el("label", { for: "lines" }, "Strings, one per line")),
    el("p", { id: "lines-note", class: "soft" }, "Write ", el("code", {}, "+ text"), " for a string that must match, and ", el("code", {}, "- text"),
      " for a string that must not match; or the text, a tab, and ", el("code", {}, "valid"), " or ", el("code", {}, "invalid"),
      ". Other lines are strings without an expected verdict. Empty lines are skipped."),
    field,
    el("p", { id: "lines-says", role: "status" }),
    el("div", { class: "bar" },
      button("disagreement", "First disagreement", () => pane.querySelector("li.failed button")?.focus()),
      button("lines-add", "Add to the grammar", () => page.addExamples(pane.expected)),
      button("lines-save", "Save grammar with examples", () => {
        const edit = page.examples(pane.expected);
        if (!edit) return;
        const points = Array.from(page.read);
        points.splice(edit.start, 0, edit.text);
        download(`${page.rule}.abnf`, new Blob([points.join("")], { type: "text/plain" }));
      })),
    el("ol", { class: "tests", "aria-label": "Verdicts", tabindex: "0" }),
  );
}

// Shows a verdict for each line, part by part. A later run ends this one.
async function validate(pane, page) {
  const own = run += 1;
  const says = pane.querySelector("#lines-says");
  const list = pane.querySelector("ol");
  const enable = (id, on) => pane.querySelector(`#${id}`).toggleAttribute("disabled", !on);
  const rows = [];
  const lines = page.lines.split("\n");
  const { read: text, rule } = page;
  let problem = page.loads ? "" : "Fix the grammar's errors to validate strings.";
  if (lines.length > MOST) problem = `At most ${MOST.toLocaleString("en")} lines are allowed.`;
  try {
    for (let at = 0; !problem && at < lines.length; at += PART) {
      const part = await page.ask("strings", { text, rule, lines: lines.slice(at, at + PART).join("\n") });
      if (own !== run) return;
      rows.push(...part.map((each) => ({ ...each, line: each.line + at + 1 })));
    }
  } catch (error) {
    if (own !== run) return; // replaced
    problem = `Not all strings are validated. ${error.message}`;
  }
  pane.expected = rows.filter((each) => each.expected !== null);
  const wrong = pane.expected.filter((each) => each.valid !== each.expected).length;
  says.className = problem || wrong ? "problem" : "";
  says.textContent = problem || (rows.length
    ? `${plural(rows.length, "string")}: ${rows.filter((each) => each.valid).length} valid, ${rows.filter((each) => each.valid === false).length} not valid. `
      + (pane.expected.length ? `${pane.expected.length - wrong} of ${pane.expected.length} as expected.` : "")
    : "No strings yet.");
  enable("disagreement", wrong);
  enable("lines-add", pane.expected.length);
  enable("lines-save", pane.expected.length);
  list.replaceChildren(...rows.map((row) => item(row, page)));
}

function item({ line, text, expected, valid, message }, page) {
  const agrees = expected === null ? "" : valid === expected ? "passed" : "failed";
  const verdict = valid === null ? "? undecided" : valid ? "✓ valid" : "✗ not valid";
  const wanted = expected === null ? "" : agrees === "passed" ? ", as expected " : `, but should ${expected ? "" : "not "}be valid `;
  return el("li", { class: agrees }, el("span", { class: "soft" }, `line ${line} `),
    el("span", { class: agrees === "failed" ? "bad" : null }, `${verdict}${wanted || " "}`),
    el("button", { type: "button", class: "string", onclick: () => { page.setString(text); page.show("why"); } }, quoted(text)),
    expected !== null && message ? el("span", { class: "reason" }, ` ${message}`) : null);
}
