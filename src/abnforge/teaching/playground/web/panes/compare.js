// Two rules compared as sets of strings, with shortest strings that tell them apart.
import { el, option, quoted } from "../text.js";

export function compare(pane, page) {
  if (pane.dataset.for === page.grammar && pane.childElementCount) return;
  if (!page.loads || !page.rules.length) {
    pane.dataset.for = "";
    pane.replaceChildren(el("p", { class: "soft" }, "Fix the grammar's errors to compare rules."));
    return;
  }
  pane.dataset.for = page.grammar;
  const names = page.rules.map((each) => each.name);
  const second = names.includes(page.otherRule) ? page.otherRule : names.find((each) => each !== page.rule) ?? page.rule;
  const a = el("select", { id: "compare-a" }, ...names.map((each) => option(each, each, each === page.rule)));
  const b = el("select", { id: "compare-b" }, ...names.map((each) => option(each, each, each === second)));
  const other = el("textarea", { id: "compare-other", rows: "4", spellcheck: "false", class: "code" });
  other.value = page.other ?? "";
  other.addEventListener("input", () => { page.other = other.value; });
  const named = el("input", { id: "compare-named", class: "code", autocomplete: "off", spellcheck: "false" });
  named.value = page.other ? page.otherRule ?? "" : "";
  named.addEventListener("input", () => { page.otherRule = named.value; });
  const out = el("div", { role: "status", class: "result" });
  async function go() {
    const text = elsewhere.open && other.value.trim() ? other.value : null;
    page.otherRule = text ? named.value : b.value;
    const wanted = text ? { other: text, other_rule: named.value || firstRule(text) } : { other_rule: b.value };
    out.replaceChildren(el("p", { class: "soft" }, "Comparing…"));
    try {
      draw(await page.ask("compare", { text: page.grammar, rule: a.value, ...wanted }), out, page);
    } catch (error) { page.problem(out, error); }
  }
  const elsewhere = el("details", { open: Boolean(other.value) }, el("summary", {}, "with a rule of another grammar"),
      el("label", { for: "compare-other" }, "The other grammar"), other,
      el("div", { class: "bar" }, el("label", { for: "compare-named" }, "Rule of the other grammar (default: the first)"), named));
  const withB = el("label", { for: "compare-b" }, "with");
  const choose = () => { b.disabled = elsewhere.open; };
  elsewhere.addEventListener("toggle", choose);
  choose();
  pane.replaceChildren(
    el("div", { class: "bar" }, el("label", { for: "compare-a" }, "Compare"), a, withB, b,
      el("button", { type: "button", onclick: go }, "Compare")),
    elsewhere,
    out,
  );
}

const firstRule = (text) => /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*=/m.exec(text)?.[1] ?? "";

function draw(told, out, page) {
  const rows = told.witnesses.map((each) => el("li", {},
    el("button", { type: "button", class: "string", onclick: () => page.setString(each.text) }, quoted(each.text)),
    ` matches only ${each.derived_by}: `, el("span", { class: "soft" }, each.reason)));
  out.replaceChildren(el("p", { class: `relation ${told.relation}` }, el("b", {}, `${told.said}.`)), el("ul", { class: "strings" }, ...rows));
  if (told.common !== null && told.common !== undefined && told.relation !== "equal") {
    out.append(el("p", {}, "Both match ", el("span", { class: "string" }, quoted(told.common)), "."));
  }
  if (told.bound) out.append(el("p", { class: "soft" }, `Tried: ${told.bound}.`));
}
