// The rule in plain English, with facts, matches and near misses.
import { drawing, figure } from "../picture.js";
import { el, plural, quoted } from "../text.js";

const use = (text, page) => el("button", { type: "button", class: "string", onclick: () => page.setString(text) }, quoted(text));

function facts(result) {
  const found = [result.nullable ? "The rule matches the empty string." : "The rule does not match the empty string."];
  if (result.first) found.push(`A string starts with ${result.first}.`);
  found.push(result.regular
    ? result.states === null ? "The rule is regular." : `The rule is regular, with ${plural(result.states, "state")}.`
    : "The rule is not known to be regular.");
  if (result.count !== null) {
    found.push(`${plural(result.count, "string has", "strings have")} at most eight characters; the rule matches ${result.finite ? "finitely" : "infinitely"} many.`);
  }
  return found.join(" ");
}

export async function rule(pane, page) {
  if (!page.loads || !page.rule) {
    pane.replaceChildren(el("p", { class: "soft" }, "Fix the grammar's errors to see the rule in plain English."));
    return;
  }
  let result;
  try {
    result = await page.ask("about", { text: page.grammar, rule: page.rule });
  } catch (error) { page.problem(pane, error); return; }
  const list = (label, items) => [el("h3", {}, label), items.length ? el("ul", { class: "strings" }, ...items) : el("p", { class: "soft" }, "None found.")];
  pane.replaceChildren(
    el("pre", { class: "definition" }, result.definition),
    el("p", {}, result.words),
    el("p", {}, facts(result)),
    ...list("Matching strings", result.sentences.map((text) => el("li", {}, use(text, page)))),
    ...list("Near misses", result.misses.map((each) => el("li", {}, use(each.text, page), el("span", { class: "soft" }, ` ${each.reason}`)))),
  );
  if (result.automaton) {
    pane.append(el("h3", {}, "Minimal automaton"),
      figure(page, drawing(result.automaton), "Automaton", { kind: "automaton" }));
  }
}
