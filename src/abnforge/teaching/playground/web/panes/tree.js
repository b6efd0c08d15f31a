// The parse tree: a line for each rule, linked with the string and the grammar.
import { el, plural, quoted } from "../text.js";
import { treeview } from "../treeview.js";

export function drawTree(tree, string, page) {
  const points = Array.from(string);
  const view = treeview({
    rows: tree.boxes, label: "Parse tree",
    pointed: (row) => page.point(row && { ...row, rule: row.names[0], rules: row.names }, (each) => each === row),
    draw: (row) => {
      const names = row.names.flatMap((name, n) => [n ? " › " : "", el("b", { class: `n${row.layer}` }, name)]);
      if (row.times > 1) names.push(` ×${row.times}`);
      const text = row.leaf ? ` ${quoted(points.slice(row.start, row.end).join(""))}` : "";
      return [...names, el("span", { class: "string" }, text), el("span", { class: "soft" }, ` ${row.start}–${row.end}`)];
    },
  });
  page.marked = (wanted) => view.mark(wanted);
  return view;
}

export function tree(pane, page) {
  const { judged, string } = page;
  if (!judged?.valid) {
    pane.replaceChildren(el("p", { class: "soft" }, judged
      ? "No parse tree: the string does not match. See the Why tab."
      : "No parse tree yet."));
    return;
  }
  const { nodes, count, boxes } = judged.tree;
  const many = judged.derivations;
  const told = [el("p", { class: "soft" }, `${plural(nodes, "node")} in ${plural(count, "line")}; offsets in code points, from 0.`)];
  if (boxes.length < count) told.push(el("p", { class: "problem" }, `Only the first ${boxes.length.toLocaleString("en")} lines are shown.`));
  if (many !== null && many.count !== 1) {
    told.push(el("p", { class: "problem" }, `The string is ambiguous: it has ${many.said} derivations. This is the preferred one. `,
      el("button", { type: "button", onclick: () => page.show("derivation") }, "Show the others")));
  }
  pane.replaceChildren(...told, drawTree(judged.tree, string, page));
}
