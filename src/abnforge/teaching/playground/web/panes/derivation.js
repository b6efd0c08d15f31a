// The derivation step by step: forward, backward, or played; also other derivations of an ambiguous string.
import { el, option, quoted } from "../text.js";
import { drawTree } from "./tree.js";

const PACE = 1100; // ms per step
const MOST = 10; // derivations to choose from

let chosen = { order: "leftmost", number: 0 };
let timer = null;

function symbols(list, points, kind) {
  return list.map(([rule, start, end]) => rule === null
    ? el("span", { class: `string ${kind}` }, points.slice(start, end).join("") || "ε")
    : el("span", { class: `symbol ${kind}` }, rule));
}

const spaced = (parts) => parts.flatMap((part, n) => (n ? [" ", part] : [part]));

export async function derivation(pane, page) {
  clearInterval(timer);
  timer = null;
  const { judged, string } = page;
  if (!judged?.valid) {
    pane.replaceChildren(el("p", { class: "soft" }, judged ? "The string does not match, so a derivation does not exist; see the Why tab." : "No derivation yet."));
    return;
  }
  const many = Math.min(judged.derivations?.count ?? 1, MOST);
  chosen.number = Math.min(chosen.number, many - 1);
  let told;
  try {
    told = await page.ask("derivation", { ...page.question(), ...chosen });
  } catch (error) { page.problem(pane, error); return; }
  const points = Array.from(string);
  const { steps } = told;
  let at = 0;

  const form = el("p", { class: "form", "aria-live": "polite" });
  const rule = el("pre", { class: "definition" });
  const count = el("span", { class: "soft" });
  const button = (label, act) => el("button", { type: "button", onclick: act }, label);
  const first = button("First", () => go(0));
  const back = button("Back", () => go(at - 1));
  const play = button("Play", () => (timer ? pause() : playing()));
  const forward = button("Forward", () => go(at + 1));
  const last = button("Last", () => go(steps.length));

  function show() {
    const step = steps[at];
    count.textContent = `step ${at} of ${steps.length}${told.more ? " and more" : ""}`;
    for (const each of [first, back]) each.setAttribute("aria-disabled", String(at === 0));
    for (const each of [forward, last]) each.setAttribute("aria-disabled", String(at === steps.length));
    const cut = step?.hidden ? [el("span", { class: "soft" }, `${step.hidden} more`)] : [];
    if (step) {
      const marked = el("mark", {}, step.rule[0]);
      form.replaceChildren(...spaced([...symbols(step.before, points, ""), marked, ...symbols(step.after, points, ""), ...cut]));
      const by = step.by.length ? spaced(symbols(step.by, points, "new")) : ["nothing"];
      rule.replaceChildren(step.definition, "\n", el("span", { class: "soft" }, `next: replace ${step.rule[0]} with `), ...by);
      page.point({ start: step.rule[1], end: step.rule[2], rule: step.rule[0], rules: [step.rule[0]] });
    } else {
      form.replaceChildren(el("span", { class: "string" }, told.more ? "…" : quoted(string)));
      rule.replaceChildren(told.more ? "Further steps are not shown." : "All rules are replaced: the form is the string.");
      page.point(null);
    }
  }
  function go(to) { at = Math.max(0, Math.min(to, steps.length)); show(); if (at === steps.length) pause(); }
  function pause() { clearInterval(timer); timer = null; play.textContent = "Play"; }
  function playing() {
    if (at === steps.length) at = 0;
    play.textContent = "Pause";
    show();
    timer = setInterval(() => (pane.hidden || !pane.contains(play) ? pause() : go(at + 1)), PACE);
  }

  // Redraws the pane for another choice, and restores the focus.
  const again = async (label) => {
    await derivation(pane, page);
    pane.querySelector(`[aria-label="${label}"]`)?.focus();
  };
  const order = el("select", { "aria-label": "Order", onchange: () => { chosen.order = order.value; again("Order"); } },
    option("leftmost", "leftmost", chosen.order === "leftmost"), option("rightmost", "rightmost", chosen.order === "rightmost"));
  const bar = el("div", { class: "bar" }, first, back, play, forward, last, order, count);
  if (many > 1) {
    const which = el("select", { "aria-label": "Derivation", onchange: () => { chosen.number = Number(which.value); again("Derivation"); } },
      ...Array.from({ length: many }, (_, n) => option(String(n), `derivation ${n + 1} of ${judged.derivations.said}`, n === chosen.number)));
    bar.append(which);
  }
  pane.replaceChildren(bar, form, rule, el("h3", {}, many > 1 ? `Tree of derivation ${chosen.number + 1}` : "Parse tree"), drawTree(told.tree, string, page));
  show();
}
