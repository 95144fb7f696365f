// The story's recorded training: a slider through its moments, whose numbers the board shows.

import { percent } from "../../../board/values/numbers.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Training } from "./story_types.js" */

const [WIDTH, TOP, FOOT] = [300, 8, 64]; // pixels of the curve's picture: its width, and the heights of 100 % and 0 %
const FOUND = 0.9; // from this share on, the head has found the subject
const [PACE, SLOW_PACE] = [350, 900]; // ms between two moments; the second for readers who prefer reduced motion

export class Trained {
  place = "#model";
  /** @type {Training | null} */
  training = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  playing = undefined;
  at = 0;

  /** @param {{ height: number, bare(part: string[]): Tells | null, done(name: string): void }} telling */
  constructor(telling) {
    this.telling = telling;
    this.section = /** @type {HTMLElement} */ (document.querySelector("#training"));
    this.slider = /** @type {HTMLInputElement} */ (this.section.querySelector("input"));
    this.slider.oninput = () => {
      clearInterval(this.playing);
      this.turn(Number(this.slider.value));
    };
    const play = /** @type {HTMLButtonElement} */ (this.section.querySelector(".play"));
    play.onclick = () => this.play();
  }

  show() {
    const training = this.training ??= window.attnvizSite?.training ?? null;
    if (!training) return;
    const data = { ...training.board, tells: this.telling.bare(training.part) };
    if (!this.board) {
      const leads = { height: () => this.telling.height, onEvent() {} };
      const place = /** @type {HTMLElement} */ (document.querySelector(this.place));
      this.board = window.attnvizSiteBoard(place, data, { leads });
      /** @type {HTMLElement} */ (this.section.querySelector(".time")).hidden = false;
      this.slider.max = String(training.steps.length - 1);
      this.draw(training);
    } else this.board.show(data);
    this.turn(this.at);
  }

  // Show a moment on the board, and describe it in words.
  turn(/** @type {number} */ at) {
    const { board, training } = this;
    if (!training || !board) return;
    this.at = at;
    this.slider.value = String(at);
    board.intake.turnTo({ key: board.data.key, step: training.steps[at], matrices: matricesAt(training, at) });
    const { tokens } = training.board;
    const text = say("site.story.training.at", { step: training.steps[at], reader: tokens[training.reader],
      subject: tokens[training.subject], share: percent(training.reads[at]), right: percent(training.right[at]) });
    /** @type {HTMLElement} */ (this.section.querySelector(".at")).textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    const dot = this.section.querySelector("circle");
    dot?.setAttribute("cx", String(this.x(at)));
    dot?.setAttribute("cy", String(y(training.reads[at])));
    if (training.reads[at] > FOUND) this.telling.done("training");
  }

  get lines() {
    const { training } = this;
    const found = training?.reads.findIndex((share) => share > FOUND) ?? -1;
    if (!training || found < 0) return [];
    return [say("site.story.training.done", { step: training.steps[found], share: percent(FOUND) })];
  }

  play() {
    clearInterval(this.playing);
    let at = 0;
    const next = () => {
      this.turn(at);
      at += 1;
      if (at >= (this.training?.steps.length ?? 0)) clearInterval(this.playing);
    };
    next();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.playing = setInterval(next, calm ? SLOW_PACE : PACE);
  }

  x(/** @type {number} */ at) {
    return (at / Math.max(1, (this.training?.steps.length ?? 1) - 1)) * (WIDTH - 12) + 6;
  }

  draw(/** @type {Training} */ { reads }) {
    const points = reads.map((share, at) => `${this.x(at)},${y(share)}`).join(" ");
    /** @type {SVGElement} */ (this.section.querySelector("svg")).innerHTML =
      `<path d="M0 ${y(0)}H${WIDTH}M0 ${y(1)}H${WIDTH}"/><polyline points="${points}"/><circle r="6"/>`;
  }
}

/** @param {number} share */
function y(share) {
  return FOOT - (FOOT - TOP) * share;
}

/** @param {Training} training @param {number} at @returns {Matrices} */
function matricesAt({ shapes, numbers }, at) {
  let from = 0;
  return Object.fromEntries(shapes.map(([name, rows, columns]) => {
    const values = Float64Array.from(numbers[at].slice(from, from + rows * columns), Math.fround);
    from += rows * columns;
    return [name, { rows, columns, values }];
  }));
}
