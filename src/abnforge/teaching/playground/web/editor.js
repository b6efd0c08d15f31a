// An editor for ABNF: CodeMirror in a shadow root, where a strict policy allows its styles.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { places } from "./text.js";

const CORE = new Set("alpha bit char cr crlf ctl digit dquote hexdig htab lf lwsp octet sp vchar wsp".split(" "));

const ABNF = StreamLanguage.define({
  name: "abnf",
  startState: () => ({}),
  token(stream) {
    const start = stream.sol();
    if (stream.match(/^;@.*/)) return "meta";
    if (stream.match(/^;.*/)) return "comment";
    if (stream.match(/^(?:%[si])?"[^"]*"?/i)) return "string";
    if (stream.match(/^%[bdx][0-9a-f]+(?:(?:-[0-9a-f]+)|(?:\.[0-9a-f]+)*)/i)) return "number";
    if (stream.match(/^<[^>]*>?/)) return "quote";
    const name = stream.match(/^[a-z][a-z0-9-]*/i);
    if (name && start) return "definition";
    if (name) return CORE.has(name[0].toLowerCase()) ? "builtin" : "variableName";
    if (stream.match(/^=\/|^[=/]/)) return "operator";
    if (stream.match(/^\d*[*#]\d*|^\d+/)) return "atom";
    stream.next();
    return null;
  },
  tokenTable: { definition: tags.definition(tags.variableName), builtin: tags.standard(tags.variableName) },
  languageData: { commentTokens: { line: ";" }, wordChars: "-" },
});

const COLORS = HighlightStyle.define([
  { tag: tags.definition(tags.variableName), color: "var(--l0)", fontWeight: "600" },
  { tag: tags.standard(tags.variableName), color: "var(--l4)" },
  { tag: tags.variableName, color: "var(--ink)" },
  { tag: tags.string, color: "var(--l2)" },
  { tag: tags.number, color: "var(--l3)" },
  { tag: tags.atom, color: "var(--l1)" },
  { tag: tags.operator, color: "var(--l1)" },
  { tag: tags.quote, color: "var(--mark)", fontStyle: "italic" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.meta, color: "var(--l5)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--paper)", color: "var(--ink)", fontSize: "0.875rem" },
  "&.cm-focused": { outline: "2px solid var(--l0)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--shade)", color: "var(--soft)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--l0) 7%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "color-mix(in srgb, var(--l0) 25%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--l0)", color: "var(--paper)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--l0)", color: "var(--paper)" },
  ".cm-pointed": { backgroundColor: "color-mix(in srgb, var(--l3) 25%, transparent)" },
});

const point = StateEffect.define();
const pointed = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    let next = marks.map(change.changes);
    for (const effect of change.effects) if (effect.is(point)) next = effect.value;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const MARK = Decoration.mark({ class: "cm-pointed" });

// CodeMirror scrolls to a position after measuring its lines, and would scroll the page, too. Scrolls with this margin,
// which no other scroll has, only affect the editor.
const EDITOR_ONLY = 3;
const scrollsAlone = EditorView.scrollHandler.of((view, range, { yMargin }) => {
  if (yMargin !== EDITOR_ONLY) return false;
  const box = view.scrollDOM.getBoundingClientRect();
  const { node } = view.domAtPos(range.head);
  const line = (node.closest ? node : node.parentNode).closest(".cm-line").getBoundingClientRect();
  if (line.top < box.top || line.bottom > box.bottom) view.scrollDOM.scrollTop += line.top - box.top - EDITOR_ONLY;
  return true;
});

export class Editor {
  #setting = false; // true while a program changes the document
  #over = null; // offset under the pointer

  // `changed(text, own)` is called after each change (`own`: by the user), `moved(offset)` after each move of the cursor,
  // `rename()` for F2. `names(text, offset)` returns completions.
  constructor(host, { label, text = "", changed = () => {}, moved = () => {}, rename = null, names = null }) {
    const shadow = host.attachShadow({ mode: "open" });
    const keys = [...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap];
    if (rename) keys.unshift({ key: "F2", run: () => { rename(); return true; } });
    this.view = new EditorView({
      parent: shadow,
      root: shadow,
      doc: text,
      extensions: [
        lineNumbers(), lintGutter(), history(), drawSelection(), bracketMatching(), closeBrackets(),
        highlightActiveLine(), ABNF, syntaxHighlighting(COLORS), THEME, pointed, scrollsAlone,
        EditorState.tabSize.of(4),
        EditorView.lineWrapping,
        // The tab index allows scrolling a long document by keyboard.
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", tabindex: "0" }),
        autocompletion({ override: names ? [(context) => this.#names(context, names)] : [] }),
        keymap.of(keys),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(this.text, !this.#setting);
          if (update.selectionSet || update.docChanged) moved(this.offset);
        }),
        EditorView.domEventHandlers({
          pointermove: (event, view) => {
            const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
            if (at !== null && at !== this.#over) moved(places(this.text).point(this.#over = at));
          },
          pointerleave: () => { this.#over = null; moved(this.offset); },
        }),
      ],
    });
  }

  get text() { return this.view.state.doc.toString(); }

  set text(text) {
    if (text === this.text) return;
    this.#setting = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.#setting = false;
  }

  // The offset of the cursor in code points.
  get offset() { return places(this.text).point(this.view.state.selection.main.head); }

  focus() { this.view.focus(); }

  // Moves the cursor to an offset in code points.
  go(offset) {
    const anchor = Math.min(places(this.text).unit(offset), this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.focus();
  }

  // Marks spans, [start, end] in code points. The editor, but not the page, scrolls to the first one.
  point(ranges, show = false) {
    const { unit } = places(this.text);
    const end = this.view.state.doc.length;
    const found = ranges.map(([a, b]) => [Math.min(unit(a), end), Math.min(unit(b), end)]).filter(([a, b]) => b > a);
    found.sort(([a], [b]) => a - b);
    const effects = [point.of(Decoration.set(found.map(([a, b]) => MARK.range(a, b))))];
    if (show && found.length) effects.push(EditorView.scrollIntoView(found[0][0], { yMargin: EDITOR_ONLY }));
    this.view.dispatch({ effects });
  }

  // Shows findings, each with its fix to click.
  diagnose(findings) {
    const of = this.text;
    const { unit } = places(of);
    const end = this.view.state.doc.length;
    const told = findings.map((each) => {
      const from = Math.min(unit(each.start), end);
      return {
        from,
        to: Math.max(from, Math.min(unit(each.end), end)),
        severity: each.severity,
        source: each.code,
        message: each.fix && !each.edits.length ? `${each.message}\n${each.fix}` : each.message,
        actions: each.edits.length ? [{ name: "Fix", apply: () => this.edit(each.edits, of) }] : [],
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, told));
  }

  // Applies edits with offsets in code points to the document.
  edit(edits, of = this.text) {
    if (of !== this.text) return;
    const { unit } = places(this.text);
    this.view.dispatch({
      changes: edits.map((each) => ({ from: unit(each.start), to: unit(each.end), insert: each.text })),
    });
  }

  async #names(context, names) {
    const word = context.matchBefore(/[A-Za-z][A-Za-z0-9.-]*/);
    if (!word && !context.explicit) return null;
    const text = context.state.doc.toString();
    const found = await names(text, places(text).point(context.pos));
    return {
      from: word ? word.from : context.pos,
      options: found.map((each) => ({
        label: each.name,
        detail: each.kind === "rule" ? "" : each.kind,
        type: each.kind === "rule" ? "function" : "constant",
      })),
      validFor: /^[A-Za-z0-9.-]*$/,
    };
  }
}
