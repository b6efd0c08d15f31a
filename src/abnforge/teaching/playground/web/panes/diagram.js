// The railroad diagram of a rule, with the parts that the string uses.
import { drawing, figure } from "../picture.js";
import { el, option } from "../text.js";

let shown = null; // key of the rule whose diagram is shown; null for the start rule

export async function diagram(pane, page) {
  const names = page.rules.map((each) => each.name);
  if (!page.loads || !names.length) {
    pane.replaceChildren(el("p", { class: "soft" }, "Fix the grammar's errors to see diagrams."));
    return;
  }
  const key = shown ?? page.rule.toLowerCase();
  const name = names.find((each) => each.toLowerCase() === key) ?? (shown && !names.includes(shown) ? shown : page.rule);
  let result;
  const string = page.judged?.valid ? { string: page.string, start: page.rule } : {};
  try {
    result = await page.ask("diagram", { text: page.grammar, rule: name, ...string });
  } catch (error) { page.problem(pane, error); return; }
  const choose = el("select", { "aria-label": "Rule to draw", onchange: () => go(choose.value) },
    ...[...new Set([name, ...names])].map((each) => option(each, each, each === name)));
  const go = async (rule) => {
    shown = rule.toLowerCase();
    await diagram(pane, page);
    pane.querySelector("select")?.focus();
  };
  const svg = drawing(result.svg);
  svg.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    const to = decodeURIComponent((link.getAttribute("href") ?? link.getAttribute("xlink:href") ?? "").replace("#rule=", ""));
    if (to) go(to);
  });
  const note = result.problem ? `Cannot show the path of the string: ${result.problem}.`
    : result.path ? "The path of the string is highlighted." : "The path of a valid string is highlighted.";
  pane.replaceChildren(
    el("div", { class: "bar" }, choose, el("span", { class: "soft" }, note)),
    el("pre", { class: "definition" }, result.definition),
    figure(page, svg, "Railroad diagram", { kind: "diagram", rule: name }),
  );
}

export function forget() { shown = null; }
