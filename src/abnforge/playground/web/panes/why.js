// Why: of a string that is not derived the tree of attempts, of one that is what was tried before.
import { el, plural, quoted, visible } from "../text.js";
import { treeview } from "../treeview.js";

function stopped(row, points) {
  const found = row.end < points.length ? `"${visible(points[row.end])}"` : "the end";
  return row.expected ? `${row.expected} was expected, and here is ${found}` : `here is ${found}`;
}

function line(row, points) {
  const read = row.end > row.start ? `read ${quoted(points.slice(row.start, row.end).join(""), 40)}` : "read nothing";
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
    parts.push(el("span", { class: "reason" }, `, and ${quoted(points.slice(row.end).join(""), 30)} is left`));
  }
  return parts;
}

export function why(pane, page) {
  const { judged, string } = page;
  if (!judged) { pane.replaceChildren(el("p", { class: "soft" }, "There is no verdict yet.")); return; }
  const points = Array.from(string);
  if (judged.valid) {
    const rows = judged.tried.flatMap((each) => [
      { depth: 0, choice: each, start: each.start, end: each.end, rule: each.rule },
      ...each.attempts.map((attempt) => ({ depth: 1, attempt, start: each.start, end: attempt.end, rule: attempt.rule, choice: each })),
    ]);
    pane.replaceChildren(
      el("p", {}, `${judged.rule} derives the string: the tree says how.`),
      rows.length
        ? el("p", {}, "What stands before it in the grammar was tried first, and could not read all of it:")
        : el("p", { class: "soft" }, "No alternative that stands before those taken could read anything."),
    );
    if (rows.length) {
      pane.append(treeview({
        rows, label: "What was tried", pointed: (row) => page.point(row),
        draw: ({ choice, attempt }) => attempt
          ? [el("code", { class: "name" }, attempt.rule),
             ` read ${quoted(points.slice(choice.start, attempt.end).join(""), 40)}`,
             el("span", { class: "soft" }, attempt.complete
               ? attempt.end === choice.end ? ", and what follows does not fit" : `, and ${quoted(points.slice(attempt.end, choice.end).join(""), 30)} was left`
               : ", then more was needed")]
          : [el("code", { class: "name" }, choice.rule), " is ", el("code", { class: "name" }, choice.taken),
             ` ${quoted(points.slice(choice.start, choice.end).join(""), 40)}`],
      }));
    }
    return;
  }
  const { rejection, attempts } = judged;
  const head = [el("p", { class: "problem" }, `${rejection.message} `, el("code", {}, rejection.code))];
  if (rejection.section) head.push(el("p", { class: "soft" }, `Section ${rejection.section} of the specification.`));
  if (rejection.suggestion !== null) {
    head.push(el("p", {}, "Perhaps: ", el("button", {
      type: "button", class: "string", onclick: () => page.setString(rejection.suggestion),
    }, quoted(rejection.suggestion))));
  }
  if (attempts.problem) {
    pane.replaceChildren(...head, el("p", { class: "soft" }, `The attempts are not told: ${attempts.problem}.`));
    return;
  }
  const rows = attempts.attempts;
  const far = rows[0].end;
  pane.replaceChildren(
    ...head,
    el("p", { class: "soft" }, `Every way to read the string, down to the character where it ends (${plural(rows.length, "attempt")}). `
      + `The furthest ends at offset ${far}.`),
    treeview({
      rows, label: "Attempts", pointed: (row) => page.point(row),
      opened: (row) => row.furthest && row.end === far && row.depth < 30,
      draw: (row) => line(row, points),
    }),
  );
}
