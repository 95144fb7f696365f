// Draws the boards of a page outside the app. The page contains, gzipped, the script that draws a board
// (board/in_page.js) and the data of each board. In a frame of the same origin, the frame becomes as high as its
// content.

import { run, unpackedText } from "./saving.js";
import { partOf } from "../scripts/parts.js";

const letters = ["14px", "bold 14px"].map((size) => document.fonts.load(`${size} "Attnviz Letters"`));
const [code] =
  await Promise.all([unpackedText(partOf(document, "#script")), ...letters].map((each) => each.catch(() => "")));
run(String(code));
for (const place of document.querySelectorAll(".drawn")) {
  const { data, asked, then, ...how } = JSON.parse(await unpackedText(partOf(place, "script")));
  if (!(place instanceof HTMLElement)) continue;
  if (asked) ask(place, asked, [data, then], how);
  else window.attnvizBoard(place, data, how);
}
new ResizeObserver(fitFrame).observe(document.body);

/**
 * A question before anything is answered, and the texts that follow each choice.
 * @typedef {{ about: string, title: string, first: string, act: string, asks: string, right: string,
 *   choices: [string, string][], told: Record<string, string[]> }} Asked
 */

// Asks for a prediction over a board, which is then replaced by the board that shows what happened.
/**
 * @param {HTMLElement} place @param {Asked} asked
 * @param {(BoardData | { tables: { light: string, dark: string } })[]} boards or tables, before and after it
 * @param {{ tells?: string, dark?: boolean | null }} how
 */
function ask(place, asked, [before, then], how) {
  /** @param {keyof HTMLElementTagNameMap} tag @param {string} textContent */
  const text = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
  const [said, first, next] = [text("section", ""), text("div", ""), text("div", "")];
  const buttons = asked.choices.map(([choice, label]) => {
    const button = text("button", label);
    button.onclick = () => tell(choice);
    return button;
  });
  said.append(text("h2", asked.title), text("p", asked.first), text("p", asked.act), text("p", asked.asks), ...buttons);
  place.append(said, first);
  const draw = (/** @type {HTMLElement} */ at, /** @type {typeof before} */ shown) => {
    if (!("tables" in shown)) return window.attnvizBoard(at, shown, how);
    const theme = how.dark ?? matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
    at.innerHTML = shown.tables[theme];
    return null;
  };
  const board = draw(first, before);
  const tell = (/** @type {string} */ choice) => {
    said.replaceChildren(text("h2", asked.title), ...[asked.act, ...asked.told[choice]].map((each) => text("p", each)));
    said.tabIndex = -1;
    said.focus();
    board?.end();
    first.replaceWith(next);
    draw(next, then);
    const detail = { about: asked.about, choice, right: choice === asked.right };
    if (how.tells && window.parent !== window) window.parent.postMessage({ attnviz: "predicted", detail }, how.tells);
  };
}

function fitFrame() {
  try {
    const frame = /** @type {HTMLElement | null} */ (window.frameElement);
    if (frame) frame.style.height = `${document.documentElement.offsetHeight}px`;
  } catch {
    // A frame of another origin keeps its height and scrolls.
  }
}
