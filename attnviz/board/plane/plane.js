// "Why these scores?": the keys around the picked word's query, and in a second tab the values around its context. It
// draws what pictures say in pixels, names on top, in a panel whose size doesn't depend on any number.

import { make, setText, toggle } from "../cells/elements.js";
import { cut, LINE, MAIN, namesIn, shortened } from "./plane_labels.js";
import { hasScores, keyNamed, mixInWords, mixOf, pictureOfMix, pictureOfScores, reachLine, rowOf, scoresInWords, told } from "./plane_pictures.js";
import { Tips } from "./plane_tips.js";
import { say } from "../../scripts/sentences.js";

/** @import { Board } from "../board.js" */
/** @import { Place } from "../types.js" */
/** @import { Layout } from "../spine/types.js" */
/** @import { Axes, Picture, Placed, Size } from "./plane_types.js" */

const SVG = "http://www.w3.org/2000/svg";
const MOST = 64; // tokens that are drawn
const AROUND = { side: 10, tabs: 32, how: 36, told: 88, narrow: 260, wide: 70, words: 180, least: 420, most: 600 }; // pixels: what stands around the picture
const TABS = ["scores", "mix"];

export class Plane {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.tab = "scores";
    /** @type {Size | null} */
    this.size = null; // of the picture, null where there's none
    this.scale = 1;
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {Axes | null} */
    this.axes = null; // of the values
    /** @type {Map<string, number>} */
    this.kept = new Map(); // where names stood last
    /** @type {number | null} */
    this.pointed = null; // the word that is pointed at
    /** @type {number | null} */
    this.row = null; // of the cell that is pointed at
    this.held = false; // whether a tip is
    /** @type {{ drops: SVGPathElement[], arrows: SVGPathElement[], dots: SVGCircleElement[], leaders: SVGPathElement[], labels: HTMLElement[] }} */
    this.words = { drops: [], arrows: [], dots: [], leaders: [], labels: [] };
    this.rulers = [shape("path", "ruler"), shape("path", "ruler")];
    this.rulerNames = [make("span", "ruler"), make("span", "ruler")];
    this.axis = shape("path", "axis");
    this.reach = shape("path", "reach");
    this.main = shape("path", "main");
    this.hint = "";
    this.tabs = TABS.map((name) => this.tabOf(name));
    const list = make("div", "tabs", this.tabs);
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", say("board.plane.tabs"));
    list.addEventListener("keydown", (event) => this.keydown(event));
    this.how = make("p", "how");
    this.svg = shape("svg", "");
    this.svg.setAttribute("role", "img");
    this.names = make("div", "names");
    this.names.setAttribute("aria-hidden", "true");
    this.tips = new Tips(this);
    this.canvas = make("div", "canvas", [this.svg, this.names, this.tips.element]);
    this.sentence = make("span");
    this.numbers = make("b");
    this.note = make("span", "note");
    this.told = make("p", "told", [this.sentence, " ", this.numbers, " ", this.note]);
    this.panel = make("div", "shown", [this.how, this.canvas, this.told]);
    this.panel.id = "plane-panel";
    this.panel.setAttribute("role", "tabpanel");
    this.element = make("div", "plane", [list, this.panel]);
  }

  /** @param {string} name */
  tabOf(name) {
    const tab = make("button", "", [say(`board.plane.tab_${name}`)]);
    tab.type = "button";
    tab.id = `plane-tab-${name}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "plane-panel");
    tab.onclick = () => this.choose(name);
    return tab;
  }

  // What stands on the board of it: nothing where there's no room, or nothing to draw.
  get elements() {
    return this.size ? [this.element] : [];
  }

  // Whether there is anything to draw that a reader could look at.
  get possible() {
    const { torch, data } = this.board;
    return Boolean(data.plane) && hasScores(torch) && data.keys.length <= MOST;
  }

  /** @param {Layout} layout */
  build(layout) {
    const { aside, scale } = layout;
    const { planeOver, data } = this.board;
    this.size = null;
    if (!planeOver || !this.possible) return;
    const free = this.free(layout);
    const plane = free ?? aside;
    const under = free || plane.width / scale < AROUND.narrow ? AROUND.told : AROUND.wide;
    const [beside, over] = free ? [AROUND.words, AROUND.tabs + AROUND.side] : [0, AROUND.tabs + AROUND.how + under];
    const size = { width: plane.width - (2 * AROUND.side + beside) * scale - 2, height: plane.height - over * scale - 2 };
    toggle(this.element, "flat", free !== null);
    if (size.height < 9 * LINE * scale) return;
    this.size = size;
    this.scale = scale;
    Object.assign(this.element.style, { left: `${plane.x}px`, top: `${plane.y}px`, width: `${plane.width}px`, height: `${plane.height}px` });
    Object.assign(this.canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
    this.told.style.height = `${under * scale}px`;
    this.draws(data.keys.length);
    this.tips.build(data.keys.length);
  }

  // A place over what isn't spoken of: of scores, values and what makes them, of the mix, what makes scores.
  /** @param {Layout} layout */
  free({ aside, boxes: { k, v }, labels, above, scale }) {
    if (!k || !v || Math.max(k.y, v.y) > above) return null;
    const [from, to] = this.tab === "mix" ? [labels, v.x] : [k.x + k.width, aside.x + aside.width + AROUND.side];
    const width = Math.min(to - from - 2 * AROUND.side, AROUND.most * scale);
    if (width < AROUND.least * scale || above < (AROUND.tabs + 10 * LINE) * scale) return null;
    return { x: to - width - AROUND.side, y: 0, width, height: above };
  }

  // Of which token the query is shown: the one that is pointed at, itself or by a cell of its row, or the picked one.
  get query() {
    return this.board.previewed ?? this.row ?? this.board.picked;
  }

  // What stands beside the points.
  get keys() {
    const { made, data } = this.board;
    return data.keys.map((_, key) => keyNamed(made, key, data.keys));
  }

  // The elements for so many words.
  /** @param {number} count */
  draws(count) {
    const paths = (/** @type {string} */ className, more = 0) => Array.from({ length: count + more }, () => shape("path", className));
    const labels = [...this.keys.map((label) => make("span", "word", [shortened(label)])), make("span", "main")];
    const dots = Array.from({ length: count }, () => shape("circle", "dot"));
    this.words = { drops: paths("drop"), arrows: paths("arrow"), dots, leaders: paths("leader", 1), labels };
    const { drops, arrows, leaders } = this.words;
    this.svg.replaceChildren(...this.rulers, this.axis, ...drops, ...leaders, ...arrows, this.reach, ...dots, this.main);
    this.names.replaceChildren(...this.rulerNames, ...labels);
  }

  /** @param {string} tab */
  choose(tab) {
    this.tab = tab;
    this.kept.clear();
    this.picture = null;
    this.board.display.showAs({ planeOver: true }); // in the place that is free for it
    this.tabs[TABS.indexOf(tab)].focus();
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    const at = TABS.indexOf(this.tab);
    const to = { ArrowRight: (at + 1) % TABS.length, ArrowLeft: (at + TABS.length - 1) % TABS.length, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(TABS[to]);
  }

  // The same names stay where they are as long as a number is held.
  show() {
    const { board, size, scale, query } = this;
    if (!size) return;
    const { made } = board;
    const view = board.drag && this.picture ? { ...this.picture.view, fixed: this.held } : null;
    this.mark();
    if (this.tab === "scores") {
      this.picture = pictureOfScores(made, query, size, scale, view);
    } else {
      const mix = mixOf(made, query, this.axes);
      this.axes = mix.axes;
      this.picture = pictureOfMix(made, query, size, scale, view, mix);
    }
    this.draw(this.picture, size);
    this.emphasize();
    this.tips.show(this.picture);
  }

  // Which tab is chosen, and what it shows.
  mark() {
    this.tabs.forEach((tab, at) => {
      const on = TABS[at] === this.tab;
      set(tab, "aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      if (on) set(this.panel, "aria-labelledby", tab.id);
    });
    toggle(this.element, "mixes", this.tab === "mix");
    setText(this.how, say(`board.plane.how_${this.tab}`));
  }

  /** @param {Picture} picture @param {Size} size */
  draw(picture, size) {
    const marks = new Map(picture.marks.map((mark) => [mark.word, mark]));
    const { masked } = rowOf(this.board.made, this.query);
    const { drops, arrows, dots, labels } = this.words;
    labels.slice(0, -1).forEach((label, word) => {
      const mark = marks.get(word);
      set(drops[word], "d", mark?.drop ?? "");
      set(arrows[word], "d", mark?.path ?? "");
      set(arrows[word], "stroke-width", this.tab === "mix" ? (mark?.width ?? 0).toFixed(2) : "0");
      set(dots[word], "r", (mark?.radius ?? 0).toFixed(2));
      set(dots[word], "cx", (mark?.at[0] ?? 0).toFixed(2));
      set(dots[word], "cy", (mark?.at[1] ?? 0).toFixed(2));
      for (const each of [drops[word], arrows[word], dots[word], label]) toggle(each, "masked", masked[word]);
    });
    set(this.axis, "d", picture.axis);
    set(this.main, "d", picture.main?.path ?? "");
    this.rulers.forEach((ruler, at) => set(ruler, "d", picture.rulers[at]?.path ?? ""));
    this.name(picture, size);
  }

  // Names beside their points, and those of the axes.
  /** @param {Picture} picture @param {Size} size */
  name(picture, size) {
    const { scale } = this;
    const kept = this.board.drag ? this.kept : new Map();
    const { named, places, crowded } = namesIn(picture, this.keys, size, scale, kept, this.pointed);
    this.kept = new Map(places.map(({ id, choice }) => [id, choice]));
    const placed = new Map(places.map((place) => [place.id, place]));
    const { labels, leaders } = this.words;
    const main = labels.length - 1;
    setText(labels[main], picture.main ? cut(picture.main.label, size.width, scale) : "");
    labels.forEach((label, at) => {
      const id = at === main ? MAIN : String(at);
      const place = placed.get(id);
      toggle(label, "gone", !place);
      set(leaders[at], "d", place?.leader ? `M${place.leader.map((each) => each.join(" ")).join(" L")}` : "");
      if (place) put(label, place, (named.find((each) => each.id === id)?.at ?? [0, 0])[0]);
    });
    this.rulerNames.forEach((name, at) => {
      const ruler = crowded ? undefined : picture.rulers[at];
      toggle(name, "gone", !ruler?.text);
      setText(name, ruler?.text ?? "");
      if (ruler) put(name, ruler, ruler.x);
    });
  }

  // ---- the word that is pointed at ----

  /** @param {Place | null} place */
  point(place) {
    if (this.held) return;
    const [pointed, row, before] = [keyOf(place), queryOf(place), this.query];
    if (pointed === this.pointed && row === this.row) return;
    [this.pointed, this.row] = [pointed, row];
    if (!this.size || !this.picture) return;
    if (this.query === before) this.emphasize();
    else this.show();
  }

  emphasize() {
    const { board, pointed, picture, query } = this;
    if (!picture) return;
    const { made } = board;
    const row = rowOf(made, query);
    const { drops, arrows, dots, labels } = this.words;
    labels.slice(0, -1).forEach((label, word) => {
      for (const each of [drops[word], arrows[word], dots[word], label]) {
        toggle(each, "pointed", word === pointed);
        toggle(each, "behind", pointed !== null && word !== pointed);
      }
    });
    const { key } = told(row, pointed);
    set(this.reach, "d", this.tab === "scores" && key !== null ? reachLine(picture.view, row.query, row.keys[key], this.scale) : "");
    const words = this.tab === "scores" ? scoresInWords(made, query, pointed, board.digits) : mixInWords(made, query, pointed, mixOf(made, query, this.axes));
    setText(this.sentence, words.sentence);
    setText(this.note, [words.note, this.hint].filter(Boolean).join(" "));
    const parts = words.numbers.map(({ text, role }) => make("span", `role-${role}`, [text]));
    if (this.numbers.textContent !== words.numbers.map(({ text }) => text).join("")) this.numbers.replaceChildren(...parts);
    if (!board.drag) set(this.svg, "aria-label", words.alt);
  }

  // The score's cell, or the weight's, that stands for a word in this picture.
  /** @param {number} word @returns {Place | null} */
  cellOf(word) {
    const names = this.tab === "scores" ? ["scores", "scaled_scores"] : ["attention_weights"];
    const places = names.map((matrix) => ({ matrix, row: this.query, column: word }));
    return places.find((place) => this.board.isShown(place)) ?? null;
  }
}

const BY_QUERY = ["q", "scores", "scaled_scores", "attention_weights", "context"];

// Of which query a cell speaks.
/** @param {Place | null} place */
function queryOf(place) {
  return place && BY_QUERY.includes(place.matrix) ? place.row : null;
}

// Of which key a cell speaks.
/** @param {Place | null} place */
function keyOf(place) {
  if (!place) return null;
  if (["scores", "scaled_scores", "attention_weights"].includes(place.matrix)) return place.column;
  return ["k", "v"].includes(place.matrix) ? place.row : null;
}

/** @param {HTMLElement} element @param {Pick<Placed, "x" | "y" | "width" | "height">} box @param {number} at where its point is, across */
function put(element, { x, y, width, height }, at) {
  const align = at <= x + 1 ? "left" : at >= x + width - 1 ? "right" : "center";
  Object.assign(element.style, { transform: `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`, width: `${width.toFixed(2)}px`, height: `${height}px`, textAlign: align });
}

/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {string} className */
function shape(tag, className) {
  const element = document.createElementNS(SVG, tag);
  if (className) element.setAttribute("class", className);
  return element;
}

/** @param {Element} element @param {string} name @param {string} value */
function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
