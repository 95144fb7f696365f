// Draws the figure of a page outside the app, fits it into the window and saves it. The page contains the figure's data
// and, gzipped, plotly.js.

import { run, save, unpackedText } from "./saving.js";
import { partOf } from "../scripts/parts.js";

const { figure, filename, spare } = JSON.parse(partOf(document, "#given").textContent ?? "");
const place = partOf(document, "#figure");
const frame = partOf(document, "#frame");
const face = partOf(document, "#letters").textContent;
const options = { displayModeBar: false, responsive: !figure.layout.width };
const ready = Promise.all([unpackedText(partOf(document, "#plotly")).then(run), lettersThere()])
  .then(() => Plotly.newPlot(place, figure.data, figure.layout, options))
  .then(makeRoom)
  .then(fit);
addEventListener("resize", () => ready.then(fit));

for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", async () => saveAs(await ready, button.dataset.format ?? ""));
}

// Waits for the font: a figure drawn before its font has loaded is measured in another one.
async function lettersThere() {
  if (!face) return;
  const { family } = figure.layout.font;
  await Promise.all([document.fonts.load(`11px ${family}`), document.fonts.load(`bold 13px ${family}`)]);
}

// Texts may be wider than estimated. This widens the margins, because whatever overflows would be cut off.
async function makeRoom(/** @type {Plot} */ plot) {
  const { width, margin } = plot._fullLayout;
  const { left } = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  const shown = texts.filter((text) => text.width > 0);
  const before = Math.ceil(Math.max(0, ...shown.map((text) => left - text.left)));
  const after = Math.ceil(Math.max(0, ...shown.map((text) => text.right + spare - left - width)));
  if (before + after > 0 && figure.layout.width) {
    const margins = { "margin.l": margin.l + before, "margin.r": margin.r + after };
    await Plotly.relayout(plot, { width: width + before + after, ...margins });
  }
  return plot;
}

// A figure that is wider than the window is shown smaller, as a whole; it is saved in its own size.
function fit(/** @type {Plot} */ plot) {
  const { width, height } = plot._fullLayout;
  const scale = figure.layout.width ? Math.min(1, frame.clientWidth / width) : 1;
  plot.style.transform = scale < 1 ? `scale(${scale})` : "";
  frame.style.height = `${Math.ceil(height * scale)}px`;
  return plot;
}

/** @param {Plot} plot @param {string} format */
async function saveAs(plot, format) {
  const { width, height } = plot._fullLayout;
  const svg = await Plotly.toImage(plot, { format: "svg", imageDataOnly: true, width, height });
  const picture = svg.replace(/<svg[^>]*>/, (start) => `${start}<style>${face}</style>`);
  return save(picture, width, height, filename, format);
}
