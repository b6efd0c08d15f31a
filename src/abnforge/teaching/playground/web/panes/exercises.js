// Exercises: a task, hints in steps, an answer graded by the strings that it derives.
import built from "../page.json";
import { el, option, plural, quoted, sentence } from "../text.js";
import { Replaced } from "../client.js";
import { Editor } from "../editor.js";
import { save, saved } from "../state.js";

const LABELS = { accepted: "Wrongly accepts", refused: "Wrongly rejects" };
const SAID = { right: "Right", wrong: "Wrong", unreadable: "Not a grammar with that rule", undecided: "Undecided: the budget was exceeded" };

const PAUSE = 300; // ms without a keystroke before lint
const SHOWN = 5; // findings

// The page of the lesson has the address of the index with another name.
function lessonLink(task) {
  if (!task.page || !built.lessons) return [];
  const href = new URL(built.lessons.replace(/[^/]*?(\.\w+)?$/, `${task.page}$1`), location.href).href;
  return [el("p", {}, el("a", { href, target: "_blank", rel: "noopener" }, `Lesson: ${task.lesson}`))];
}

let timer = null;
let all = null;
let current = null;

export async function exercises(pane, page) {
  if (pane.childElementCount && current && (page.exercise ?? current) === current && !page.shared) return;
  try {
    all ??= await page.ask("exercises", {});
  } catch (error) { page.problem(pane, error); return; }
  const choose = el("select", { id: "exercise", onchange: () => show(choose.value) });
  page.shared = false;
  const done = new Set((saved("done") ?? "").split(" "));
  for (const lesson of new Set(all.map((each) => each.lesson))) {
    choose.append(el("optgroup", { label: lesson }, ...all.filter((each) => each.lesson === lesson)
      .map((each) => option(each.id, label(each, done)))));
  }
  const body = el("div", {});
  pane.replaceChildren(el("div", { class: "bar" }, el("label", { for: "exercise" }, "Exercise"), choose), body);

  function label(each, solved) { return `${solved.has(each.id) ? "✓ " : ""}${each.title} (level ${each.level})`; }

  function show(id) {
    if (id !== page.exercise) page.answer = null;
    clearTimeout(timer);
    const task = all.find((each) => each.id === id) ?? all[0];
    current = page.exercise = task.id;
    choose.value = task.id;
    save("exercise", task.id);
    const hints = el("ol", { class: "hints" });
    const out = el("div", { role: "status", class: "result" });
    const next = el("button", { type: "button", onclick: () => {
      hints.append(el("li", {}, task.hints[hints.childElementCount]));
      next.hidden = hints.childElementCount === task.hints.length;
    } }, "Hint");
    next.hidden = !task.hints.length;
    const host = el("div", { class: "editor small" });
    const samples = (head, texts) => texts.length
      ? el("p", {}, `${head}: `, ...texts.flatMap((text, n) => [n ? ", " : "", el("span", { class: "string" }, quoted(text))])) : null;
    const after = all[all.indexOf(task) + 1];
    const onward = el("button", { type: "button", hidden: !after, onclick: () => show(after.id) }, "Next exercise");
    const field = el("input", { id: "try", class: "code", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const outcome = el("span", { role: "status" });
    const check = el("button", { type: "button", class: "main", onclick: grade }, "Check");
    body.replaceChildren(
      el("h2", {}, task.title),
      el("p", {}, task.task),
      ...lessonLink(task),
      el("p", {}, "Define the rule ", el("code", {}, task.rule),
        task.imports.length ? `; you can use the rules of ${task.imports.join(", ")}.` : "."),
      ...[samples("Valid", task.valid), samples("Invalid", task.invalid)].filter(Boolean),
      host, el("ul", { class: "findings", "aria-label": "Findings about the answer" }),
      el("div", { class: "bar" }, el("label", { for: "try" }, "Try a string"), field, outcome),
      el("div", { class: "bar" }, check, next, onward), hints, out,
    );
    const findings = body.querySelector(".findings");
    const own = saved(`answer-${task.id}`);
    if (own && page.answer && own !== page.answer) save(`earlier-${task.id}`, own);
    const earlier = saved(`earlier-${task.id}`);
    const editor = new Editor(host, {
      label: `Answer to ${task.title}`,
      text: page.answer || own || `${task.rule} = `,
      changed: (text) => {
        out.replaceChildren(); // the grade of another answer
        save(`answer-${task.id}`, text);
        page.answer = text;
        clearTimeout(timer);
        timer = setTimeout(lint, PAUSE);
      },
    });
    page.answer = editor.text;
    if (earlier && earlier !== editor.text) {
      const note = el("p", { class: "problem" }, "The link replaced your answer. ", el("button", { type: "button", onclick: () => {
        save(`earlier-${task.id}`, "");
        editor.text = page.answer = earlier;
        save(`answer-${task.id}`, earlier);
        note.remove();
      } }, "Restore my answer"));
      host.before(note);
    }
    field.addEventListener("input", attempt);

    // Shows errors and warnings about an answer, and tries the string again.
    async function lint() {
      const text = editor.text;
      try {
        const found = await page.ask("grammar", { text }, "answer");
        if (text !== editor.text) return;
        editor.diagnose(found.findings);
        findings.replaceChildren(...found.findings.filter((each) => each.severity !== "info").slice(0, SHOWN)
          .map((each) => el("li", { class: each.severity }, `${each.line ? `line ${each.line}: ` : ""}${each.message}`)));
        if (field.value) await attempt();
      } catch (error) { page.problem(findings, error); }
    }

    async function attempt() {
      outcome.className = "";
      try {
        const told = await page.ask("string", { text: editor.text, rule: task.rule, string: field.value }, "try");
        outcome.className = told.valid ? "good" : "bad";
        outcome.textContent = told.valid ? "✓ valid" : `✗ not valid: ${told.rejection.message}`;
      } catch (error) { if (!(error instanceof Replaced)) outcome.textContent = sentence(error); }
    }

    async function grade() {
      check.setAttribute("aria-disabled", "true");
      out.replaceChildren(el("p", { class: "soft" }, "Grading…"));
      try {
        draw(await page.ask("grade", { exercise: task.id, text: editor.text }));
      } catch (error) { page.problem(out, error); }
      check.removeAttribute("aria-disabled");
    }

    function draw(told) {
      const head = el("p", { class: told.verdict === "right" ? "good" : "problem" }, el("b", {}, SAID[told.verdict]),
        told.verdict === "right" && told.bound ? " for all tried strings." : ".");
      const rows = [
        ...told.findings.map((each) => el("p", {}, `${each.line ? `Line ${each.line}: ` : ""}${each.message}`)),
        ...told.witnesses.map((each) => el("p", {}, `${LABELS[each.kind]} `, el("span", { class: "string" }, quoted(each.text)), `: ${each.reason}`)),
      ];
      if (told.mistake) rows.push(el("p", {}, `${told.recognized ? "Mistake" : "Probable mistake"}: ${told.mistake}`));
      rows.push(...told.style.map((each) => el("p", { class: "soft" }, `Style: ${each}`)));
      if (told.bound && told.verdict !== "wrong") rows.push(el("p", { class: "soft" }, `Tried: ${told.bound}`));
      out.replaceChildren(head, ...rows);
      if (told.verdict !== "right") return;
      done.add(task.id);
      save("done", [...done].join(" ").trim());
      choose.querySelector(`option[value="${task.id}"]`).textContent = label(task, done);
      const count = all.filter((each) => done.has(each.id)).length;
      out.append(el("p", { class: "soft" }, `${plural(count, "exercise")} of ${all.length} solved.`));
    }
  }
  show(page.exercise ?? saved("exercise") ?? all[0].id);
}
