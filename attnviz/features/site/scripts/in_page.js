// Draws the boards of a page of the site: each element `.drawn` holds the data of its board, and any question about it.

import { ask } from "../../../documents/asking.js";

// Many pages share the declarations of cells, so one file has them for all pages.
const declared = window.attnvizSite?.declared ?? [];

/** @param {any} data @returns {any} */
function inFull(data) {
  if (!data?.stages) return data;
  const stages = data.stages.map((/** @type {any} */ stage) => {
    const [how, settings] = declared[stage.declared];
    return { ...stage, declared: how, settings };
  });
  return { ...data, stages };
}

window.attnvizBoard = /** @type {typeof window.attnvizBoard} */ (window.attnvizSiteBoard);
const faces = ["14px", "bold 14px"].map((size) => document.fonts.load(`${size} "Attnviz Letters"`).catch(() => []));
Promise.all(faces).then(() => {
  for (const place of document.querySelectorAll(".drawn")) {
    if (!(place instanceof HTMLElement)) continue;
    const { data, asked, then } = JSON.parse(place.querySelector("script")?.textContent ?? "{}");
    // `then` has only the data that differ from the board before the answer
    const heading = place.closest(".document") ? "h2" : "h1";
    if (asked) ask(place, asked, [inFull(data), inFull({ ...data, ...then })], { heading });
    else window.attnvizBoard(place, inFull(data), {});
  }
});
