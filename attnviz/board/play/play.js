// "Play this row": an animation of the computation of the picked token's row, phase by phase, slow enough to be read;
// with reduced motion, the reader steps through the phases. It can be paused, moved by arrow keys and set to any
// moment, and at its end the board looks as it did before.
//
// A step of the lesson plays a single phase: Python sends its matrix in `play`, and all earlier phases are shown as
// done. An event `attnviz:phase` reports each phase that begins.

import { button, make, setText, toggle } from "../cells/elements.js";
import { placeInWords } from "../values/explain.js";
import { written } from "../values/numbers.js";
import { Actors, Lights } from "./actors.js";
import { numbersFirst } from "../spine/hall.js";
import { reducedMotion } from "../spine/motion.js";
import { brokenIn, momentAt, numbersOf, phasesOf, playing, spanOf, standing } from "./timeline.js";
import { focusedBeside } from "../../scripts/parts.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

// The most milliseconds that one frame adds: with more, a play would jump ahead after its tab was hidden; with less, it
// would slow down on a busy page.
const LONGEST_FRAME = 250;

export class Play {
  /** @param {Pick<Board, "cellAt" | "colours" | "data" | "digits" | "display" | "flow" | "frame" | "grids" | "layout"
   *  | "limitOf" | "trace" | "panel" | "plane" | "planeOver" | "pointing" | "query" | "root" | "sentence" | "shown"
   *  | "stages" | "story" | "titles" | "valueAt">} board */
  constructor(board) {
    this.board = board;
    this.actors = new Actors(board);
    /** @type {Phase[]} */
    this.phases = [];
    /** @type {Moment | null} */
    this.moment = null; // null while nothing is animated
    this.active = false; // whether a play has begun and hasn't ended
    this.time = 0;
    this.span = spanOf([]); // start and end of the play
    /** @type {string | null} */
    this.part = null; // the matrix of the only phase to play; null for all phases
    /** @type {number | null} */
    this.frame = null;
    this.drawn = ""; // identifies the step whose cells are highlighted
    this.lights = new Lights(board);
    this.asked = 0; // the number of Python's last request to play a phase
    this.button = button("play", say("board.play.start"), () => this.press());
    this.back = button("back", say("board.play.back"), () => this.stepTo(this.step - 1));
    this.slider = make("input", "moment", [], { type: "range", step: "any", "aria-label": say("board.play.slider") });
    this.leave = button("leave", say("board.play.end"), () => this.stop());
    this.controls = make("div", "playback", [this.back, this.button, this.slider, this.leave]);
    this.prepare();
    this.showControls();
  }

  prepare() {
    const { slider } = this;
    slider.oninput = () => (this.stepwise ? this.stepTo(slider.valueAsNumber) : this.scrub(slider.valueAsNumber));
    slider.onblur = () => this.active && !this.moment && this.time > this.span.from && this.stop();
    this.controls.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!step || !this.active) return;
      this.stepTo(this.step + step);
      event.preventDefault();
      event.stopPropagation(); // pages have arrow keys of their own
    };
  }

  // Put the controls beside the sentence; in a story, among its buttons; while presenting, beside the summary of what
  // is read or into the dock. They are hidden if no phase can be played, or if matrices are too large for elements.
  place(/** @type {Room} */ room) {
    const { board, controls } = this;
    this.takeUp();
    toggle(controls, "gone", room.tokens > CONSTANTS.FITS || !this.phases.length);
    if (board.story.isShown) board.story.hold(controls);
    else if (board.sentence.playsHere) board.sentence.hold(controls);
    else if (numbersFirst(board.data)) board.panel.hold(controls);
    else board.sentence.tools.element.prepend(controls);
  }

  get layer() {
    return this.actors.layer;
  }

  // Whether the reader steps through the phases, because they asked for less motion.
  get stepwise() {
    return reducedMotion();
  }

  // ---- starting and stopping ----

  press() {
    if (!this.active && !this.begin()) return;
    toggle(this.board.root, "played", false);
    if (this.board.planeOver) this.board.sentence.tools.turnPlane(this.button); // it would cover the animation
    if (this.stepwise) this.stepTo(this.step + 1);
    else if (this.frame !== null) this.pause();
    else this.run(this.time >= this.span.to ? this.span.from : this.time);
  }

  // Prepare to play the picked row, or one phase of it. Return false if it has a number that isn't finite; a reader who
  // asked for the whole row is told so.
  /** @param {string | null} part */
  begin(part = null) {
    const { board } = this;
    this.part = part;
    this.takeUp();
    const broken = brokenIn(board.trace, this.phases, board.query);
    if (broken && part) return false;
    if (broken) {
      const value = written(board.valueAt(broken), board.data.digits);
      board.panel.say(say("board.play.broken", { where: placeInWords(board.trace, broken), value }));
      return false;
    }
    board.panel.say("");
    this.active = this.phases.length > 0;
    this.time = this.span.from;
    return this.active;
  }

  // Compute the phases of the matrices on the board, up to the one that is asked for, and their times.
  takeUp() {
    const { trace, layout, query, data, grids, story } = this.board;
    const spine = (story.isShown ? story.spine : layout.columns).map(({ stage }) => stage)
      .filter(({ name, rows }) => rows !== "feature" && grids.has(name));
    const all = phasesOf(trace, spine.map(({ name }) => name), query).filter(({ name }) => data.shown.includes(name));
    const last = this.part === null ? all.length - 1 : all.findIndex(({ name }) => name === this.part);
    this.phases = all.slice(0, last + 1).map((phase) => this.ofOnly(phase));
    this.span = spanOf(this.phases, this.part);
  }

  // In a matrix with only one number filled in so far, the phase plays only this cell.
  /** @param {Phase} phase @returns {Phase} */
  ofOnly(phase) {
    const { data: { only }, query } = this.board;
    return phase.name === only?.matrix
      && query === only.row ? { ...phase, columns: [only.column], steps: [only.column], only: true } : phase;
  }

  run(/** @type {number} */ from) {
    this.pause();
    this.time = from;
    let last = performance.now();
    const tick = (/** @type {number} */ now) => {
      this.time = Math.min(this.span.to, this.time + Math.min(LONGEST_FRAME, Math.max(0, now - last)));
      last = now;
      this.frame = this.time < this.span.to ? requestAnimationFrame(tick) : null;
      this.show();
      if (this.time >= this.span.to) this.finish();
    };
    this.frame = requestAnimationFrame(tick);
    this.showControls();
  }

  pause() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    this.showControls();
  }

  // At the end the controls disappear, unless the slider has the focus.
  finish() {
    if (focusedBeside(this.slider) === this.slider) this.showControls();
    else this.stop();
    toggle(this.board.root, "played", this.part === null && this.board.plane.possible); // "Why?" is the next step
  }

  scrub(/** @type {number} */ time) {
    this.pause();
    this.time = Math.max(this.span.from, Math.min(this.span.to, time));
    this.show();
  }

  // The number of the phase that is shown, counted from 1; 0 before the first one.
  get step() {
    return this.time >= this.span.to ? this.phases.length + 1 : this.moment ? this.moment.at + 1 : 0;
  }

  stepTo(/** @type {number} */ step) {
    const at = Math.max(0, Math.round(step));
    const { from, to } = this.span;
    this.scrub(at === 0 ? from : at > this.phases.length ? to : standing(this.phases[at - 1]));
    if (at > this.phases.length) this.finish();
  }

  // End the play; the board looks as it did before.
  stop() {
    if (!this.active) return;
    const held = focusedBeside(this.controls);
    const focused = held !== this.button && this.controls.contains(held);
    this.active = false;
    this.time = this.span.from;
    this.pause();
    this.show();
    if (focused) this.button.focus();
  }

  // ---- for the lesson ----

  // Play the phase that Python asks for, once: only if the reader has `seen` this board before, and not with reduced
  // motion or in a story.
  /** @param {BoardData["play"]} play @param {boolean} seen */
  receive(play, seen) {
    if (!play || play.number === this.asked) return;
    this.asked = play.number;
    this.stop();
    if (seen && !this.stepwise && !this.board.story.isShown && this.begin(play.part)) this.run(this.span.from);
  }

  // ---- drawing ----

  // Draw the current moment again after the board was redrawn.
  refresh() {
    if (!this.active) return;
    this.takeUp();
    if (!this.phases.length || brokenIn(this.board.trace, this.phases, this.board.query)) return this.stop();
    this.drawn = "";
    this.actors.clear();
    this.show();
  }

  show() {
    const { board } = this;
    const was = this.moment;
    this.moment = this.active ? momentAt(this.phases, this.time, this.span) : null;
    const { moment } = this;
    toggle(board.root, "playing", moment !== null);
    this.showControls();
    if (!moment) {
      if (!was) return;
      this.drawn = "";
      this.actors.clear();
      this.lights.clear();
      board.pointing.explain();
      return this.describe(null);
    }
    board.root.style.setProperty("--veil", String(0.92 * moment.veil));
    if (!board.story.isShown) this.actors.show(this.phases, moment, board.query); // a story has no places for them
    const drawn = `${moment.at},${moment.step},${moment.shown}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const phase = this.phases[moment.at];
    this.lights.show(this.phases, moment);
    this.say(phase, moment);
    if (was?.at !== moment.at) this.describe(phase);
    requestAnimationFrame(() => board.story.followPlay()); // after its text is laid out
  }

  // Report the current phase to the story and to listeners.
  describe(/** @type {Phase | null} */ phase) {
    this.board.story.plays(phase?.name ?? "");
    this.board.root.dispatchEvent(new CustomEvent("attnviz:phase", { detail: phase?.name ?? null }));
  }

  // Explain the phase in the dock: a sentence, and the step's numbers.
  /** @param {Phase} phase @param {Moment} moment */
  say(phase, moment) {
    const { board } = this;
    const sentence = playing(board.trace, phase, moment, board.query);
    board.panel.showText(sentence, numbersOf(board.trace, phase, moment, board.query));
    this.slider.setAttribute("aria-valuetext",
      say("board.play.at", { at: moment.at + 1, count: this.phases.length, sentence }));
  }

  showControls() {
    const { back, slider, leave, active, stepwise, frame } = this;
    back.hidden = !active || !stepwise;
    slider.hidden = leave.hidden = !active;
    const text = say(!active ? "board.play.start" : stepwise ? "board.play.next" : frame !== null ? "board.play.pause"
      : "board.play.on");
    setText(this.button, text);
    toggle(this.button, "on", active);
    toggle(this.button, "running", frame !== null);
    const [least, most, at] =
      stepwise ? [0, this.phases.length + 1, this.step] : [this.span.from, this.span.to, this.time];
    Object.assign(slider, { min: String(least), max: String(most) });
    slider.step = stepwise ? "1" : "any";
    if (slider.valueAsNumber !== at) slider.value = String(at);
    slider.style.setProperty("--done", `${(100 * (at - least)) / (most - least || 1)}%`);
  }
}
