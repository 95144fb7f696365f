// The places of cells, { matrix, row, column }, as the board has them, and their addresses: "w_q,0,1". Of one of several
// heads a place counts in its own columns; an element says in data-at where it is in the whole: "scores,head,row,column",
// and "w_q,0,3" for the cell of W_q that is the head's own w_q,0,1. So does what Python is told.

/** @import { Matrices, Place, Stage, Stages } from "./types.js" */

// What data-at says of a cell.
/** @param {Stage} stage @param {{ row: number, column: number }} cell */
export function atOf({ name, head, first, columns }, { row, column }) {
  const ofHead = head !== null && columns === "key" ? [head] : [];
  return [name, ...ofHead, row, column + first].join(",");
}

// The place of the cell that an element of the board is.
/** @param {EventTarget | null} element @param {Stages} stages @returns {Place | null} */
export function placeOf(element, stages) {
  const text = element instanceof HTMLElement ? element.dataset.at : "";
  if (!text) return null;
  const [matrix, ...numbers] = text.split(",");
  const [row, column] = numbers.slice(-2).map(Number);
  return { matrix, row, column: column - (stages.get(matrix)?.first ?? 0) };
}

/** @param {Place | null} place */
export function addressOf(place) {
  return place ? `${place.matrix},${place.row},${place.column}` : "";
}

// The cell of the whole that a place is.
/** @template {Place} P @param {Stages} stages @param {P} place @returns {P} */
export function ofWhole(stages, place) {
  const stage = stages.get(place.matrix);
  return { ...place, matrix: wholeName(stage), column: place.column + stage.first };
}

// The name that an edit has for the matrix of which one head of one layer has what this stage says.
/** @param {Stage} stage */
function wholeName({ name, layer }) {
  return layer ? `layers.${layer}.${baseOf(name)}` : baseOf(name);
}

// The name of a matrix without the path of its head.
/** @param {string} name */
export function baseOf(name) {
  return name.slice(name.lastIndexOf(".") + 1);
}
