// Where one view cuts heads, rows belong to other tokens than their places say: the colour of each token, which its word,
// its name and the rows that are pieces of its own have.

import { ownerOf } from "./cell.js";
import { make } from "./elements.js";

/** @import { Stage } from "../types.js" */

const GOLDEN = 137.508; // degrees: tokens beside each other are far apart in hue

/** @param {number} token */
export function colourOf(token) {
  return `hsl(${Math.round((token * GOLDEN) % 360)} 70% 48%)`;
}

// Whether any matrix has rows of other tokens than their places say.
/** @param {Iterable<Pick<Stage, "rule">>} stages */
export function areMixed(stages) {
  return [...stages].some(({ rule }) => rule === "recut");
}

// Give an element the colour of a token.
/** @param {HTMLElement} element @param {number} token */
export function colourAs(element, token) {
  element.classList.add("owned");
  element.style.setProperty("--whose", colourOf(token));
}

// Give a cell the colour of the token that its row really belongs to.
/** @param {HTMLElement} cell @param {Stage} stage @param {number} row @param {number} rows @param {boolean} turned */
export function colourByOwner(cell, stage, row, rows, turned) {
  if (stage.rule !== "recut") return;
  colourAs(cell, ownerOf(stage, row, rows));
  if (turned) cell.classList.add("across");
}

// Where a matrix is pixels, the same as a stripe along its first cells; null where each row is in its place.
/** @param {Stage} stage @param {number} rows @param {boolean} turned */
export function stripeOfOwners(stage, rows, turned) {
  if (stage.rule !== "recut") return null;
  const canvas = make("canvas", `owners${turned ? " across" : ""}`);
  [canvas.width, canvas.height] = turned ? [rows, 1] : [1, rows];
  canvas.setAttribute("aria-hidden", "true");
  const context = canvas.getContext("2d");
  if (!context) return null;
  for (let row = 0; row < rows; row += 1) {
    context.fillStyle = colourOf(ownerOf(stage, row, rows));
    context.fillRect(turned ? row : 0, turned ? 0 : row, 1, 1);
  }
  return canvas;
}
