// Animations that show where something went: the band and the ribbons when another token is picked, numbers and colours
// after a switch. Attributes, labels and `data-value` have their final values at once; only the looks move.

import { written } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";

export const PICKED_MS = 250;
export const PREVIEW_MS = { in: 90, out: 60 };
const BECOMES_MS = { all: 600, word: 70, number: 90 }; // duration, and delays from token to token, number to number
const COLOURS_MS = 200;
const NUMBERS_MS = 300;
const MOST_CELLS = 1500; // with more, frames would be dropped
const SAME = 2e-6; // share of the largest number; by less, torch and page may differ through rounding
const EASING = "cubic-bezier(0.3, 0, 0.2, 1)";

/** @typedef {{ cell: BoardCell, from: number, to: number, end: string, written: string }} Run a number that counts
 *  up */

// Whether the reader asked the system for less motion.
export function reducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export class Motion {
  /** @param {Pick<Board, "colours" | "data" | "digits" | "flow" | "frame" | "grids" | "limitOf" | "sentence"
   *  | "shown" | "story">} board */
  constructor(board) {
    this.board = board;
    /** @type {Run[]} */
    this.runs = [];
    /** @type {number | null} */
    this.frame = null;
    /** @type {Animation[]} */
    this.following = []; // running animations towards another token
  }

  // Draw another token's row, and animate its marks from their old places to the new ones.
  /** @param {() => void} draw @param {number} duration */
  follow(draw, duration) {
    if (reducedMotion()) return draw();
    const moving = this.moving();
    const before = moving.map(({ look }) => look());
    for (const animation of this.following) animation.cancel();
    this.following = [];
    draw();
    moving.forEach(({ element, look }, at) => {
      const after = look();
      if (JSON.stringify(before[at]) === JSON.stringify(after)) return;
      const frames =
        Object.fromEntries(Object.keys(after).map((property) => [property, [before[at][property], after[property]]]));
      this.following.push(element.animate(frames, { id: "follow", duration, easing: EASING }));
    });
  }

  // The elements that follow the picked token, each with a function that returns its looks.
  /** @returns {{ element: Element, look: () => Record<string, string> }[]} */
  moving() {
    const { frame, flow, sentence } = this.board;
    // Hundreds of ribbons would take longer to start than the animation lasts.
    const paths = sentence.paths.length > CONSTANTS.FITS ? [] : sentence.paths;
    const ribbons = paths.map(({ share }) => ({
      element: share,
      look: () => ribbonLook(share),
    }));
    const along = [frame.band, ...flow.alongs].map((element) => ({ element,
      look: () => ({ transform: element.style.transform || "none" }) }));
    return [...along, ...ribbons];
  }

  // In the lesson, tokens become rows and rows become numbers: animate the rows' names from the chips down, then the
  // numbers from their row's name. `before` is the number of matrices in the step before, null on a page just opened.
  becomes(/** @type {number | null} */ before) {
    const { board: { data, frame, grids, sentence } } = this;
    if (!data.tells || data.tells.presents || reducedMotion()) return;
    if (!data.shown.length) {
      for (const [at, name] of frame.names) {
        const [from, to] = [sentence.chips[at], name].map((each) => each.getBoundingClientRect());
        comes(name, `translate(${from.right - to.right}px, ${from.top - to.top}px)`, at * BECOMES_MS.word);
      }
    } else if (before === 0) {
      // after the grids have their cells
      requestAnimationFrame(() => grids.forEach((grid) => grid.cells.slice(0, MOST_CELLS).forEach((cell, at) => {
        const { columns } = this.board.shown[grid.stage.name];
        const [row, column] = [Math.floor(at / columns), at % columns];
        comes(cell, "translateX(-60px)", row * BECOMES_MS.word + column * BECOMES_MS.number);
      })));
    }
  }

  // Animate numbers and colours from their values in `before`. `instead` maps a matrix to the one that stood in its
  // place.
  /** @param {Matrices} before @param {Record<string, string>} instead */
  switched(before, instead = {}) {
    this.still();
    if (reducedMotion() || this.board.story.isShown) return; // a story shows bars and percentages
    const changed = [...this.board.grids.values()]
      .flatMap((grid) => this.changedIn(grid, before[instead[grid.stage.name] ?? grid.stage.name]));
    if (changed.length > MOST_CELLS) return;
    for (const { cell, from, to } of changed) cell.animate({ boxShadow: [filled(from), filled(to)] },
      { id: "switch", duration: COLOURS_MS });
    this.runs = changed.filter(({ run }) => run.end && /\d/.test(run.end)).map(({ run }) => run);
    if (this.runs.length) this.count(performance.now());
  }

  /** @param {Grid} grid @param {Matrix | undefined} before */
  changedIn({ stage, cells }, before) {
    const { board } = this;
    const after = board.shown[stage.name]; // missing on a rebuilt board while an edit waits
    if (!before || before.rows !== after?.rows || before.columns !== after.columns) return [];
    const { values } = after;
    const limit = board.limitOf(stage);
    return cells.flatMap((cell, at) => {
      const [from, to] = [before.values[at], values[at]];
      if (!Number.isFinite(from) || !Number.isFinite(to) || cell.masked || Math.abs(to - from) <= SAME * limit)
        return [];
      const paperOf = (/** @type {number} */ value) => board.colours.of(stage.role, value, limit)?.paper ?? "";
      const end = cell.text.data;
      return [{ cell, from: paperOf(from), to: paperOf(to), run: { cell, from, to, end, written: end } }];
    });
  }

  count(/** @type {number} */ start) {
    this.frame = requestAnimationFrame((now) => {
      const part = Math.max(0, Math.min(1, (now - start) / NUMBERS_MS));
      if (part === 1) return this.still();
      for (const run of this.runs) this.write(run,
        inBetween(run.from + (run.to - run.from) * part * (2 - part), this.board.digits));
      this.count(start);
    });
  }

  // Stop counting: give every number its final value.
  still() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    for (const run of this.runs) this.write(run, run.end);
    this.runs = [];
  }

  // Write a number on its way, unless something else has written into the cell meanwhile.
  /** @param {Run} run @param {string} text */
  write(run, text) {
    const { data } = run.cell.text;
    if (data !== run.written) return;
    if (data !== text) run.cell.text.data = text;
    run.written = text;
  }
}

/** @param {HTMLElement} element @param {string} from @param {number} delay */
function comes(element, from, delay) {
  element.animate({ transform: [from, "none"], opacity: [0, 1] },
    { id: "becomes", duration: BECOMES_MS.all, delay, easing: EASING, fill: "backwards" });
}

// A cell's colour as a shadow over its background, which isn't animated itself: Chromium animates backgrounds in its
// compositor, and version 156 crashed when the style of such a cell changed afterwards.
function filled(/** @type {string} */ colour) {
  return `inset 0 0 0 100px ${colour}`;
}

// A number on its way, without powers of ten, which would make small numbers jump.
/** @param {number} value @param {number} digits */
function inBetween(value, digits) {
  return Math.abs(value) < 0.1 ** digits ? written(0, digits) : written(value, digits);
}

/** @param {SVGPathElement} path @returns {Record<string, string>} */
function ribbonLook(path) {
  const d = path.getAttribute("d");
  return { d: d ? `path("${d}")` : "none", strokeWidth: `${path.getAttribute("stroke-width") ?? 0}px` };
}
