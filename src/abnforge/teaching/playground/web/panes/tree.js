// The parse tree: a line for each rule, linked with the string and the grammar.
import { drawing, figure } from "../picture.js";
import { el, option, plural, quoted, sentence } from "../text.js";
import { treeview } from "../treeview.js";

const chosen = [0, 1]; // the numbers of the two drawn derivations of an ambiguous string

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

// The drawn tree; for an ambiguous string, two trees side by side.
async function drawn(page, count) {
  const figures = [];
  for (const [place, wanted] of (count > 1 ? chosen : [0]).entries()) {
    const number = Math.min(wanted, count - 1);
    const told = { ...page.question(), kind: "tree", number, full: Number(count > 1) };
    const { svg } = await page.ask("picture", told, `tree ${place}`);
    const choose = el("select", { "aria-label": `Derivation ${place ? "on the right" : "on the left"}`, onchange: async () => {
      chosen[place] = Number(choose.value);
      await page.redraw();
      document.querySelectorAll("#pane-tree select")[place]?.focus();
    } }, ...Array.from({ length: count }, (_, n) => option(String(n), `derivation ${n + 1}`, n === number)));
    figures.push(figure(page, drawing(svg), "Tree", told, ...(count > 1 ? [choose] : [])));
  }
  return figures;
}

// Links the boxes of a drawing with the lines of the outline: both have the same order.
function link(figure, boxes, view, page) {
  const groups = [...figure.querySelectorAll("svg > g")];
  const point = (event) => {
    const row = boxes[groups.indexOf(event.target.closest("g"))];
    page.point(row ? { ...row, rules: row.names } : null, (each) => each === row);
  };
  figure.querySelector("svg").addEventListener("pointerover", point);
  figure.querySelector("svg").addEventListener("pointerleave", () => page.point(null, () => false));
  page.marked = (wanted) => {
    view.mark(wanted);
    groups.forEach((each, n) => each.classList.toggle("pointed", wanted(boxes[n])));
  };
}

export async function tree(pane, page) {
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
    told.push(el("p", { class: "problem" }, `The string is ambiguous: it has ${many.said} derivations. The outline shows the first, which is preferred. `,
      el("button", { type: "button", onclick: () => page.show("derivation") }, "Show the steps")));
  }
  const number = many?.count ?? 1;
  let figures;
  try {
    figures = await drawn(page, number);
  } catch (error) {
    if (!error.code) return page.problem(pane, error);
    figures = [el("p", { class: "soft" }, sentence(error))];
  }
  const view = drawTree(judged.tree, string, page);
  pane.replaceChildren(...told, el("div", { class: "figures" }, ...(number === 1 ? [view, ...figures] : [...figures, view])));
  if (number === 1 && figures[0].querySelector("svg")) link(figures[0], boxes, view, page);
  return undefined;
}
