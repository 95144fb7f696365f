// The story: finds out which step is being read, shows that step's board, asks for predictions, and opens the next
// step. The page contains the prose; this script fills in its numbers, so that they follow the reader's edits.

import { make } from "../../../board/cells/elements.js";
import { percent, written } from "../../../board/values/numbers.js";
import { valueAt } from "../../../board/values/matrices.js";
import { say } from "../../../scripts/sentences.js";
import { asks, mostRead, predicted } from "./predicted.js";
import { Own } from "./own.js";
import { Trained } from "./trained.js";
import { Writer } from "./writer.js";

const NARROW = 900; // pixels: as in story.css
const NARROW_BOARD = 900; // pixels: the height of boards in a narrow window, where the stage scrolls
const AT_REST = 90; // ms to wait for a further step, so that fast scrolling draws no steps that it only passes
const DIGITS = 2;
const FOLLOWED = { heads: 2 };
const $ = (/** @type {string} */ selector, /** @type {ParentNode} */ of = document) =>
  /** @type {HTMLElement} */ (of.querySelector(selector));

class Telling {
  constructor() {
    const { story } = window.attnvizSite ?? {};
    if (!story) throw new Error("the story has no data");
    this.story = story;
    this.stage = $(".stage");
    this.sections = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("section.step")]);
    this.opened = 1; // how many steps are open to be read
    /** @type {Map<string, string | null>} */
    this.answered = new Map(); // step -> its chosen answer; null if the step was done or passed over
    this.now = "";
    /** @type {Map<string, Promise<void>>} */
    this.loads = new Map(); // script with data -> its loading
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.rest = undefined;
    /** @type {Record<string, Matrices>} */
    this.numbers = {}; // set-up -> its numbers, with the reader's edits
    const leads = { height: () => this.height, onEvent: (/** @type {string} */ what) => this.onEvent(what) };
    this.board = window.attnvizSiteBoard($("#cat"), this.dataOf("words"), { leads });
    /** @type {Record<string, Trained | Writer | Own>} */
    this.others = { training: new Trained(this), writing: new Writer(this), own: new Own(this) };
    for (const section of this.sections) this.build(section);
  }

  get narrow() {
    return innerWidth < NARROW;
  }

  get height() {
    return this.narrow ? NARROW_BOARD : this.stage.clientHeight - 8;
  }

  // The data of a step's board; until the reader has predicted, those of the step named by `before`, if any.
  /** @param {string} name @returns {BoardData} */
  dataOf(name) {
    const { boards, bases } = this.story;
    const { before } = boards[name];
    const { base, part = [], shows } = boards[before && !this.answered.has(name) ? before : name];
    return { ...bases[base], ...shows, tells: this.bare(part) };
  }

  // On a narrow screen a board draws only the matrices that its step is about.
  /** @param {string[]} part @returns {Tells | null} */
  bare(part) {
    if (!this.narrow) return null;
    return { outcome: [], see: null, sentences: [], analogy: "", about: "", presents: false, part };
  }

  // ---- which step is read ----

  begin() {
    const everything = $(".steps .all");
    everything.hidden = false;
    everything.onclick = () => {
      this.open(this.sections.length);
      everything.hidden = true;
    };
    document.documentElement.classList.add("told");
    this.open(1);
    addEventListener("hashchange", () => this.follow());
    addEventListener("scroll", () => this.look(), { passive: true });
    addEventListener("resize", () => this.show(this.now));
    addEventListener("beforeprint", () => this.open(this.sections.length));
    this.go("words");
    this.follow();
    this.look();
    performance.mark("attnviz-drawn"); // benchmarks read this
  }

  // If the address names a step, open all steps up to it.
  follow() {
    const at = this.sections.findIndex(({ id }) => `#${id}` === location.hash);
    if (at < 0) return;
    this.open(at + 1);
    this.sections[at].scrollIntoView({ block: "start" });
    this.go(this.sections[at].id);
  }

  look() {
    const foot = this.stage.getBoundingClientRect().bottom;
    const line = this.narrow ? foot + 0.4 * (innerHeight - foot) : 0.45 * innerHeight;
    const open = this.sections.filter((each) => !each.hidden);
    const read = open.findLast((each) => each.getBoundingClientRect().top <= line) ?? open[0];
    if (read.id === this.now) return;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.go(read.id), AT_REST);
  }

  go(/** @type {string} */ name) {
    clearTimeout(this.rest);
    if (name === this.now) return;
    this.now = name;
    for (const each of this.sections) each.classList.toggle("now", each.id === name);
    for (const each of document.querySelectorAll(".steps a")) {
      if (each.getAttribute("href") === `#${name}`) each.setAttribute("aria-current", "step");
      else each.removeAttribute("aria-current");
    }
    this.show(name);
    const next = this.sections[this.sections.findIndex(({ id }) => id === name) + 1];
    if (next) this.bring(next).catch(() => {}); // before it's read
  }

  // Draw a step's board.
  show(/** @type {string} */ name) {
    const other = this.others[name];
    const place = other?.place ?? "#cat";
    for (const each of this.stage.children) if (each instanceof HTMLElement) each.hidden = `#${each.id}` !== place;
    if (other) void this.bring($(`#${name}`)).then(() => this.now === name && other.show(), () => {}); // which is told
    else this.board.show(this.dataOf(name === "end" ? "words" : name));
    if (name === "heads" && this.answered.has(name)) this.board.picking.look(1);
    this.fill();
  }

  // Load the script with a step's data, if it has one.
  /** @param {HTMLElement} section @returns {Promise<void>} */
  bring(section) {
    const { dataset: { script } } = section;
    if (!script) return Promise.resolve();
    /** @type {Promise<void>} */
    const loading = this.loads.get(script) ?? new Promise((done, fail) => {
      const missing = () => {
        this.loads.delete(script); // so that the next look at the step tries again
        $(".told", section).replaceChildren(make("p", "", [say("site.story.missing")]));
        $(".told", section).hidden = false;
        fail(new Error(`${script} can't be had`));
      };
      document.head.append(Object.assign(document.createElement("script"),
        { src: script, onload: () => done(), onerror: missing }));
    });
    this.loads.set(script, loading);
    return loading;
  }

  // ---- what the board tells ----

  onEvent(/** @type {string} */ what) {
    if (!this.board) return; // it's still being created
    if (what === "picked" && this.now === "words") this.done("words");
    if (what === "query" && this.now === "matrices") this.done("matrices");
    if (what === "numbers") this.fill();
  }

  // Write the current numbers into the prose and the outcomes of all open steps.
  fill() {
    this.numbers = {};
    for (const section of this.sections) {
      if (section.hidden || !this.story.boards[section.id]) continue;
      const matrices = this.matricesOf(section.id);
      for (const place of section.querySelectorAll("[data-number]")) {
        if (!(place instanceof HTMLElement)) continue;
        const [matrix, row, column, share] = (place.dataset.number ?? "").split(",");
        const late = place.dataset.late !== undefined && !this.answered.has(section.id);
        const value = valueAt(matrices[matrix], Number(row), Number(column));
        const text = late ? say("site.story.later") : share ? percent(value) : written(value, DIGITS);
        if (place.textContent !== text) place.textContent = text;
      }
      if (section.id === "heads") {
        const asked = say("site.story.heads.ask", { most: mostRead(matrices, this.tokens, FOLLOWED.heads).most });
        $(".ask", section).textContent = asked;
        section.querySelector(".choices")?.setAttribute("aria-label", asked);
      }
      if (this.answered.has(section.id)) this.showOutcome(section);
    }
  }

  /** @param {string} step @returns {Matrices} */
  matricesOf(step) {
    const { base } = this.story.boards[step];
    return (this.numbers[base] ??= this.board.valuesOf(this.story.bases[base]));
  }

  get tokens() {
    return this.story.bases.cat.tokens;
  }

  // ---- what is asked, and what it opens ----

  build(/** @type {HTMLElement} */ section) {
    const { id: name } = section;
    const told = make("div", "told", [], { role: "status" });
    told.hidden = true;
    section.append(told);
    if (name === "end") return;
    if (asks(name)) {
      const { choices } = predicted(name, this.matricesOf(name), this.tokens);
      const buttons = choices.map(([choice, label]) => {
        const way = make("button", "", [label], { type: "button" });
        way.onclick = () => this.choose(section, choice);
        way.dataset.choice = choice;
        return way;
      });
      const label = $(".ask", section).textContent ?? "";
      told.before(make("div", "choices", buttons, { role: "group", "aria-label": label }));
    }
    const pass = make("button", "pass", [say(asks(name) ? "site.story.tell" : "site.story.pass")], { type: "button" });
    pass.onclick = () => this.choose(section, null);
    section.append(pass);
  }

  /** @param {HTMLElement} section @param {string | null} choice */
  choose(section, choice) {
    if (this.answered.has(section.id) && choice === null) return;
    this.done(section.id, choice);
  }

  // After a step was done, answered or passed over: show its outcome, and open the next step.
  /** @param {string} name @param {string | null} choice */
  done(name, choice = null) {
    const first = !this.answered.has(name);
    if (!first && choice === null) return;
    this.answered.set(name, choice);
    const at = this.sections.findIndex(({ id }) => id === name);
    const [section, next] = this.sections.slice(at, at + 2);
    for (const each of section.querySelectorAll("[data-choice]")) {
      if (each instanceof HTMLElement) each.setAttribute("aria-pressed", String(each.dataset.choice === choice));
    }
    this.showOutcome(section);
    section.querySelector(".pass")?.remove();
    if (first && next) {
      this.open(at + 2);
      const title = $("h2", next).firstChild?.textContent?.trim() ?? "";
      const on = make("button", "on", [say("site.story.next", { title })], { type: "button" });
      on.onclick = () => {
        next.scrollIntoView({ block: this.narrow ? "center" : "start" });
        $("h2", next).focus({ preventScroll: true });
        this.go(next.id);
      };
      section.append(on);
    }
    if (this.now === name && this.story.boards[name] && first && !this.others[name]) this.show(name);
  }

  // Show the outcome of a step by the current numbers.
  showOutcome(/** @type {HTMLElement} */ section) {
    const { id: name } = section;
    const told = $(".told", section);
    const lines = this.linesOf(name);
    const before = [...told.children].map(({ textContent }) => textContent);
    if (before.join("\n") !== lines.join("\n")) told.replaceChildren(...lines.map((line) => make("p", "", [line])));
    told.hidden = lines.length === 0;
  }

  /** @param {string} name @returns {string[]} */
  linesOf(name) {
    const choice = this.answered.get(name) ?? null;
    if (asks(name)) {
      const { right, told } = predicted(name, this.matricesOf(name), this.tokens);
      if (choice === null) return [told];
      return [say(choice === right ? "site.answer.right" : "site.answer.wrong"), told];
    }
    if (name === "words") return [say("site.story.words.done")];
    if (name === "matrices") return this.board.pending.size
      ? [say("site.story.matrices.done", mostRead(this.matricesOf(name), this.tokens, 1))] : [];
    return this.others[name]?.lines ?? [];
  }

  open(/** @type {number} */ n) {
    this.opened = Math.max(this.opened, n);
    this.sections.forEach((each, at) => (each.hidden = at >= this.opened));
    if (this.board) this.fill();
  }
}

const telling = new Telling();
telling.begin();
