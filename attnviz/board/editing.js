// The reader's changes of numbers: shown at once, by evaluating the table of stages, and sent to Python once the reader
// has confirmed them.

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
    this.next = null; // the animation frame that will draw a change
  }

  // Change a number of an input, and show with the next frame what that does to every matrix.
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

  // The spine's place in the window, and its zoom.
  place() {
    const { board } = this;
    const { left, top, width } = board.spine.getBoundingClientRect();
    return width ? { left, top, by: width / board.spine.offsetWidth } : null; // a story has no spine
  }

  // Begin to drag a number, which hasn't changed yet; `x` is where the pointer is in the window.
  /** @param {Place & { value: number }} held @param {number} [x] */
  hold(held, x) {
    const { board } = this;
    board.undo.hide();
    board.pointing.calm = false;
    board.drag = held;
    board.ruler.hold(held, held.value, x === undefined ? null : x - board.spine.getBoundingClientRect().left);
    board.pointing.explain();
  }

  // End a drag. The edits that are `taken` are confirmed; without any, the numbers from `before` come back.
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

  // Confirm edits, { matrix, row, column, value }, where null resets a cell. With `replaces`, they take the place of
  // edits of the same cells that haven't been sent yet, such as those that a held key has just made.
  /** @param {Edit[]} edits */
  commit(edits, replaces = false) {
    const { board } = this;
    edits = edits.map((edit) => this.withoutChange(edit));
    board.ruler.begun();
    board.panel.say("");
    board.undo.note(edits);
    board.sender.sendEdits(edits, replaces);
    for (const edit of edits) {
      const value = edit.value ?? board.uneditedAt(edit);
      // else it's shown already, as after a drag
      if (Math.fround(value) !== board.givenAt(edit)) this.change(edit, value);
    }
    board.host.takes?.(edits);
    if (!board.settled) board.panel.report();
  }

  // Turn an edit into a reset if the cell gets its original number.
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

// The box over a cell that a number is typed into.

// Open the box with a text. If the text is still `shown` at the end, nothing is edited. `told` is called with true when
// the box opens, and with false when it closes.
/** @param {Board} board @param {Place} place @param {string} text @param {string | null} shown
 *  @param {(open: boolean) => void} told */
export function openBox(board, place, text, shown, told) {
  const cell = board.grids.get(place.matrix)?.boxOf(place);
  if (!cell) return;
  const label = say("board.type.label", { where: placeInWords(board.trace, place) });
  const input = make("input", "typed", [], { "aria-label": label });
  // set as an attribute, the text would leave the caret before what is typed next
  input.value = text;
  const { box, letters } = cell;
  const origin = board.root.getBoundingClientRect();
  // in a presentation, everything is drawn larger than it's laid out
  const zoom = origin.width / board.root.offsetWidth;
  input.style.left = `${(box.left - origin.left) / zoom}px`;
  input.style.top = `${(box.top - origin.top) / zoom}px`;
  input.style.height = `${box.height / zoom}px`;
  // The box is as large as its cell, and wider only for a longer text.
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
    setTimeout(() => intake.late && intake.receive(intake.late)); // once the typed number is taken
    input.remove();
    if (!leave) board.focus(place);
    if (!take || input.value === shown) return;
    const { value, reason = "" } = readCell(place.matrix, input.value, { blanks: true });
    if (value === undefined) board.panel.say(refusal(board, place, input.value, reason));
    else board.editing.commit([{ ...place, value }]);
  };
  input.onkeydown = (event) => {
    event.stopPropagation();
    if (event.isComposing) return; // Enter and Escape belong to the input method
    if (event.key === "Enter") end(true);
    if (event.key === "Escape") end(false);
  };
  // A pasted block goes to the cells instead: a box would join its lines to a number that nobody copied.
  input.onpaste = ({ clipboardData }) => {
    if (/[\t\n]/.test((clipboardData?.getData("text") ?? "").trim())) end(false);
  };
  input.onblur = () => end(true, true);
  board.root.append(input);
  input.focus();
  if (text.length > 1) input.select();
}

// Say why the text typed for a cell is no number, and that the cell keeps its own.
/** @param {Board} board @param {Place} place @param {string} text @param {string} reason */
export function refusal(board, place, text, reason) {
  const value = written(board.givenAt(place), board.data.digits);
  return say("typed.keeps", { why: whyNoNumber(text, reason), cell: namedCell(board, place), value });
}

// A block of numbers from a spreadsheet, split into cells.

// Return the cells of a pasted block that fall within so many rows and columns, line by line, and how many fall
// outside. Those outside are only counted, because a block may have megabytes.
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

// Whether a text is one number, which is then read as if it were typed, even with blanks or if it could mean two
// numbers.
function isOneNumber(/** @type {string} */ text) {
  if (text.length > 2 * LONGEST_TYPED || /[\t;]/.test(text) || /\n/.test(text.trim())) return false;
  const { reason } = readNumber(text);
  return !reason || reason === "two_ways";
}

// Whether a comma begins decimals: it does if cells are separated by blanks, tabs or semicolons; else it separates
// cells, as in CSV.
function hasDecimalCommas(/** @type {string} */ text) {
  for (const line of linesOf(text)) {
    if (line.includes(",") && (/,\s|\s,/.test(line) || !/\S\s+\S/.test(line))) return false;
  }
  return true;
}

// The lines of a text one by one, without line breaks at its end.
function* linesOf(/** @type {string} */ text) {
  let end = text.length;
  while ("\r\n".includes(text[end - 1] ?? " ")) end -= 1;
  for (let start = 0, stop; start <= end; start = stop + 1) {
    stop = text.indexOf("\n", start);
    if (stop < 0 || stop > end) stop = end;
    yield text.slice(start, stop < end && text[stop - 1] === "\r" ? stop - 1 : stop);
  }
}
