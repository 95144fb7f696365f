// The places of cells, { matrix, row, column }, and their addresses: "w_q,0,1".

/** @import { Place } from "./types.js" */

// The place of the cell that an element of the page is.
/** @param {EventTarget | null} element @returns {Place | null} */
export function placeOf(element) {
  const text = element instanceof HTMLElement ? element.dataset.at : "";
  if (!text) return null;
  const [matrix, row, column] = text.split(",");
  return { matrix, row: Number(row), column: Number(column) };
}

/** @param {Place | null} place */
export function addressOf(place) {
  return place ? `${place.matrix},${place.row},${place.column}` : "";
}
