// A tree for mouse and keyboard (WAI-ARIA's tree pattern). Only open parts are created.
import { el } from "./text.js";

const OPEN = 300; // maximum rows of a tree that is initially open
const OPEN_LEVELS = 3; // for larger trees
const INDENTED = 40; // levels; deeper ones are numbered

// `rows` are in preorder, each with `depth`. `draw(row)` returns the content of a row. `opened(row)` says whether it
// is initially open (default: by size). `pointed(row)` is called with the highlighted row, or null.
export function treeview({ rows, label, draw, opened = null, pointed = () => {} }) {
  const below = rows.map(() => []);
  const path = [];
  const tops = [];
  rows.forEach((row, index) => {
    path.length = row.depth;
    (path.length ? below[path[path.length - 1]] : tops).push(index);
    path.push(index);
  });
  const initially = opened ?? ((row) => rows.length <= OPEN || row.depth < OPEN_LEVELS);
  const items = new Map();
  const root = el("ul", { role: "tree", class: "outline", "aria-label": label });

  function item(index, place, count) {
    const row = rows[index];
    const open = below[index].length ? initially(row) : null;
    const made = el("li", {
      role: "treeitem", tabindex: "-1", "aria-level": row.depth + 1, "aria-posinset": place + 1,
      "aria-setsize": count, "aria-expanded": open === null ? null : String(open),
    });
    const line = el("div", { class: "line" });
    if (below[index].length) line.append(el("span", { class: "twist", "aria-hidden": "true" }));
    if (row.depth > INDENTED) line.append(el("span", { class: "soft" }, `level ${row.depth} `));
    line.append(...draw(row));
    made.append(line);
    made.dataset.index = index;
    items.set(index, made);
    if (open) fill(index);
    return made;
  }

  function fill(index) {
    const made = items.get(index);
    if (made.querySelector(":scope > ul")) return;
    const flat = rows[index].depth >= INDENTED ? "flat" : null;
    made.append(el("ul", { role: "group", class: flat }, ...below[index].map((each, n) => item(each, n, below[index].length))));
  }

  function toggle(index, open) {
    if (!below[index].length) return;
    if (open) fill(index);
    items.get(index).setAttribute("aria-expanded", String(open));
  }

  const indexOf = (node) => {
    const found = node?.closest?.("[role=treeitem]");
    return found ? Number(found.dataset.index) : null;
  };
  const isOpen = (index) => items.get(index).getAttribute("aria-expanded") === "true";

  function focus(index) {
    root.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    items.get(index).setAttribute("tabindex", "0");
    items.get(index).focus();
  }

  // The visible items, in order.
  const seen = () => [...root.querySelectorAll("[role=treeitem]")].filter((each) => each.offsetParent !== null);

  root.addEventListener("keydown", (event) => {
    const index = indexOf(event.target);
    if (index === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const visible = seen();
    const at = visible.indexOf(items.get(index));
    const parent = indexOf(items.get(index).parentElement);
    const to = (node) => node && focus(Number(node.dataset.index));
    switch (event.key) {
      case "ArrowDown": to(visible[at + 1]); break;
      case "ArrowUp": to(visible[at - 1]); break;
      case "Home": to(visible[0]); break;
      case "End": to(visible.at(-1)); break;
      case "ArrowRight":
        if (below[index].length && !isOpen(index)) toggle(index, true);
        else if (below[index].length) to(items.get(below[index][0]));
        break;
      case "ArrowLeft":
        if (below[index].length && isOpen(index)) toggle(index, false);
        else if (parent !== null) focus(parent);
        break;
      case "Enter": case " ": toggle(index, !isOpen(index)); break;
      case "*": for (const each of below[parent ?? -1] ?? tops) toggle(each, true); break;
      default: return;
    }
    event.preventDefault();
  });
  root.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (index === null || !event.target.closest(".line")) return;
    if (event.target.closest("button")) return;
    toggle(index, !isOpen(index));
    focus(index);
  });
  const tell = (event) => {
    const index = indexOf(event.target);
    pointed(index === null ? null : rows[index]);
  };
  root.addEventListener("pointerover", tell);
  root.addEventListener("focusin", tell);
  root.addEventListener("pointerleave", () => pointed(null));
  root.addEventListener("focusout", () => pointed(null));

  root.append(...tops.map((each, n) => item(each, n, tops.length)));
  root.querySelector("[role=treeitem]")?.setAttribute("tabindex", "0");

  // Highlights rows, and returns their lines.
  root.mark = (wanted) => [...items].filter(([index, made]) => made.firstChild.classList.toggle("pointed", wanted(rows[index])))
    .map(([, made]) => made.firstChild);
  return root;
}
