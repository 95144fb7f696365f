// A training: the model's results for a sentence at each moment, curves, and a slider through the moments. The view
// follows the hand, or the running training, because the page computes the model's matrices itself; an event lets the
// board follow. Once the hand rests, the page tells Python the step, and Python answers with torch's numbers.

import { button, make, onTheme, themeOf, toggle, write } from "../../../../board/cells/elements.js";
import { unpacked } from "../../../../board/values/matrices.js";
import { percent } from "../../../../board/values/numbers.js";
import { HeadView } from "../../../../scripts/head_view.js";
import { isOf, stateOf } from "../../../../scripts/parts.js";
import { say, thousands } from "../../../../scripts/sentences.js";
import { Curves, madeAt, RIGHT } from "./curves.js";
import { later, Next, Pictures } from "./next.js";

/** @import { Drawing } from "../../../../scripts/types.js" */
/** @import { Chart, Learned, Off } from "./curves.js" */

/** @typedef {{ layer: number, head: number }} Head */
/** @typedef {{ stages: SentStage[], matrices: Record<string, SentMatrix>, tokens: string[] }} Table */
/**
 * The model's results for a text.
 * @typedef {{ table: Table, learned: Learned[], labels: string[], entries: string[], right: (string | null)[],
 *   heads: (Head & { name: string, said: string, off: boolean })[], off: Off[], picked: Head, query: number,
 *   asks: string[], board: string }} Model
 */
/**
 * `steps` has the steps of all moments, of which the first `arrived` are there. `at` is the moment that the address
 * asks for, or null for the last one. When `begun` changes, a training starts anew, and the page shows each moment as
 * it arrives.
 * @typedef {{ id: string, steps: number[], arrived: number, done: number, all: number, at: number | null, begun:
 * number,
 *   active: boolean, small: boolean, charts: { shares: Chart, loss: Chart }, step: string, head: string, query: string,
 *   from: string, roles: Pick<Roles, "a" | "negative" | "paper">, model: Model }} Data
 */

const PRESSES = 10;
const PLAYED_MS = 10_000;
const EACH_MS = 50; // the shortest time for each moment while a training is followed

export default function time(/** @type {Drawing<Data>} */ { parentElement, data }) {
  stateOf(parentElement, ".time", (root) => new Time(root, data)).receive(data);
}

class Time {
  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.at = 0; // index of the moment shown
    this.id = "";
    this.begun = data.begun;
    this.sent = -1; // the step that Python draws, or was last asked to draw
    this.query = 0;
    this.loss = false;
    /** @type {Matrices} */
    this.given = {};
    /** @type {Stage[]} */
    this.stages = [];
    this.model = "";
    /** @type {number | null} */
    this.frame = null;
    this.moving = 0; // the time when playing or following began; 0 while it stands still
    this.asked = 0; // version of the page's query after its last change from here
    this.curves = new Curves();
    this.chart = make("div", "chart");
    this.slider = make("input", "slider", [],
      { type: "range", min: "0", step: "1", "aria-label": say("learn.time.slider") });
    this.play = button("play", "", () => (this.moving ? this.stop(true) : this.start()));
    this.note = make("p", "note");
    this.look = make("p", "look");
    this.figures = make("dl", "figures");
    this.pictures = new Pictures(({ layer, head }) => this.send({ [this.data.head]: `${layer}.${head}` }));
    this.view = new HeadView(218, (row) => this.pick(row));
    this.next = new Next();
    this.build();
    onTheme(root, () => this.show());
    new ResizeObserver(() => this.lay()).observe(root);
    window.addEventListener("attnviz-moments", () => this.root.isConnected && this.show());
    window.addEventListener("attnviz-picked", ({ detail }) => this.follow(detail));
  }

  build() {
    const { slider, play, view } = this;
    slider.addEventListener("input", () => {
      this.stop();
      this.move(Number(slider.value));
    });
    slider.addEventListener("change", () => this.rest());
    this.curves.element.addEventListener("pointerdown", (event) => this.drag(event));
    const loss = make("input", "", [], { type: "checkbox" });
    loss.addEventListener("change", () => {
      this.loss = loss.checked;
      this.lay();
    });
    const said = make("div", "said", [this.note, view.headline, this.look]);
    const story = make("div", "story", [view.sentence, said, this.pictures.element]);
    const numbers = make("div", "numbers", [view.weights, this.next.element, this.figures]);
    this.chart.append(this.curves.element, make("label", "loss", [loss, say("learn.time.loss")]));
    const strip = make("div", "strip", [play, make("div", "row", [slider]), this.curves.ticks]);
    this.root.replaceChildren(story, numbers, this.chart, strip);
  }

  receive(/** @type {Data} */ data) {
    const { model, steps, arrived } = (this.data = data);
    const anew = data.id !== this.id;
    const begins = data.begun !== this.begun;
    if (anew) this.stop();
    if (begins) this.at = 0;
    else if (anew || (isOf(data.from, this.asked) && !this.moving)) this.at = data.at ?? arrived - 1;
    if (anew || !data.active) this.sent = steps[data.at ?? arrived - 1]; // Python draws this step
    [this.id, this.begun] = [data.id, data.begun];
    toggle(this.root, "small", data.small);
    const key = JSON.stringify([data.id, model.table.tokens, model.picked, model.off]);
    if (key !== this.model) {
      this.stages = /** @type {Stage[]} */ (model.table.stages);
      const matrices = unpacked(model.table.matrices);
      const given = this.stages.filter(({ rule }) => rule === "given");
      this.given = Object.fromEntries(given.map(({ name }) => [name, matrices[name]]));
      this.query = model.query;
      this.view.read({ tokens: model.labels, read: model.labels, same: true });
      this.pictures.draw(model);
    }
    this.model = key;
    this.lay();
    if ((begins || data.active) && !this.moving) this.start(true);
  }

  lay() {
    const { data, root } = this;
    if (root.clientWidth < 1) return;
    toggle(root, "hall", document.documentElement.hasAttribute("data-presents"));
    const { clientWidth: width } = this.chart; // 0 while a closer look hides the chart
    this.curves.draw(this.loss ? data.charts.loss : data.charts.shares, data.steps, width || root.clientWidth);
    root.style.setProperty("--left", `${this.curves.left}px`);
    root.style.setProperty("--right", `${RIGHT}px`);
    this.show();
  }

  // ---- moving through time ----

  drag(/** @type {PointerEvent} */ down) {
    const { curves } = this;
    const box = curves.element.getBoundingClientRect();
    const to = (/** @type {PointerEvent} */ { clientX }) => {
      const place = (clientX - box.left - curves.left) / curves.width;
      this.move(Math.round(place * (this.data.steps.length - 1)));
    };
    this.stop();
    curves.element.setPointerCapture(down.pointerId);
    to(down);
    curves.element.onpointermove = to;
    curves.element.onpointerup = curves.element.onpointercancel = () => {
      curves.element.onpointermove = curves.element.onpointerup = curves.element.onpointercancel = null;
      this.rest();
    };
  }

  // Only moments that have arrived can be shown.
  move(/** @type {number} */ to) {
    const at = Math.max(0, Math.min(to, this.data.arrived - 1));
    if (at === this.at) return this.mark();
    this.at = at;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.show(true);
    });
  }

  // Once the hand rests, ask Python for torch's numbers.
  rest() {
    const step = this.data.steps[this.at];
    if (step === this.sent || this.data.active) return;
    this.sent = step;
    this.send({ [this.data.step]: String(step) }, this.data.step);
  }

  /** @param {Record<string, string>} patch @param {string | null} [source] */
  send(patch, source = null) {
    this.asked = window.attnvizAddress?.change(patch, { source }) ?? 0;
  }

  // Play all moments in ten seconds. While a training is followed, each moment is shown as it arrives, long enough to
  // be seen.
  start(follows = false) {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (still && !follows) return this.step();
    if (!follows && this.at >= this.data.arrived - 1) this.at = 0;
    const each = follows ? EACH_MS : PLAYED_MS / Math.max(1, this.data.arrived - 1);
    const since = performance.now();
    let due = since + each;
    this.moving = since;
    const turn = (/** @type {number} */ now) => {
      if (this.moving !== since || !this.root.isConnected) return;
      const last = this.data.arrived - 1;
      if (this.at < last && (still || now >= due)) {
        this.at = still ? last : this.at + 1;
        due = (follows ? now : due) + each;
        this.show(true);
      }
      if (this.at < last || (follows && this.data.active)) requestAnimationFrame(turn);
      else this.stop(!follows);
    };
    this.show(true);
    requestAnimationFrame(turn);
  }

  // With reduced motion, each press moves a tenth of the way.
  step() {
    const last = this.data.arrived - 1;
    this.at = this.at < last ? Math.min(last, this.at + Math.ceil(last / PRESSES)) : 0;
    this.show(true);
    this.rest();
  }

  stop(rests = false) {
    if (!this.moving) return;
    this.moving = 0;
    this.mark();
    if (rests) this.rest();
  }

  // ---- showing a moment ----

  show(moved = false) {
    const { model, steps, id, roles } = this.data;
    this.at = Math.min(this.at, this.data.arrived - 1);
    this.mark();
    const numbers = window.attnvizMoments?.id === id ? window.attnvizMoments.moments[this.at] : undefined;
    if (!numbers || !this.root.isConnected) return;
    const { learned, off, picked, heads } = model;
    const made = madeAt(this.stages, this.given, learned, numbers, off);
    const whole = off.length ? madeAt(this.stages, this.given, learned, numbers) : null;
    if (moved) {
      const detail = { key: model.board, step: steps[this.at], matrices: made };
      window.dispatchEvent(new CustomEvent("attnviz-moment", { detail }));
    }
    const theme = themeOf(this.root);
    this.view.colour(roles.paper[theme], roles.a[theme], roles.negative[theme]);
    this.root.style.setProperty("--weight", roles.a[theme]);
    const own = heads.find(({ layer, head }) => layer === picked.layer && head === picked.head);
    this.view.show(made[own?.name ?? ""].values, this.query, later);
    const { headline } = this.view;
    if (!steps[this.at]) headline.textContent = say("learn.time.by_chance", { read: headline.textContent });
    this.pictures.paint(made, this.view.ramp);
    this.next.show(model, made, whole, this.query);
    const asks = model.right[this.query] === null ? "" : model.asks[this.query];
    this.look.textContent = steps[this.at] ? this.answer || asks : asks;
  }

  // The answer to the question asked before the training: how much the head reads the token in question, at first and
  // now, averaged over held-out texts.
  get answer() {
    const { steps, charts } = this.data;
    const head = charts.shares.curves[1];
    if (!head?.points.length) return "";
    const [[, was]] = head.points;
    const now = head.points.findLast(([at]) => at <= steps[this.at])?.[1] ?? NaN;
    return say("learn.time.came", { label: head.label, was: percent(was), now: percent(now) });
  }

  // Update the cursor, the slider, and the figures of the moment.
  mark() {
    const { data, slider, play } = this;
    const { steps, charts, all: of } = data;
    const last = Math.max(1, steps.length - 1);
    this.curves.point(this.at / last);
    slider.max = String(last);
    slider.value = String(this.at);
    slider.style.setProperty("--done", `${(100 * this.at) / last}%`);
    slider.disabled = play.disabled = data.arrived < 2;
    const step = steps[this.at];
    write(slider, "aria-valuetext", say("learn.time.step", { step: thousands(step) }));
    const sign = this.moving ? "❚❚" : "▶";
    if (play.textContent !== sign) {
      play.textContent = sign;
      play.title = say(this.moving ? "learn.time.pause" : "learn.time.play");
      play.setAttribute("aria-label", play.title);
    }
    const phase = step === 0 ? "random" : data.active || step < of ? "learning" : "trained";
    this.note.textContent =
      say(`learn.time.${phase}`, { step: thousands(step), steps: say("count.step", { n: step }) });
    const told = [
      [[say("learn.time.step_name")],
        [say("learn.time.of", { step: thousands(step), all: thousands(of) })]],
      ...(this.loss ? charts.loss.curves.slice(1) : charts.shares.curves).map(({ label, kind, points }) => {
        const value = points.findLast(([at]) => at <= step)?.[1] ?? NaN;
        const how = step === 0 ? "chance" : kind.startsWith("head") ? "mean" : "";
        const more = how && !this.loss ? [make("span", "mean", [say(`learn.time.${how}`)])] : [];
        return [[label, ...more], [this.loss ? value.toFixed(3) : percent(value)]];
      }),
    ];
    this.figures.replaceChildren(...told.map(([name, value]) =>
      make("div", "", [make("dt", "", name), make("dd", "", value)])));
  }

  pick(/** @type {number} */ row) {
    this.query = row;
    this.send({ [this.data.query]: String(row) });
    this.show();
  }

  follow(/** @type {{ key: string, query: number }} */ { key, query }) {
    if (key !== this.data.model.board || query === this.query) return;
    this.query = query;
    this.show();
  }
}
