// Constructions of courses on formal languages, as HTML of Python.
import built from "../page.json";
import { saving } from "../picture.js";
import { el, option } from "../text.js";

export async function constructions(pane, page) {
  if (!page.loads || !page.rule) {
    pane.replaceChildren(el("p", { class: "soft" }, "Fix the grammar's errors to see constructions."));
    return;
  }
  const names = Object.keys(built.constructions);
  const name = names.includes(page.construction) ? page.construction : names[0];
  let result;
  try {
    result = await page.ask("construction", { ...page.question(), name });
  } catch (error) { page.problem(pane, error); return; }
  const choose = el("select", { id: "construction", onchange: async () => {
    page.construction = choose.value;
    page.changed();
    await constructions(pane, page);
    pane.querySelector("select")?.focus();
  } }, ...names.map((each) => option(each, built.constructions[each], each === name)));
  const section = document.adoptNode(new DOMParser().parseFromString(result.html, "text/html").querySelector("section"));
  section.querySelector("h2").remove();
  for (const each of section.querySelectorAll(".drawing")) Object.assign(each, { tabIndex: 0, role: "region", ariaLabel: each.querySelector("title")?.textContent ?? "Table" });
  pane.replaceChildren(saving(page, { ...page.question(), kind: name }, el("label", { for: "construction" }, "Construction"), choose), section);
}
