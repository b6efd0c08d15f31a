// The rule in words: what is known of it, strings that it derives and that it just does not.
import { drawing, el, plural, quoted } from "../text.js";

const use = (text, page) => el("button", { type: "button", class: "string", onclick: () => page.setString(text) }, quoted(text));

function facts(told) {
  const found = [told.nullable ? "It derives the empty string." : "It does not derive the empty string."];
  if (told.first) found.push(`A string begins with ${told.first}.`);
  found.push(told.regular
    ? told.states === null ? "It is regular." : `It is regular, with ${plural(told.states, "state")}.`
    : "It is not known to be regular.");
  if (told.count !== null) {
    found.push(`${plural(told.count, "string has", "strings have")} at most eight characters; all in all there are ${told.finite ? "finitely" : "infinitely"} many.`);
  }
  return found.join(" ");
}

export async function rule(pane, page) {
  if (!page.loads || !page.rule) {
    pane.replaceChildren(el("p", { class: "soft" }, "A grammar without errors can be told in words."));
    return;
  }
  let told;
  try {
    told = await page.ask("about", { text: page.grammar, rule: page.rule });
  } catch (error) { page.problem(pane, error); return; }
  const list = (label, items) => [el("h3", {}, label), items.length ? el("ul", { class: "strings" }, ...items) : el("p", { class: "soft" }, "None is known.")];
  pane.replaceChildren(
    el("pre", { class: "definition" }, told.definition),
    el("p", {}, told.words),
    el("p", {}, facts(told)),
    ...list("Sentences", told.sentences.map((text) => el("li", {}, use(text, page)))),
    ...list("Near misses", told.misses.map((each) => el("li", {}, use(each.text, page), el("span", { class: "soft" }, ` ${each.reason}`)))),
  );
  if (told.automaton) {
    pane.append(el("h3", {}, "Its minimal automaton"),
      el("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": "Automaton" }, drawing(told.automaton)));
  }
}
