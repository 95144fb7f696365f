// Draws the boards of a page of its own. Python writes into the page, gzipped, the script that draws one
// (board/in_page.js) and what each shows. In a frame of the same origin, the frame is made as high as what it holds.

import { run, unpackedText } from "./unpacked.js";
import { partOf } from "../scripts/parts.js";

const letters = ["14px", "bold 14px"].map((size) => document.fonts.load(`${size} "Attnviz Letters"`));
const [code] =
  await Promise.all([unpackedText(partOf(document, "#script")), ...letters].map((each) => each.catch(() => "")));
run(String(code));
for (const place of document.querySelectorAll(".drawn")) {
  const { data, ...how } = JSON.parse(await unpackedText(partOf(place, "script")));
  if (place instanceof HTMLElement) window.attnvizBoard(place, data, how);
}
new ResizeObserver(fitFrame).observe(document.body);

function fitFrame() {
  try {
    const frame = /** @type {HTMLElement | null} */ (window.frameElement);
    if (frame) frame.style.height = `${document.documentElement.offsetHeight}px`;
  } catch {
    // a frame of another origin keeps its height, and is scrolled
  }
}
