// The box over a cell, to type into.

import { namedCell } from "./cells/cell.js";
import { make } from "./cells/elements.js";
import { placeInWords } from "./values/explain.js";
import { written } from "./values/numbers.js";
import { readCell, whyNoNumber } from "./values/typed_numbers.js";
import { say } from "../scripts/sentences.js";

/** @import { Board } from "./board.js" */
/** @import { Place } from "./types.js" */

// Open it with a text; what is left as it is `shown` edits nothing. It's told whether the box is open.
/** @param {Board} board @param {Place} place @param {string} text @param {string | null} shown @param {(open: boolean) => void} told */
export function openBox(board, place, text, shown, told) {
  const cell = board.grids.get(place.matrix)?.boxOf(place);
  if (!cell) return;
  const input = make("input", "typed");
  input.value = text;
  input.setAttribute("aria-label", say("board.type.label", { where: placeInWords(board.made, place) }));
  const { box, letters } = cell;
  const origin = board.root.getBoundingClientRect();
  const zoom = origin.width / board.root.offsetWidth; // in a presentation all is drawn larger than it is laid out
  input.style.left = `${(box.left - origin.left) / zoom}px`;
  input.style.top = `${(box.top - origin.top) / zoom}px`;
  input.style.height = `${box.height / zoom}px`;
  // Its cell's own box, and more only for a text that is longer.
  const fit = () => (input.style.width = `max(${box.width / zoom}px, ${input.value.length}ch + 6px)`);
  fit();
  input.oninput = fit;
  input.style.fontSize = letters;
  let done = false;
  told(true);
  const end = (/** @type {boolean} */ take, leave = false) => {
    if (done) return;
    done = true;
    told(false);
    setTimeout(() => board.intake.catchUp()); // after what was typed is taken
    input.remove();
    if (!leave) board.focus(place);
    if (!take || input.value === shown) return;
    const { value, reason = "" } = readCell(place.matrix, input.value, { blanks: true });
    if (value === undefined) board.panel.say(refusal(board, place, input.value, reason));
    else board.editing.commit([{ ...place, value }]);
  };
  input.onkeydown = (event) => {
    event.stopPropagation();
    if (event.isComposing) return; // Enter takes what is composed, and Escape drops that alone
    if (event.key === "Enter") end(true);
    if (event.key === "Escape") end(false);
  };
  // A block has its own cells; a box would run its lines together, to a number that nobody copied.
  input.onpaste = ({ clipboardData }) => {
    if (/[\t\n]/.test((clipboardData?.getData("text") ?? "").trim())) end(false);
  };
  input.onblur = () => end(true, true);
  board.root.append(input);
  input.focus();
  if (text.length > 1) input.select();
}

// Why what was typed for a cell is no number of it.
/** @param {Board} board @param {Place} place @param {string} text @param {string} reason */
export function refusal(board, place, text, reason) {
  const value = written(board.givenAt(place), board.data.digits);
  return say("typed.keeps", { why: whyNoNumber(text, reason), cell: namedCell(board, place), value });
}
