// The tree of attempts of a rejected string, or the unsuccessful alternatives of a valid one.
import { el, plural, quoted } from "../text.js";
import { treeview } from "../treeview.js";

function stopped(row, points) {
  const found = row.end < points.length ? quoted(points[row.end]) : "the end of the string";
  return row.expected ? `expected ${row.expected}, found ${found}` : `found ${found}`;
}

function line(row, points) {
  const read = row.end > row.start ? `matched ${quoted(points.slice(row.start, row.end).join(""), 40)}` : "matched nothing";
  const state = row.complete && !row.furthest ? "done" : row.complete ? "could end here" : "stopped";
  const parts = [
    el("span", { class: `mark ${row.complete ? "good" : "bad"}`, "aria-hidden": "true" }, row.complete ? "✓" : "✗"),
    el("code", { class: row.rule ? "name" : null }, row.source),
    ` ${read} `,
    el("span", { class: "soft" }, `${row.start}–${row.end}, ${state}`),
  ];
  if (row.leaf && (!row.complete || row.expected)) {
    parts.push(el("span", { class: row.furthest ? "reason" : "soft" }, `: ${stopped(row, points)}`));
  } else if (row.complete && !row.depth) {
    parts.push(el("span", { class: "reason" }, `, but ${quoted(points.slice(row.end).join(""), 30)} is unread`));
  }
  return parts;
}

export function why(pane, page) {
  const { judged: outcome, string } = page;
  if (!outcome) { pane.replaceChildren(el("p", { class: "soft" }, "Not validated yet.")); return; }
  const points = Array.from(string);
  if (outcome.valid) {
    const rows = outcome.tried.flatMap((each) => [
      { depth: 0, choice: each, start: each.start, end: each.end, rule: each.rule },
      ...each.attempts.map((attempt) => ({ depth: 1, attempt, start: each.start, end: attempt.end, rule: attempt.rule, choice: each })),
    ]);
    pane.replaceChildren(
      el("p", {}, `The string matches ${outcome.rule}: see the Tree tab.`),
      rows.length
        ? el("p", {}, "These earlier alternatives matched only a part:")
        : el("p", { class: "soft" }, "No earlier alternative matched any character."),
    );
    if (rows.length) {
      pane.append(treeview({
        rows, label: "Earlier alternatives", pointed: (row) => page.point(row),
        draw: ({ choice, attempt }) => attempt
          ? [el("code", { class: "name" }, attempt.rule),
             ` matched ${quoted(points.slice(choice.start, attempt.end).join(""), 40)}`,
             el("span", { class: "soft" }, attempt.complete
               ? attempt.end === choice.end ? ", but the rest does not match" : `, but ${quoted(points.slice(attempt.end, choice.end).join(""), 30)} is unread`
               : ", but expected more")]
          : [el("code", { class: "name" }, choice.rule), " is ", el("code", { class: "name" }, choice.taken),
             ` ${quoted(points.slice(choice.start, choice.end).join(""), 40)}`],
      }));
    }
    return;
  }
  const { rejection, attempts } = outcome;
  const head = [el("p", { class: "problem" }, `${rejection.message} `, el("code", {}, rejection.code))];
  if (rejection.section) head.push(el("p", { class: "soft" }, `Section ${rejection.section} of the specification.`));
  if (rejection.suggestion !== null) {
    head.push(el("p", {}, "Did you mean ", el("button", {
      type: "button", class: "string", onclick: () => page.setString(rejection.suggestion),
    }, quoted(rejection.suggestion))));
  }
  if (attempts.problem) {
    pane.replaceChildren(...head, el("p", { class: "soft" }, `Cannot show the attempts: ${attempts.problem}.`));
    return;
  }
  const rows = attempts.attempts;
  const far = rows[0].end;
  pane.replaceChildren(
    ...head,
    el("p", { class: "soft" }, `Every way to parse the string, up to the character where it fails (${plural(rows.length, "attempt")}). `
      + `The furthest attempt ends at offset ${far}.`),
    treeview({
      rows, label: "Attempts", pointed: (row) => page.point(row),
      opened: (row) => row.furthest && row.end === far && row.depth < 30,
      draw: (row) => line(row, points),
    }),
  );
}
