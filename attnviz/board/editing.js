// Numbers that a hand changes: shown at once, by evaluating the table of stages, and told to Python once they are
// taken.

import { namedCell } from "./cells/cell.js";
import { make } from "./cells/elements.js";
import { placeInWords } from "./values/explain.js";
import { written } from "./values/numbers.js";
import { LONGEST_TYPED, readCell, readNumber, whyNoNumber } from "./values/typed_numbers.js";
import { say } from "../scripts/sentences.js";

export class Editing {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {number | null} */
    this.next = null; // the frame in which a change is drawn
  }

  // Show what a cell's new number does to every matrix, with the next frame.
  /** @param {Place} place @param {number} value */
  change(place, value) {
    const { board } = this;
    if (!board.fits(place)) return;
    board.play.stop();
    if (board.drag && !board.base) {
      board.base = board.shown;
      board.held = this.place();
    }
    const { columns, values } = board.given[place.matrix];
    values[place.row * columns + place.column] = Math.fround(value);
    board.at = place;
    board.settled = false;
    this.next ??= requestAnimationFrame(() => {
      this.next = null;
      if (board.settled) return;
      board.display.showOwn(board.host.takes && !board.drag ? Infinity : undefined);
    });
  }

  // Where the spine is in the window, and how much larger than it is laid out.
  place() {
    const { board } = this;
    const { left, top, width } = board.spine.getBoundingClientRect();
    return width ? { left, top, by: width / board.spine.offsetWidth } : null; // a story has no spine
  }

  // Take a number into the hand, which is so far across the window, before anything changes.
  /** @param {Place & { value: number }} held @param {number} [x] */
  hold(held, x) {
    const { board } = this;
    board.undo.hide();
    board.pointing.calm = false;
    board.drag = held;
    board.ruler.hold(held, held.value, x === undefined ? null : x - board.spine.getBoundingClientRect().left);
    board.pointing.explain();
  }

  // Let go of a number: what is `taken` is an edit, unless it is as it was `before`.
  /** @param {Edit[]} taken @param {Edit[]} before */
  release(taken, before) {
    const { board } = this;
    const held = board.drag !== null;
    board.drag = null;
    if (taken.length) this.commit(taken);
    else if (held) for (const { value, ...place } of before) this.change(place, Number(value));
    if (held && !taken.length) board.intake.settle();
    board.base = null;
  }

  // Take edits, { matrix, row, column, value } with null for a cell that is to be reset. With `replaces`, those before
  // that still wait to be sent are on the way to these.
  /** @param {Edit[]} edits */
  commit(edits, replaces = false) {
    const { board } = this;
    edits = edits.map((edit) => this.withoutChange(edit));
    board.ruler.begun();
    board.panel.say("");
    board.undo.note(edits);
    board.sender.tellEdits(edits, replaces);
    for (const edit of edits) {
      const value = edit.value ?? board.uneditedAt(edit);
      if (Math.fround(value) !== board.givenAt(edit)) this.change(edit, value); // else it is shown, as after a drag
    }
    board.host.takes?.(edits);
    if (!board.settled) board.panel.report();
  }

  // A number that is as it was drawn is no edit.
  /** @param {Edit} edit @returns {Edit} */
  withoutChange(edit) {
    const { board } = this;
    return edit.value !== null && board.fits(edit)
      && Math.fround(edit.value) === Math.fround(board.uneditedAt(edit)) ? { ...edit, value: null } : edit;
  }

  reset(/** @type {Place} */ place) {
    this.commit([{ ...place, value: null }]);
  }
}

// The box over a cell, to type into.

// Open it with a text; what is left as it is `shown` edits nothing. It's told whether the box is open.
/** @param {Board} board @param {Place} place @param {string} text @param {string | null} shown
 *  @param {(open: boolean) => void} told */
export function openBox(board, place, text, shown, told) {
  const cell = board.grids.get(place.matrix)?.boxOf(place);
  if (!cell) return;
  const label = say("board.type.label", { where: placeInWords(board.made, place) });
  const input = make("input", "typed", [], { "aria-label": label });
  input.value = text; // as an attribute it would leave the caret in front of what is typed next
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
    const { intake } = board;
    setTimeout(() => intake.late && intake.receive(intake.late)); // after what was typed is taken
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

// A block of numbers from a spreadsheet, taken apart into cells.

// The cells of a pasted block that fall within so many rows and columns, line by line, and how many fall outside.
// What is outside is counted and never taken apart: a block may have megabytes.
/** @param {string} text @param {number} rows @param {number} columns */
export function blockIn(text, rows, columns) {
  if (isOneNumber(text)) return { lines: [[text.trim()]], outside: 0 };
  const tabbed = /[\t;]/.test(text);
  const separator = tabbed ? /[\t;]/g : hasDecimalCommas(text) ? /\s+/g : /[\s,]+/g;
  /** @type {string[][]} */
  const lines = [];
  let outside = 0;
  for (const line of linesOf(text)) {
    const trimmed = tabbed ? line : line.trim();
    const cells = lines.length < rows ? trimmed.split(separator, columns) : [];
    if (cells.length) lines.push(cells);
    outside += 1 - cells.length;
    while (separator.test(trimmed)) outside += 1;
  }
  return { lines, outside };
}

// A number alone is read as if it were typed, also where it has blanks or could mean two.
function isOneNumber(/** @type {string} */ text) {
  if (text.length > 2 * LONGEST_TYPED || /[\t;]/.test(text) || /\n/.test(text.trim())) return false;
  const { reason } = readNumber(text);
  return !reason || reason === "two_ways";
}

// Between blanks, as between tabs or semicolons, a comma is a decimal one; else it parts cells, as in CSV.
function hasDecimalCommas(/** @type {string} */ text) {
  for (const line of linesOf(text)) {
    if (line.includes(",") && (/,\s|\s,/.test(line) || !/\S\s+\S/.test(line))) return false;
  }
  return true;
}

// The lines of a text one by one, without the breaks at its end.
function* linesOf(/** @type {string} */ text) {
  let end = text.length;
  while ("\r\n".includes(text[end - 1] ?? " ")) end -= 1;
  for (let start = 0, stop; start <= end; start = stop + 1) {
    stop = text.indexOf("\n", start);
    if (stop < 0 || stop > end) stop = end;
    yield text.slice(start, stop < end && text[stop - 1] === "\r" ? stop - 1 : stop);
  }
}
