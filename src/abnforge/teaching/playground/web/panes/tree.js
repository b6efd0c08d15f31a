// The parse tree: a line for each rule, linked with the string and the grammar.
import { drawing, figure } from "../picture.js";
import { el, option, plural, quoted, sentence } from "../text.js";
import { treeview } from "../treeview.js";

const chosen = [0, 1]; // the numbers of the two drawn derivations of an ambiguous string

// Whether a box shows a node of another box of the tree, or of another tree.
export const same = (row) => (each) => Boolean(row) && each.start === row.start && each.end === row.end
  && (each.names.length ? each.names.some((name) => row.names.includes(name)) : !row.names.length);

export function drawTree(tree, string, page) {
  const points = Array.from(string);
  const view = treeview({
    rows: tree.boxes, label: "Parse tree",
    pointed: (row) => page.point(row && { ...row, rule: row.names[0], rules: row.names }, same(row)),
    draw: (row) => {
      const names = row.names.flatMap((name, n) => [n ? " › " : "", el("b", { class: `n${row.layer}` }, name)]);
      if (row.times > 1) names.push(` ×${row.times}`);
      const text = row.leaf ? ` ${quoted(points.slice(row.start, row.end).join(""))}` : "";
      return [...names, el("span", { class: "string" }, text), el("span", { class: "soft" }, ` ${row.start}–${row.end}`)];
    },
  });
  page.marked = view.mark;
  return view;
}

// The drawn tree; for an ambiguous string, two trees side by side.
async function drawn(page, count) {
  const figures = [];
  for (const [place, wanted] of (count > 1 ? chosen : [0]).entries()) {
    const number = Math.min(wanted, count - 1);
    const told = { ...page.question(), kind: "tree", number, full: Number(count > 1) };
    const { svg, boxes } = await page.ask("picture", told, `tree ${place}`);
    const choose = el("select", { "aria-label": `Derivation ${place ? "on the right" : "on the left"}`, onchange: async () => {
      chosen[place] = Number(choose.value);
      await page.redraw();
      document.querySelectorAll("#pane-tree select")[place]?.focus();
    } }, ...Array.from({ length: count }, (_, n) => option(String(n), `derivation ${n + 1}`, n === number)));
    const made = figure(page, drawing(svg), "Tree", told, ...(count > 1 ? [choose] : []));
    figures.push(Object.assign(made, { mark: link(made.querySelector("svg"), boxes, page) }));
  }
  return figures;
}

// Links the boxes of a drawing with the string and the grammar. The result highlights boxes, and returns them.
function link(svg, boxes, page) {
  const groups = [...svg.querySelectorAll(":scope > g")];
  const point = (row) => page.point(row && { ...row, rules: row.names }, same(row));
  svg.addEventListener("pointerover", (event) => point(boxes[groups.indexOf(event.target.closest("g"))] ?? null));
  svg.addEventListener("pointerleave", () => point(null));
  return (wanted) => groups.filter((each, n) => each.classList.toggle("pointed", wanted(boxes[n])));
}

// Scrolls a frame, but not the page, until a part of it is visible.
function reveal(frame, part) {
  const outer = frame.getBoundingClientRect();
  const inner = part.getBoundingClientRect();
  const beyond = (low, high, from, to) => Math.min(low - from, 0) || Math.max(high - to, 0);
  frame.scrollBy(beyond(inner.left, inner.right, outer.left, outer.right), beyond(inner.top, inner.bottom, outer.top, outer.bottom));
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
  page.marked = (wanted) => {
    for (const each of [view, ...figures]) {
      const [first] = each.mark?.(wanted) ?? [];
      if (first && !each.matches(":hover")) reveal(each.querySelector(".drawing") ?? each, first);
    }
  };
  return undefined;
}
