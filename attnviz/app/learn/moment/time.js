// The time of a training: its curves, a slider through its kept moments, and what the model makes of a text at each. What
// is shown follows the hand, for the page evaluates the table of the model itself; the board follows by an event. Where
// the hand rests, Python is told, and torch's numbers come.

import { make, onTheme, toggle } from "../../../board/cells/elements.js";
import { unpacked } from "../../../board/received.js";
import { isOf, keptFor, partOf } from "../../../scripts/parts.js";
import { say } from "../../../scripts/sentences.js";
import { Curves, LEFT, RIGHT } from "./curves.js";
import { madeAt, momentOf, placeOf } from "./moments.js";
import { Next } from "./next.js";
import { Pictures } from "./pictures.js";

/** @import { Drawing } from "../../../scripts/types.js" */
/** @import { Matrices, Roles, SentMatrix, SentStage, Stage } from "../../../board/types.js" */
/** @import { Chart } from "./curves.js" */
/** @import { Learned, Off } from "./moments.js" */

/** @typedef {{ layer: number, head: number }} Head */
/** @typedef {{ stages: SentStage[], matrices: Record<string, SentMatrix>, tokens: string[] }} Table */
/** @typedef {{ table: Table, learned: Learned[], size: number, labels: string[], entries: string[], right: (string | null)[], heads: (Head & { name: string, said: string, off: boolean })[], off: Off[], picked: Head, query: number, board: string }} Model what the model makes of a text */
/** @typedef {{ id: string, steps: number[], at: number, done: number, charts: Chart[], told: string[][], step: string, head: string, from: string, roles: Roles, model: Model | null }} Data */

const PLAYED_MS = 10_000;
const BAR = 48; // pixels of the bar at the top of all pages

/** @type {WeakMap<HTMLElement, Time>} */
const all = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function time({ parentElement, data }) {
  const root = partOf(parentElement, ".time");
  keptFor(all, root, () => new Time(root, data)).receive(data);
}

class Time {
  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.at = 0; // of the moments, which is shown
    this.id = "";
    this.sent = -1; // the step that Python was told last
    this.query = 0;
    /** @type {Matrices} */
    this.given = {};
    /** @type {Stage[]} */
    this.stages = [];
    /** @type {Matrices} */
    this.made = {};
    /** @type {Matrices | null} */
    this.whole = null; // the same with all heads, where some are off
    this.model = "";
    this.drawn = "";
    /** @type {number | null} */
    this.frame = null;
    this.playing = 0; // since when; 0 while it stands
    this.asked = 0; // the version of the page's query that was told last
    this.curves = new Curves();
    this.slider = make("input", "slider");
    this.play = make("button", "play");
    this.told = make("div", "told");
    this.pictures = new Pictures(({ layer, head }) => this.tell({ [this.data.head]: `${layer}.${head}` }));
    this.next = new Next();
    this.strip = make("div", "strip");
    this.build();
    onTheme(root, () => {
      this.pictures.inks = null;
      this.show();
    });
    new ResizeObserver(() => this.lay()).observe(root);
    window.addEventListener("attnviz-moments", () => this.root.isConnected && this.show());
    window.addEventListener("attnviz-picked", ({ detail }) => this.follow(detail));
  }

  build() {
    const { slider, play } = this;
    Object.assign(slider, { type: "range", min: "0", step: "1" });
    slider.setAttribute("aria-label", say("learn.time.slider"));
    slider.addEventListener("input", () => {
      this.stop();
      this.move(Number(slider.value));
    });
    slider.addEventListener("change", () => this.rest());
    play.type = "button";
    play.addEventListener("click", () => (this.playing ? this.stop(true) : this.start()));
    this.curves.element.addEventListener("pointerdown", (event) => this.drag(event));
    this.told.setAttribute("role", "status");
    const left = make("div", "left", [this.curves.element]);
    const right = make("div", "right", [this.pictures.element, this.next.heading, this.next.bars]);
    this.strip.replaceChildren(make("div", "row", [play, slider]), this.told, this.next.brief);
    this.root.replaceChildren(left, right, this.strip);
    // Where the curves are out of sight, what they and the bars say of the moment stands beside the slider.
    const seen = new IntersectionObserver(([{ isIntersecting }]) => toggle(this.root, "stuck", !isIntersecting), { rootMargin: `-${BAR + 1}px 0px 0px 0px` });
    seen.observe(this.curves.element);
  }

  /** @param {Data} data */
  receive(data) {
    this.data = data;
    const anew = data.id !== this.id;
    if (anew) this.stop();
    if (anew || (isOf(data.from, this.asked) && !this.playing)) this.at = data.at;
    if (anew) this.sent = data.steps[data.at];
    this.id = data.id;
    const { model } = data;
    const key = model ? JSON.stringify([data.id, model.table.tokens, model.picked, model.off]) : "";
    if (model && key !== this.model) {
      this.stages = /** @type {Stage[]} */ (model.table.stages);
      const matrices = unpacked(model.table.matrices);
      this.given = Object.fromEntries(this.stages.filter(({ rule }) => rule === "given").map(({ name }) => [name, matrices[name]]));
      this.made = matrices;
      this.query = model.query;
      this.pictures.draw(model);
    }
    this.model = key;
    this.lay(true);
    this.show();
    this.lay(); // what stands beside the curves is there now
  }

  lay(always = false) {
    const { data, root } = this;
    const left = root.querySelector(".left");
    const width = left instanceof HTMLElement ? left.clientWidth : 0;
    if (width < 1) return;
    this.stick();
    const beside = root.querySelector(".right")?.clientHeight ?? 0;
    const drawn = JSON.stringify([width, beside, data.id, data.done]);
    if (!always && drawn === this.drawn) return;
    this.drawn = drawn;
    this.curves.draw(data.charts, data.steps, width, beside);
    root.style.setProperty("--left", `${LEFT}px`);
    root.style.setProperty("--right", `${RIGHT}px`);
    this.mark();
  }

  // The page's style keeps the strip in sight: it is told how much stands above it, which may go.
  stick() {
    const inside = this.root.getRootNode();
    const held = (inside instanceof ShadowRoot ? inside.host : this.root).closest(".st-key-learn_time")?.parentElement;
    if (!held) return;
    const above = this.strip.getBoundingClientRect().top - held.getBoundingClientRect().top;
    held.style.setProperty("--above", `${Math.floor(above)}px`);
  }

  // ---- moving through time ----

  /** @param {PointerEvent} down */
  drag(down) {
    if (!this.data.model) return;
    const box = this.curves.element.getBoundingClientRect();
    const to = (/** @type {PointerEvent} */ { clientX }) => {
      const place = (clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      this.move(Math.round(Math.min(1, Math.max(0, place)) * (this.data.steps.length - 1)));
    };
    this.stop();
    this.curves.element.setPointerCapture(down.pointerId);
    to(down);
    this.curves.element.onpointermove = to;
    this.curves.element.onpointerup = this.curves.element.onpointercancel = () => {
      this.curves.element.onpointermove = this.curves.element.onpointerup = this.curves.element.onpointercancel = null;
      this.rest();
    };
  }

  /** @param {number} at */
  move(at) {
    if (at === this.at) return;
    this.at = at;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.show(true);
    });
  }

  // Where the hand rests, torch's numbers are asked for.
  rest() {
    const step = this.data.steps[this.at];
    if (step === this.sent) return;
    this.sent = step;
    this.tell({ [this.data.step]: String(step) }, this.data.step);
  }

  /** @param {Record<string, string>} patch @param {string | null} [source] */
  tell(patch, source = null) {
    this.asked = window.attnvizAddress?.change(patch, { source }) ?? 0;
  }

  start() {
    const { length } = this.data.steps;
    const from = this.at >= length - 1 ? 0 : this.at;
    this.playing = performance.now() - (from / (length - 1)) * PLAYED_MS;
    const turn = (/** @type {number} */ now) => {
      if (!this.playing || !this.root.isConnected) return;
      const part = Math.min(1, Math.max(0, (now - this.playing) / PLAYED_MS));
      const at = Math.round(part * (length - 1));
      if (at !== this.at) {
        this.at = at;
        this.show(true);
      }
      if (part < 1) requestAnimationFrame(turn);
      else this.stop(true);
    };
    requestAnimationFrame(turn);
    this.mark();
  }

  stop(rests = false) {
    if (!this.playing) return;
    this.playing = 0;
    this.mark();
    if (rests) this.rest();
  }

  // ---- showing a moment ----

  show(moved = false) {
    const { model, steps, id } = this.data;
    this.mark();
    const kept = window.attnvizMoments;
    if (!model || kept?.id !== id || !this.root.isConnected) return;
    const { learned, size, off } = model;
    this.made = madeAt(this.stages, this.given, learned, kept.numbers, this.at, size, off);
    this.whole = off.length ? madeAt(this.stages, this.given, learned, kept.numbers, this.at, size) : null;
    if (moved) window.dispatchEvent(new CustomEvent("attnviz-moment", { detail: { key: model.board, step: steps[this.at], matrices: this.made } }));
    this.pictures.paint(this.made, this.data.roles, this.root);
    this.next.show(model, this.made, this.whole, this.query);
  }

  // The cursor, the slider, and what is told of the moment.
  mark() {
    const { data, slider, play } = this;
    const last = data.steps.length - 1;
    const on = data.model !== null;
    this.curves.point(on ? this.at / Math.max(1, last) : placeOf(data.steps, data.done));
    slider.max = String(last);
    slider.value = String(on ? this.at : momentOf(data.steps, data.done));
    slider.disabled = play.disabled = !on;
    const step = data.steps[this.at].toLocaleString("en");
    slider.setAttribute("aria-valuetext", say("learn.time.step", { step }));
    const sign = this.playing ? "❚❚" : "▶";
    if (play.textContent !== sign) {
      play.textContent = sign;
      play.title = say(this.playing ? "learn.time.pause" : "learn.time.play");
      play.setAttribute("aria-label", play.title);
    }
    const told = data.told[on ? this.at : data.told.length - 1] ?? [];
    if (this.told.children.length !== told.length) this.told.replaceChildren(...told.map((_, at) => make(at ? "span" : "b")));
    told.forEach((part, at) => (this.told.children[at].textContent = part));
  }

  /** @param {{ key: string, query: number }} picked */
  follow({ key, query }) {
    const { model } = this.data;
    if (!model || key !== model.board || query === this.query) return;
    this.query = query;
    this.next.show(model, this.made, this.whole, this.query);
  }
}
