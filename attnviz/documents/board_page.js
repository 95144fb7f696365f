// Draws the boards of a page outside the app. The page contains, gzipped, the script that draws a board
// (board/hosts/page.js) and the data of each board. In a frame of the same origin, the frame becomes as high as its
// content.

import { ask } from "./asking.js";
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

function fitFrame() {
  try {
    const frame = /** @type {HTMLElement | null} */ (window.frameElement);
    if (frame) frame.style.height = `${document.documentElement.offsetHeight}px`;
  } catch {
    // A frame of another origin keeps its height and scrolls.
  }
}
