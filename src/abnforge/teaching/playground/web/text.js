// Converts offsets between code points (Python) and UTF-16 code units (the page); creates elements.

// Offsets of code points in code units. They are equal without surrogate pairs.
export function places(text) {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(text)) return { unit: (n) => n, point: (n) => n };
  const units = [];
  let at = 0;
  for (const char of text) { units.push(at); at += char.length; }
  units.push(at);
  const points = new Map(units.map((unit, point) => [unit, point]));
  return {
    unit: (n) => units[Math.min(n, units.length - 1)],
    point: (n) => points.get(n) ?? points.get(n - 1),
  };
}

const SHOWN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/;

// Makes a character visible: control and bidirectional characters become numbers.
export function visible(char) {
  const code = char.codePointAt(0);
  if (code === 0x7f) return "␡";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code <= 0xffff && SHOWN.test(char) ? `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>` : char;
}

export const shown = (text) => Array.from(text, visible).join("");

export function quoted(text, most = 60) {
  const chars = Array.from(text);
  const cut = chars.length > most ? [...chars.slice(0, most - 1), "…"] : chars;
  const mark = text.includes('"') && !text.includes("'") ? "'" : '"';
  return `${mark}${cut.map(visible).join("")}${mark}`;
}

// Creates an element with attributes, and with elements or strings as children.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function option(value, label, selected = false) {
  const made = el("option", { value }, label);
  made.selected = selected;
  return made;
}

// The message of an error.
export const sentence = (error) => `${error.message.replace(/[.?!]*$/, "")}${/[?!]$/.test(error.message) ? error.message.at(-1) : "."}`
  .replace(/^./u, (first) => first.toUpperCase());

export const plural = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
