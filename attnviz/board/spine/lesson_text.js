// The text of a lesson's step: in a column at the left of the inputs, or above the board if the page is too narrow. Its
// size follows from the layout and the number of letters, never from measured text.

import { button, make, setText, toggle } from "../cells/elements.js";
import { valueAt } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { mostRead } from "../values/most_read.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { filled, say } from "../../scripts/sentences.js";

// Lengths in pixels.
const NARROW = { page: 900, hall: 600 }; // narrower boards have no room for a column; `hall`: while presenting
const LEAST = 190; // the smallest width of the column
const MOST = 560; // its greatest width: longer lines are hard to read
const GAP = 24;
// Font sizes while presenting, where nothing scrolls: the largest that fits is taken, but none below SMALLEST.
const LETTERS = [17, 16, 15, 14, 13, 12, 11];
const SMALLEST = 13;
// On a page the font size is the same in each step, larger on a large screen; a text without room scrolls.
const ON_PAGE = { letters: 16, of: 1 / 85, most: 24 };
// Above a board without matrices, the text has one of these sizes, the largest that fits, and this share of the room.
const [ALONE, WITH_WORDS] = [[28, 26, 24, 22, 20, 18, ON_PAGE.letters], 0.9];
const LARGER = 2.2; // the greatest enlargement while presenting
const WIDE = 0.51; // ems: average width of a letter
const LINE = 1.4; // ems
const BETWEEN = 0.5; // lines, between paragraphs

/** The width kept free at the left of the matrices. @param {number} width @param {boolean} presents */
export function leftFor(width, presents) {
  return width < NARROW[presents ? "hall" : "page"] ? 0 : Math.max(LEAST + GAP, Math.min(MOST, 0.28 * width));
}

// The column's place at the left of the spine, the same in every step.
/** @param {Layout} layout @param {Room} room @returns {Rect | null} */
export function inColumn({ height }, { tells }) {
  return tells ? { x: -tells, y: GAP / 2, width: tells - GAP, height: height - GAP } : null;
}

// The largest font size with which the texts fit into a place, or the smallest one.
/** @param {string[]} texts @param {{ width: number, height: number }} place @param {number[]} sizes */
function letterIn(texts, { width, height }, sizes) {
  return sizes.find((each) => heightOf(texts, width, each) <= height) ?? sizes[sizes.length - 1];
}

/** @param {string[]} texts @param {number} width @param {number} size */
function heightOf(texts, width, size) {
  return linesOf(texts, width - GAP, size) * LINE * size;
}

/** @param {string[]} texts @param {number} width @param {number} size */
function linesOf(texts, width, size) {
  return texts.reduce((sum, text) => sum + Math.ceil((text.length * size * WIDE) / width) + BETWEEN, 0);
}

// Sentences of a step are filled with the board's own numbers, so that they follow a drag;
// attnviz/explanation/sentences.py fills the same sentences with torch's.

// A sentence with the current numbers.
/** @param {Trace} trace @param {Told} told @returns {string} */
export function toldOf(trace, told) {
  if ("reads" in told) {
    const tell = (/** @type {string} */ kind, /** @type {Record<string, string | number>} */ places) =>
      say(`summary.reads.${kind}`, places);
    return mostRead(trace, told.reads, tell, (token) => say("summary.named", { token }),
      (weight) => written(weight, trace.digits));
  }
  if ("pair" in told) {
    const [one, other] = told.pair.map((place) => numbersOf(trace, place));
    return toldOf(trace, one === other ? told.alike : told.differ);
  }
  const places = Object.entries(told.places)
    .map(([name, place]) => [name, typeof place === "object" ? numbersOf(trace, place) : place]);
  return filled(told.sentence, Object.fromEntries(places));
}

// A cell's number, or the first numbers of a row in brackets.
/** @param {Trace} trace @param {NumbersOf} place */
function numbersOf({ matrices, digits }, { matrix, row, column }) {
  const of = matrices[matrix];
  const write = (/** @type {number} */ at) => written(valueAt(of, row, at), digits);
  if (column !== null) return write(column);
  const shown = Array.from({ length: Math.min(CONSTANTS.TOLD, of.columns) }, (_, at) => write(at));
  return `(${[...shown, ...(of.columns > shown.length ? ["…"] : [])].join(", ")})`;
}

export class LessonText {
  /** @param {Pick<Board, "assembly" | "data" | "host" | "layout" | "trace" | "picking" | "pointing" | "settled"
   *  | "story">} board */
  constructor(board) {
    this.board = board;
    this.about = make("p", "about");
    this.outcome = make("div", "outcome", [], { role: "status" }); // the prediction, and what happened
    this.element = make("div", "telling");
    this.after = make("div", "telling above"); // the rest of the text, below a story
    this.above = false; // whether the text stands above the board
    this.built = "";
  }

  get sentences() {
    const { data, trace } = this.board;
    return (data.tells?.sentences ?? []).map((told) => toldOf(trace, told));
  }

  // All texts, to estimate their length.
  get texts() {
    const { tells } = this.board.data;
    if (!tells) return [];
    const { outcome, see, analogy, about } = tells;
    return [...outcome, see?.title ?? "", ...this.sentences, analogy, about].filter(Boolean);
  }

  // The text's height above the board.
  /** @param {number} width @param {number} high pixels for text and board together @returns {number} */
  heightAbove(width, high) {
    const { texts } = this;
    const letters = this.lettersAbove(width, high);
    return texts.length ? Math.ceil(linesOf(texts, width, letters) * LINE * letters) + GAP : 0;
  }

  // The font size above the board: larger while presenting, if the board has no matrices and so leaves room.
  /** @param {number} width @param {number} high */
  lettersAbove(width, high) {
    const { tells, shown } = this.board.data;
    if (!tells?.presents || shown.length) return ON_PAGE.letters;
    return letterIn(this.texts, { width, height: WITH_WORDS * high }, ALONE);
  }

  // Place the text, after the board is laid out.
  build(/** @type {Room} */ room) {
    const { board, element } = this;
    const { tells } = board.data;
    element.hidden = !tells;
    const [first, after] = this.paragraphs();
    if (!tells) return;
    element.replaceChildren(...first, ...after);
    const alone = tells.presents && !board.layout.columns.length; // a sentence without matrices leaves no column
    const place = alone ? null : inColumn(board.layout, room);
    if (tells.presents) leavePressed();
    // While presenting nothing scrolls: if not all fits, only the outcome of the prediction shows.
    const fits = !tells.presents || !tells.outcome.length || (place
      && heightOf(this.texts, place.width, SMALLEST) <= place.height);
    if (!fits) for (const each of first.slice(1)) each.hidden = true;
    // Leave out the analogy if the text would have to scroll for it.
    const likened = element.querySelector(".analogy");
    const smallest = tells.presents ? SMALLEST : ON_PAGE.letters;
    if (place && likened && heightOf(this.texts, place.width, smallest) > 1.1 * place.height) likened.remove();
    const { top, height: foot } = board.host.room();
    const high = (foot - top) / (room.zoom ?? 1);
    this.above = !place;
    toggle(element, "above", this.above);
    Object.assign(element.style, place ? this.beside(place) : { left: "", top: "", maxHeight: "",
      width: `${room.width}px`, height: `${this.heightAbove(room.width, high)}px`, fontSize: "" });
    if (alone) element.style.setProperty("--told", `${this.lettersAbove(room.width, high)}px`);
    else element.style.removeProperty("--told");
    this.show();
  }

  // The paragraphs of the text: those to read first, and the analogy and where the numbers are from.
  paragraphs() {
    const { tells } = this.board.data;
    this.built = JSON.stringify(tells ?? null);
    if (!tells) return [[], []];
    const { outcome, sentences, analogy, about } = tells;
    this.outcome.replaceChildren(...this.outcomeOf(tells));
    this.about.textContent = about;
    return [
      [...(outcome.length ? [this.outcome] : []), ...sentences.map(() => make("p"))],
      [...(analogy ? [make("p", "analogy", [analogy])] : []), ...(about ? [this.about] : [])],
    ];
  }

  // Place the first paragraphs above a story, and the rest below it.
  buildAroundStory() {
    const { element, after } = this;
    const [first, rest] = this.paragraphs();
    if (!this.board.data.tells) return;
    this.above = true;
    element.hidden = false;
    element.className = "telling above";
    element.removeAttribute("style");
    element.replaceChildren(...first);
    after.replaceChildren(...rest);
    this.show();
  }

  // The prediction and what happened, with a button that leads to where a wrong prediction fails.
  outcomeOf(/** @type {Tells} */ { outcome, see }) {
    const told = outcome.map((each) => make("p", "", [each]));
    if (!see) return told;
    const { picking, pointing } = this.board;
    const { token, place } = see;
    return [...told, button("see", see.title,
      () => (token === undefined ? pointing.pin(place ?? null) : picking.pick(token)))];
  }

  // The styles of the column. Its top is fixed, so that it doesn't move when numbers get longer.
  beside(/** @type {Rect} */ place) {
    const { assembly: { room }, data, layout: { scale } } = this.board;
    const { letters, of, most } = ON_PAGE;
    const sizes = data.tells?.presents
      ? LETTERS.map((each) => each * Math.min(LARGER, scale)).filter((each) => each >= SMALLEST)
      : [Math.min(most, Math.max(letters, room.width * of)), letters];
    const size = letterIn(this.texts, place, sizes);
    return { left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px`, height: "",
      maxHeight: `${place.height}px`, fontSize: `${size}px` };
  }

  show() {
    const { board, element } = this;
    if (!board.data.tells) return;
    if (JSON.stringify(board.data.tells) !== this.built)
      return board.story.isShown ? this.buildAroundStory() : this.build(board.assembly.room);
    const paragraphs = element.querySelectorAll(":scope > p");
    this.sentences.forEach((sentence, at) => setText(paragraphs[at], sentence));
    // hidden while numbers change, which may make it untrue
    for (const each of [this.about, this.outcome]) toggle(each, "hidden", !board.settled);
  }
}

// Take the focus from a button that was pressed with the mouse, or the next key press would show a ring around it to
// the whole lecture room.
function leavePressed() {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement.closest(".stButton")
    && !activeElement.matches(":focus-visible")) activeElement.blur();
}
