// Pictures: drawn in the page, and saved as SVG or PNG.
import { el } from "./text.js";

const SCALE = 2; // pixels of a PNG for each pixel of the picture
const MOST = 16_384; // pixels of an edge of a PNG, the limit of browsers

// A picture from Python with the style of the page. Its title becomes its label, since ids could occur twice in the page.
export function drawing(svg) {
  const picture = document.adoptNode(new DOMParser().parseFromString(svg, "text/html").querySelector("svg"));
  picture.setAttribute("aria-label", picture.querySelector("title")?.textContent ?? "");
  picture.removeAttribute("aria-labelledby");
  for (const each of picture.querySelectorAll("[id]")) each.removeAttribute("id");
  return picture;
}

async function png(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SCALE, MOST / Math.max(image.width, image.height));
  const canvas = el("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for a PNG"))), "image/png");
  });
}

export function download(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Buttons that save a picture, after other tools; `told` are the arguments of the call that returns it as a document.
export function saving(page, told, ...tools) {
  const problem = el("span", { class: "problem", role: "status" });
  const button = (name, convert) => el("button", { type: "button", onclick: async () => {
    problem.textContent = "";
    try {
      const { svg } = await page.ask("picture", { text: page.grammar, rule: page.rule, theme: "light", ...told });
      download(`${told.rule ?? page.rule}-${told.kind}.${name.toLowerCase()}`, await convert(svg));
    } catch (error) { problem.textContent = error.message; }
  } }, `Save ${name}`);
  return el("div", { class: "bar" }, ...tools, button("SVG", (svg) => new Blob([svg], { type: "image/svg+xml" })), button("PNG", png), problem);
}

export function figure(page, picture, label, told, ...tools) {
  return el("div", { class: "figure" }, saving(page, told, ...tools),
    el("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": label }, picture));
}
