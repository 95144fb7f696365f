// Play this row: what is done to the picked token's row, one after the other, as fast as it can be read; with reduced
// motion, in steps. It can be paused, led on by arrow keys and set to any moment, and ends with the board as it stands.
//
// A step of the lesson asks for its own part, by its matrix, as `play` among what Python sends: that is played by
// itself, and what was before it is there already. Which phase stands is told by an event attnviz:phase.

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

const LONGEST_FRAME = 250; // milliseconds: a page that was away goes on where it was, a busy one takes no longer for it

export class Play {
  /** @param {Pick<Board, "cellAt" | "colours" | "data" | "digits" | "display" | "flow" | "frame" | "grids" | "layout"
   *  | "limitOf" | "made" | "panel" | "plane" | "planeOver" | "pointing" | "query" | "root" | "sentence" | "shown"
   *  | "stages" | "story" | "titles" | "valueAt">} board */
  constructor(board) {
    this.board = board;
    this.actors = new Actors(board);
    /** @type {Phase[]} */
    this.phases = [];
    /** @type {Moment | null} */
    this.moment = null; // what stands, while the board doesn't stand still
    this.active = false; // whether there is anything to go on with
    this.time = 0;
    this.span = spanOf([]); // from when to when it goes
    /** @type {string | null} */
    this.part = null; // the phase that is played by itself; null for all that are reached
    /** @type {number | null} */
    this.frame = null;
    this.drawn = ""; // the step whose cells are lit
    this.lights = new Lights(board);
    this.asked = 0; // the number of the last part that Python wanted
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
      event.stopPropagation(); // of a page's own keys
    };
  }

  // Where its controls stand: beside the words, or in a lecture room beside what is read or in the dock. There are none
  // where nothing can be played: it needs what is made, in cells of its own.
  place(/** @type {Room} */ room) {
    const { board, controls } = this;
    this.takeUp();
    toggle(controls, "gone", room.tokens > CONSTANTS.FITS || !this.phases.length);
    if (board.story.told) board.story.hold(controls);
    else if (board.sentence.playsHere) board.sentence.hold(controls);
    else if (numbersFirst(board.data)) board.panel.hold(controls);
    else board.sentence.tools.element.prepend(controls);
  }

  get layer() {
    return this.actors.layer;
  }

  // Whether it goes in steps instead of by itself.
  get stepwise() {
    return reducedMotion();
  }

  // ---- what a hand or the page asks for ----

  press() {
    if (!this.active && !this.begin()) return;
    toggle(this.board.root, "played", false);
    if (this.board.planeOver) this.board.sentence.tools.turnPlane(this.button); // it'd lie over what moves
    if (this.stepwise) this.stepTo(this.step + 1);
    else if (this.frame !== null) this.pause();
    else this.run(this.time >= this.span.to ? this.span.from : this.time);
  }

  // Take up the row of now, or a part of it; false where it has a number that can't be played, which is then said to
  // whoever asked for it.
  /** @param {string | null} part */
  begin(part = null) {
    const { board } = this;
    this.part = part;
    this.takeUp();
    const broken = brokenIn(board.made, this.phases, board.query);
    if (broken && part) return false;
    if (broken) {
      const value = written(board.valueAt(broken), board.data.digits);
      board.panel.say(say("board.play.broken", { where: placeInWords(board.made, broken), value }));
      return false;
    }
    board.panel.say("");
    this.active = this.phases.length > 0;
    this.time = this.span.from;
    return this.active;
  }

  // The phases of what is reached, up to the part that is asked for, and when they go.
  takeUp() {
    const { made, layout, query, data, grids, story } = this.board;
    const spine = (story.told ? story.spine : layout.columns).map(({ stage }) => stage)
      .filter(({ name, rows }) => rows !== "feature" && grids.has(name));
    const all = phasesOf(made, spine.map(({ name }) => name), query).filter(({ name }) => data.shown.includes(name));
    const last = this.part === null ? all.length - 1 : all.findIndex(({ name }) => name === this.part);
    this.phases = all.slice(0, last + 1).map((phase) => this.ofOnly(phase));
    this.span = spanOf(this.phases, this.part);
  }

  // Of a matrix in which one cell alone is filled yet, that cell.
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

  // At the end the controls go, unless a hand is on the slider.
  finish() {
    if (focusedBeside(this.slider) === this.slider) this.showControls();
    else this.stop();
    toggle(this.board.root, "played", this.part === null && this.board.plane.possible); // "Why?" is offered next
  }

  scrub(/** @type {number} */ time) {
    this.pause();
    this.time = Math.max(this.span.from, Math.min(this.span.to, time));
    this.show();
  }

  // With reduced motion: the number of the phase that stands, 0 for none yet.
  get step() {
    return this.time >= this.span.to ? this.phases.length + 1 : this.moment ? this.moment.at + 1 : 0;
  }

  stepTo(/** @type {number} */ step) {
    const at = Math.max(0, Math.round(step));
    const { from, to } = this.span;
    this.scrub(at === 0 ? from : at > this.phases.length ? to : standing(this.phases[at - 1]));
    if (at > this.phases.length) this.finish();
  }

  // The board stands still again.
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

  // Python wants a part to be played, once: on a board that has been `seen` before, and not where nothing is to move.
  /** @param {BoardData["play"]} play @param {boolean} seen */
  receive(play, seen) {
    if (!play || play.number === this.asked) return;
    this.asked = play.number;
    this.stop();
    if (seen && !this.stepwise && !this.board.story.told && this.begin(play.part)) this.run(this.span.from);
  }

  // ---- drawing ----

  // After the board has drawn itself anew.
  refresh() {
    if (!this.active) return;
    this.takeUp();
    if (!this.phases.length || brokenIn(this.board.made, this.phases, this.board.query)) return this.stop();
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
      return this.tell(null);
    }
    board.root.style.setProperty("--veil", String(0.92 * moment.veil));
    if (!board.story.told) this.actors.show(this.phases, moment, board.query); // where matrices have places
    const drawn = `${moment.at},${moment.step},${moment.made}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const phase = this.phases[moment.at];
    this.lights.show(this.phases, moment);
    this.say(phase, moment);
    if (was?.at !== moment.at) this.tell(phase);
    requestAnimationFrame(() => board.story.followPlay()); // once its text has its lines
  }

  // Tell whoever listens which phase stands.
  tell(/** @type {Phase | null} */ phase) {
    this.board.story.plays(phase?.name ?? "");
    this.board.root.dispatchEvent(new CustomEvent("attnviz:phase", { detail: phase?.name ?? null }));
  }

  // The phase in a sentence, with the numbers of the step.
  /** @param {Phase} phase @param {Moment} moment */
  say(phase, moment) {
    const { board } = this;
    const sentence = playing(board.made, phase, moment, board.query);
    board.panel.tell(sentence, numbersOf(board.made, phase, moment, board.query));
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
