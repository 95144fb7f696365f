// Where what a step of the lesson tells stands: in one column at the left, before the inputs, or above the board, on a
// page with no room for that. From the layout and from how many letters there are, never from measured text.

import { button, make, setText, toggle } from "../cells/elements.js";
import { valueAt } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { mostRead } from "../values/reads.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { filled, say } from "../../scripts/sentences.js";

const NARROW = { page: 900, hall: 600 }; // one as wide has no room beside its numbers
const LEAST = 190;
const MOST = 560; // a line as long can still be read
const GAP = 24;
const LETTERS = [17, 16, 15, 14, 13, 12, 11]; // in a lecture room, where nothing is scrolled, the largest that fits ...
const SMALLEST = 13; // ... as it is on the screen
// On a page the same in each step: that of all texts, on a large screen larger, and what has no room is scrolled.
const ON_PAGE = { letters: 16, of: 1 / 85, most: 24 };
const [ALONE, WITH_WORDS] = [[28, 26, 24, 22, 20, 18, ON_PAGE.letters], 0.9]; // over words, and of their room
const LARGER = 2.2; // times at most, in a lecture room
const WIDE = 0.51; // of a letter's size, how wide one is
const LINE = 1.4;
const BETWEEN = 0.5; // lines, between paragraphs

/** So much of a page's width is left before the matrices. @param {number} width @param {boolean} presents */
export function leftFor(width, presents) {
  return width < NARROW[presents ? "hall" : "page"] ? 0 : Math.max(LEAST + GAP, Math.min(MOST, 0.28 * width));
}

// A column before the spine, the same in every step, over nothing.
/** @param {Layout} layout @param {Room} room @returns {Rect | null} */
export function inColumn({ height }, { tells }) {
  return tells ? { x: -tells, y: GAP / 2, width: tells - GAP, height: height - GAP } : null;
}

// The largest size of letters with which texts fit a place, or the smallest there is.
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

// What a step of the lesson tells, beside the stage that is new in it: filled with the board's own numbers, so that it
// moves with them while one is dragged. attnviz/explanation/sentences.py fills the same sentences with torch's.

// A sentence with the numbers that stand there now.
/** @param {Made} made @param {Told} told @returns {string} */
export function toldOf(made, told) {
  if ("reads" in told) {
    const tell = (/** @type {string} */ kind, /** @type {Record<string, string | number>} */ places) =>
      say(`summary.reads.${kind}`, places);
    return mostRead(made, told.reads, tell, (token) => say("summary.named", { token }),
      (weight) => written(weight, made.digits));
  }
  if ("pair" in told) {
    const [one, other] = told.pair.map((place) => numbersOf(made, place));
    return toldOf(made, one === other ? told.alike : told.differ);
  }
  const places = Object.entries(told.places)
    .map(([name, place]) => [name, typeof place === "object" ? numbersOf(made, place) : place]);
  return filled(told.sentence, Object.fromEntries(places));
}

// The number of a cell, or the first ones of a row in brackets.
/** @param {Made} made @param {NumbersOf} place */
function numbersOf({ matrices, digits }, { matrix, row, column }) {
  const of = matrices[matrix];
  const write = (/** @type {number} */ at) => written(valueAt(of, row, at), digits);
  if (column !== null) return write(column);
  const shown = Array.from({ length: Math.min(CONSTANTS.TOLD, of.columns) }, (_, at) => write(at));
  return `(${[...shown, ...(of.columns > shown.length ? ["…"] : [])].join(", ")})`;
}

export class Telling {
  /** @param {Pick<Board, "assembly" | "data" | "host" | "layout" | "made" | "picking" | "pointing" | "settled"
   *  | "story">} board */
  constructor(board) {
    this.board = board;
    this.about = make("p", "about");
    this.outcome = make("div", "outcome", [], { role: "status" }); // what was predicted beside what happened
    this.element = make("div", "telling");
    this.after = make("div", "telling above"); // what stands under a story
    this.above = false; // whether it stands above the board
    this.built = "";
  }

  get sentences() {
    const { data, made } = this.board;
    return (data.tells?.sentences ?? []).map((told) => toldOf(made, told));
  }

  // All that is written, for its length.
  get texts() {
    const { tells } = this.board.data;
    if (!tells) return [];
    const { outcome, see, analogy, about } = tells;
    return [...outcome, see?.title ?? "", ...this.sentences, analogy, about].filter(Boolean);
  }

  // How much of the window it takes where it stands above the board.
  /** @param {number} width @param {number} high pixels that there are with the board's @returns {number} */
  heightAbove(width, high) {
    const { texts } = this;
    const letters = this.lettersAbove(width, high);
    return texts.length ? Math.ceil(linesOf(texts, width, letters) * LINE * letters) + GAP : 0;
  }

  // How large its letters are there: where a lecture room has words alone, they share it with what is told.
  /** @param {number} width @param {number} high */
  lettersAbove(width, high) {
    const { tells, shown } = this.board.data;
    if (!tells?.presents || shown.length) return ON_PAGE.letters;
    return letterIn(this.texts, { width, height: WITH_WORDS * high }, ALONE);
  }

  // After everything has its place.
  build(/** @type {Room} */ room) {
    const { board, element } = this;
    const { tells } = board.data;
    element.hidden = !tells;
    const [first, after] = this.paragraphs();
    if (!tells) return;
    element.replaceChildren(...first, ...after);
    const alone = tells.presents && !board.layout.columns.length; // words have all of a hall's width
    const place = alone ? null : inColumn(board.layout, room);
    if (tells.presents) leavePressed();
    // In a hall nothing is scrolled: what became of the prediction has the room first.
    const fits = !tells.presents || !tells.outcome.length || (place
      && heightOf(this.texts, place.width, SMALLEST) <= place.height);
    if (!fits) for (const each of first.slice(1)) each.hidden = true;
    // On a page, what it's likened to isn't worth a scroll.
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

  // What is told, and what may be read afterwards.
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

  // Around a story: what it is about stands over it, and what may be read afterwards under it.
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

  // What was predicted beside what happened, with a way to where a wrong prediction fails, too.
  outcomeOf(/** @type {Tells} */ { outcome, see }) {
    const told = outcome.map((each) => make("p", "", [each]));
    if (!see) return told;
    const { picking, pointing } = this.board;
    const { token, place } = see;
    return [...told, button("see", see.title,
      () => (token === undefined ? pointing.pin(place ?? null) : picking.pick(token)))];
  }

  // Its upper edge stands still, however long a number gets.
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
      return board.story.told ? this.buildAroundStory() : this.build(board.assembly.room);
    const paragraphs = element.querySelectorAll(":scope > p");
    this.sentences.forEach((sentence, at) => setText(paragraphs[at], sentence));
    // while a number changes it may no longer be so
    for (const each of [this.about, this.outcome]) toggle(each, "hidden", !board.settled);
  }
}

// A lecture room sees no ring around a button that was pressed with the mouse, once a key leads on.
function leavePressed() {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement.closest(".stButton")
    && !activeElement.matches(":focus-visible")) activeElement.blur();
}
