// Where what a step of the lesson tells stands: beside the words alone, as long as no matrix has been reached; then in one
// column at the right; or above the board, on a page with no room for that. From the layout and from how many letters
// there are, never from measured text.

import { make, setText, toggle } from "../cells/elements.js";
import { valueAt } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { mostRead } from "../values/reads_most.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { filled, say } from "../../scripts/sentences.js";

/** @import { Layout, TellingPlace, Room } from "./types.js" */
/** @import { Board } from "../board.js" */
/** @import { Made, NumbersOf, Told } from "../types.js" */

const NARROW = 700; // a page as wide has no room beside anything
const LEAST = 190;
const MOST = 560; // a line as long can still be read
const GAP = 24;
const TITLE = 22; // of what stands above it
const LETTERS = [17, 16, 15, 14, 13, 12, 11]; // the largest that fits ...
const SMALLEST = 13; // ... as it is on the page
const TOOLS = 7; // under what is done with the words
const EASE = 14; // beside the words ...
const CLOSER = 0.44; // ... where what is told has few letters that are wide
const LARGER = 2.2; // times at most, in a lecture room
const WIDE = 0.51; // of a letter's size, how wide one is
const LINE = 1.4;
const BETWEEN = 0.5; // lines, between paragraphs

/** So much of a page's width is left beside what is reached last. @param {number} width */
export function leftFor(width) {
  return Math.max(LEAST + GAP, Math.min(MOST, 0.28 * width));
}

// A column at the right, the same in every step, over nothing.
/** @param {Layout} layout @param {number} width @returns {TellingPlace | null} */
export function inColumn({ height }, width) {
  if (width < NARROW) return null;
  const wide = leftFor(width) - GAP;
  return { x: width - wide, y: GAP / 2, width: wide, height: height - GAP, last: false };
}

// Beside the words that end at `end`, over nothing that has its place below them: as wide as all that is left, or up to a
// matrix. Null where it has no room there in letters that can be read.
/** @param {Layout} layout @param {string[]} texts @param {number} end @param {number} width @returns {TellingPlace | null} */
function besideWords({ boxes, columns, scale, arcs, chips, shares }, texts, end, width) {
  if (!columns.length) return null;
  const x = end + GAP;
  const all = Object.values(boxes);
  const edges = [width, ...all.map((box) => box.x - GAP)].map((edge) => Math.min(MOST * Math.min(LARGER, scale), edge - x));
  const places = edges.filter((wide) => wide >= LEAST).map((wide) => {
    const free = all.filter((box) => box.x < x + wide && x < box.x + box.width).map(({ y }) => y - TITLE * scale);
    return { x, y: arcs + TOOLS * scale, width: wide, height: chips + shares + Math.max(0, Math.min(...free, ...(free.length ? [] : [0]))), last: false };
  });
  const sizes = lettersOf(scale).filter((size) => size >= EASE * Math.min(LARGER, scale));
  const found = sizes.map((size) => places.find((place) => heightOf(texts, place.width, size, CLOSER) <= place.height)).find(Boolean);
  // A low screen has a few pixels less than that: what is told there has the smallest letters, and nothing to spare.
  return found ?? places.find((place) => closely(texts, place.width, SMALLEST * scale) <= place.height) ?? null;
}

// The size of letters with which texts fit a place, and how high they then are.
/** @param {string[]} texts @param {{ width: number, height: number }} place @param {number} scale */
export function letterIn(texts, { width, height }, scale, byWords = false) {
  const sizes = lettersOf(scale);
  const size = sizes.find((each) => heightOf(texts, width, each, byWords ? CLOSER : WIDE) <= height) ?? sizes[sizes.length - 1];
  return { size, takes: Math.min(height, heightOf(texts, width, size)) };
}

/** @param {number} scale */
function lettersOf(scale) {
  return LETTERS.map((size) => size * Math.min(LARGER, scale)).filter((size) => size >= SMALLEST);
}

/** @param {string[]} texts @param {number} width @param {number} size */
function heightOf(texts, width, size, wide = WIDE) {
  return linesOf(texts, width - GAP, size, wide) * LINE * size;
}

// The same to the pixel: half a letter between paragraphs.
/** @param {string[]} texts @param {number} width @param {number} size */
function closely(texts, width, size) {
  return heightOf(texts, width, size, CLOSER) - BETWEEN * size * (LINE * texts.length - (texts.length - 1));
}

/** @param {string[]} texts @param {number} width */
function aboveAll(texts, width) {
  return texts.length ? Math.ceil(linesOf(texts, width, LETTERS[1]) * LINE * LETTERS[1]) + GAP : 0;
}

/** @param {string[]} texts @param {number} width @param {number} size */
function linesOf(texts, width, size, wide = WIDE) {
  return texts.reduce((sum, text) => sum + Math.ceil((text.length * size * wide) / width) + BETWEEN, 0);
}

// What a step of the lesson tells, beside the stage that is new in it: filled with the board's own numbers, so that it
// moves with them while one is dragged. attnviz/explanation/told.py fills the same sentences with torch's.

// A sentence with the numbers that stand there now.
/** @param {Made} made @param {Told} told @returns {string} */
export function toldOf(made, told) {
  if ("reads" in told) {
    const tell = (/** @type {string} */ kind, /** @type {Record<string, string | number>} */ places) => say(`summary.reads.${kind}`, places);
    return mostRead(made, told.reads, tell, (token) => say("summary.named", { token }), (weight) => written(weight, made.digits));
  }
  if ("pair" in told) {
    const [one, other] = told.pair.map((place) => numbersOf(made, place));
    return toldOf(made, one === other ? told.alike : told.differ);
  }
  const places = Object.entries(told.places).map(([name, place]) => [name, typeof place === "object" ? numbersOf(made, place) : place]);
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
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.about = make("p", "about");
    this.element = make("div", "telling");
    this.after = make("div", "telling above"); // what stands under a story
    this.above = false; // whether it stands above the board, and not beside its new stage ...
    this.byWords = false; // ... or beside the words, of which it speaks alone
    this.built = "";
  }

  get sentences() {
    const { data, made } = this.board;
    return (data.tells?.sentences ?? []).map((told) => toldOf(made, told));
  }

  // All that is written, for its length.
  get texts() {
    const { tells } = this.board.data;
    return tells ? [...this.sentences, ...[tells.analogy, tells.about].filter(Boolean)] : [];
  }

  // How much of the window it takes where it stands above the board.
  /** @param {number} width */
  heightAbove(width) {
    return aboveAll(this.texts, width);
  }

  // After everything has its place.
  /** @param {Room} room */
  build(room) {
    const { board, element } = this;
    const { tells, shown } = board.data;
    this.built = JSON.stringify(tells ?? null);
    element.hidden = !tells;
    if (!tells) return;
    const analogy = make("p", "analogy", [tells.analogy]);
    element.replaceChildren(...tells.sentences.map(() => make("p")), ...(tells.analogy ? [analogy] : []), ...(tells.about ? [this.about] : []));
    this.about.textContent = tells.about;
    if (tells.presents) leavePressed();
    const words = shown.length || board.strip.height ? null : besideWords(board.layout, this.texts, board.sentence.end, room.width);
    const place = words ?? inColumn(board.layout, room.width);
    this.byWords = words !== null;
    this.above = !place;
    toggle(element, "above", this.above);
    if (words) board.sentence.element.append(element);
    Object.assign(element.style, place ? this.beside(place) : aboveAt(room.width, this.heightAbove(room.width)));
    this.show();
  }

  // Around a story: what it is about stands over it, and what may be read afterwards under it.
  buildAroundStory() {
    const { board, element, after } = this;
    const { tells } = board.data;
    this.built = JSON.stringify(tells ?? null);
    if (!tells) return;
    this.above = true;
    element.hidden = false;
    element.className = "telling above";
    element.removeAttribute("style");
    element.replaceChildren(...tells.sentences.map(() => make("p")));
    after.replaceChildren(...(tells.analogy ? [make("p", "analogy", [tells.analogy])] : []), ...(tells.about ? [this.about] : []));
    this.about.textContent = tells.about;
    this.show();
  }

  // Its upper edge stands still, however long a number gets.
  /** @param {TellingPlace} place */
  beside(place) {
    const { scale } = this.board.layout;
    const { size, takes } = letterIn(this.texts, place, scale, this.byWords);
    const top = place.last ? place.y + place.height - takes : place.y;
    return { left: `${place.x}px`, top: `${top}px`, width: `${place.width}px`, height: "", maxHeight: `${place.y + place.height - top}px`, fontSize: `${size}px` };
  }

  show() {
    const { board, element } = this;
    if (!board.data.tells) return;
    if (JSON.stringify(board.data.tells) !== this.built) return board.story.told ? this.buildAroundStory() : this.build(board.assembly.room);
    this.sentences.forEach((sentence, at) => {
      const paragraph = element.children[at];
      setText(paragraph, sentence);
    });
    toggle(this.about, "hidden", !board.settled); // while a number changes it may no longer be so
  }
}

/** @param {number} width @param {number} height */
function aboveAt(width, height) {
  return { left: "", top: "", width: `${width}px`, height: `${height}px`, maxHeight: "", fontSize: "16px" };
}

// A lecture room sees no ring around a button that was pressed with the mouse, once a key leads on.
function leavePressed() {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && activeElement.closest(".stButton") && !activeElement.matches(":focus-visible")) activeElement.blur();
}
