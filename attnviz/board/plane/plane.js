// "Why these scores?": the keys around the picked word's query, and in a second tab the values around its context. It
// draws what plane_pictures.js computes in pixels, and names on top, in a panel whose size doesn't depend on any
// number.

import { button, drawn, ledTo, make, overlap, put, setText, toggle, UNSEEN, write } from "../cells/elements.js";
import { cut, LINE, MAIN, NAMED, namesIn, shortened } from "./plane_labels.js";
import { keyNamed, mixInWords, mixOf, pictureOfMix, pictureOfScores, reachLine, rowOf, scoresInWords,
  told } from "./plane_pictures.js";
import { Tips } from "./plane_tips.js";
import { say } from "../../scripts/sentences.js";

// pixels around the picture, for margins, tabs and texts
const AROUND = { side: 10, tabs: 32, how: 36, told: 104, narrow: 260, wide: 82, words: 178, most: 700,
  edge: 5 };
const HALF = { width: 330, height: 150 }; // pixels: the least room for a plane that takes half of the board
const TABS = ["scores", "mix"];

export class Plane {
  /** @param {Pick<Board, "at" | "data" | "digits" | "display" | "drag" | "editing" | "givenAt" | "grids" | "input"
   *  | "isShown" | "trace" | "picked" | "plane" | "planeOver" | "pointing" | "previewed" | "root" | "sentence"
   *  | "stages" | "story"
   *  | "titles" | "torch" | "undo">} board */
  constructor(board) {
    this.board = board;
    this.tab = "scores";
    /** @type {Size | null} */
    this.size = null; // the picture's size; null if the plane isn't shown
    this.scale = 1;
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {Axes | null} */
    this.axes = null; // the axes on which values are drawn
    /** @type {Map<string, number>} */
    this.kept = new Map(); // each name's place in the last drawing
    /** @type {number | null} */
    this.pointed = null; // the word that the pointer is on
    /** @type {number | null} */
    this.row = null; // the row of the cell that the pointer is on
    this.held = false; // whether an arrow's tip is being dragged
    /** @type {Record<"drops" | "arrows" | "leaders", SVGPathElement[]> & { dots: Element[], labels: HTMLElement[] }} */
    this.words = { drops: [], arrows: [], dots: [], leaders: [], labels: [] };
    this.rulers = [drawn("path", "ruler"), drawn("path", "ruler")];
    this.rulerNames = [make("span", "ruler"), make("span", "ruler")];
    this.axis = drawn("path", "axis");
    this.reach = drawn("path", "reach");
    this.main = drawn("path", "main");
    this.hint = "";
    this.tabs = TABS.map((name) => button("", say(`board.plane.tab_${name}`), () => this.choose(name), {
      role: "tab", id: `plane-tab-${name}`, "aria-controls": "plane-panel",
    }));
    const list = make("div", "tabs", this.tabs, { role: "tablist", "aria-label": say("board.plane.tabs") });
    list.addEventListener("keydown", (event) => this.keydown(event));
    this.how = make("p", "how");
    this.svg = drawn("svg", "", { role: "img" });
    this.names = make("div", "names", [], UNSEEN);
    this.tips = new Tips(this);
    this.canvas = make("div", "canvas", [this.svg, this.names, this.tips.element]);
    this.sentence = make("span");
    this.numbers = make("b");
    this.note = make("span", "note");
    this.told = make("p", "told", [this.sentence, " ", this.numbers, " ", this.note]);
    this.panel = make("div", "shown", [this.how, this.canvas, this.told], { id: "plane-panel", role: "tabpanel" });
    this.element = make("div", "plane", [list, this.panel]);
  }

  // The plane's elements; none if it has no room, or nothing to draw.
  get elements() {
    return this.size ? [this.element] : [];
  }

  // Hide the lines to matrices that the plane covers, and, if it's `flat`, the scale of colours, whose place it takes.
  // The board has classes for this, because with `:has()` the browser would check the style of every cell whenever the
  // pointer moves.
  cover(/** @type {(name: string) => boolean} */ covers, flat = false) {
    const { root } = this.board;
    toggle(root, "under-plane", flat);
    for (const part of ["k", "v"]) toggle(root, `under-plane-${part}`, covers(part) || covers(`w_${part}`));
  }

  build(/** @type {Layout} */ layout) {
    const { aside, boxes, scale } = layout;
    const { planeOver, data, grids, plane: { possible } } = this.board;
    this.size = null;
    this.cover(() => false);
    if (!planeOver || !possible) return;
    const free = this.free(layout);
    const plane = free ?? aside;
    const under = plane.width / scale < AROUND.narrow ? AROUND.told : AROUND.wide;
    const words = free ? Math.max(AROUND.words * scale, Math.min(320 * scale, 0.5 * plane.width)) : 0;
    const over = free ? 2 * AROUND.edge : AROUND.tabs + AROUND.how + under;
    const size = { width: plane.width - 2 * AROUND.side * scale - words - 2, height: plane.height - over * scale - 2 };
    toggle(this.element, "flat", free !== null);
    if (size.height < this.least * scale) return;
    this.size = size;
    this.scale = scale;
    put(this.element, plane);
    const covers = (/** @type {string} */ name) => Boolean(free && boxes[name] && overlap(boxes[name], plane));
    for (const [name, { matrix }] of grids) toggle(matrix, "gone", covers(name));
    this.cover(covers, free !== null);
    this.element.style.setProperty("--words", `${words}px`);
    if (free) Object.assign(this.element.style, { height: "auto", minHeight: `${plane.height}px` });
    else this.element.style.minHeight = "";
    put(this.canvas, size);
    this.told.style.height = free ? "" : `${under * scale}px`;
    this.draws(data.keys.length);
    this.tips.build(data.keys.length);
  }

  // The least height of a picture: the words' names fit into it in one column.
  get least() {
    return Math.min(NAMED, this.board.data.keys.length) * LINE;
  }

  // The half of the board that this tab isn't about, if it's large enough: for scores, everything after the keys;
  // for the mix, everything before the values. A matrix that the plane would cover only in part is hidden as a whole.
  free(/** @type {Layout} */ layout) {
    const { aside, boxes: { k, v }, labels, above, scale } = layout;
    if (this.board.story.isShown || !k || !v || k.y > above) return null;
    const { under } = this.board.sentence.tools;
    const scores = this.tab !== "mix";
    const [start, end] = [scores ? k.x + k.width : labels, scores || v.y > above ? aside.x + aside.width : v.x];
    const side = AROUND.side * scale;
    const width = Math.min(end - start - 2 * side, AROUND.most * scale);
    const lift = end - side - width >= under.x ? under.height : 0;
    const height = above + lift - LINE * scale; // leaves room for another line of text
    const least = Math.max(HALF.height, this.least + 2 * AROUND.edge + 2);
    const fits = width >= HALF.width * scale && height >= least * scale;
    return fits ? { x: end - side - width, y: -lift, width, height } : null;
  }

  // The token whose query is shown: the pointer is on this token, or on a cell in its row; by default, the picked one.
  get query() {
    return this.board.previewed ?? this.row ?? this.board.picked;
  }

  // The names beside the points.
  get keys() {
    const { trace, data } = this.board;
    return data.keys.map((_, key) => keyNamed(trace, key, data.keys));
  }

  // Make the elements for a number of words.
  draws(/** @type {number} */ count) {
    const paths = (/** @type {string} */ className, more = 0) =>
      Array.from({ length: count + more }, () => drawn("path", className));
    const labels = [...this.keys.map((label) => make("span", "word", [shortened(label)])), make("span", "main")];
    const dots = Array.from({ length: count }, () => drawn("circle", "dot"));
    this.words = { drops: paths("drop"), arrows: paths("arrow"), dots, leaders: paths("leader", 1), labels };
    const { drops, arrows, leaders } = this.words;
    this.svg.replaceChildren(...this.rulers, this.axis, ...drops, ...leaders, ...arrows, this.reach, ...dots,
      this.main);
    this.names.replaceChildren(...this.rulerNames, ...labels);
  }

  choose(/** @type {string} */ tab) {
    this.tab = tab;
    this.kept.clear();
    this.picture = null;
    this.board.display.showAs({ planeOver: true }); // each tab may have another place on the board
    this.tabs[TABS.indexOf(tab)].focus();
  }

  keydown(/** @type {KeyboardEvent} */ event) {
    const to = ledTo(event, TABS.indexOf(this.tab), TABS.length);
    if (to === null) return;
    event.preventDefault();
    this.choose(TABS[to]);
  }

  // While a number is dragged, names stay where they are.
  show() {
    const { board, size, scale, query } = this;
    if (!size) return;
    const { trace } = board;
    const view = board.drag && this.picture ? { ...this.picture.view, fixed: this.held } : null;
    this.mark();
    if (this.tab === "scores") {
      this.picture = pictureOfScores(trace, query, size, scale, view);
    } else {
      const mix = mixOf(trace, query, this.axes);
      this.axes = mix.axes;
      this.picture = pictureOfMix(trace, query, size, scale, view, mix);
    }
    this.draw(this.picture, size);
    this.emphasize();
    this.tips.show(this.picture);
  }

  // Mark the chosen tab, and say what it shows.
  mark() {
    this.tabs.forEach((tab, at) => {
      const on = TABS[at] === this.tab;
      write(tab, "aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      if (on) write(this.panel, "aria-labelledby", tab.id);
    });
    toggle(this.element, "mixes", this.tab === "mix");
    setText(this.how, say(`board.plane.how_${this.tab}`));
  }

  /** @param {Picture} picture @param {Size} size */
  draw(picture, size) {
    const marks = new Map(picture.marks.map((mark) => [mark.word, mark]));
    const { masked } = rowOf(this.board.trace, this.query);
    const { drops, arrows, dots, labels } = this.words;
    labels.slice(0, -1).forEach((label, word) => {
      const mark = marks.get(word);
      write(drops[word], "d", mark?.drop ?? "");
      write(arrows[word], "d", mark?.path ?? "");
      write(arrows[word], "stroke-width", this.tab === "mix" ? (mark?.width ?? 0).toFixed(2) : "0");
      write(dots[word], "r", (mark?.radius ?? 0).toFixed(2));
      write(dots[word], "cx", (mark?.at[0] ?? 0).toFixed(2));
      write(dots[word], "cy", (mark?.at[1] ?? 0).toFixed(2));
      for (const each of [drops[word], arrows[word], dots[word], label]) toggle(each, "masked", masked[word]);
    });
    write(this.axis, "d", picture.axis);
    write(this.main, "d", picture.main?.path ?? "");
    this.rulers.forEach((ruler, at) => write(ruler, "d", picture.rulers[at]?.path ?? ""));
    this.name(picture, size);
  }

  // Put names beside their points, and on the axes.
  /** @param {Picture} picture @param {Size} size */
  name(picture, size) {
    const { scale } = this;
    const kept = this.board.drag ? this.kept : new Map();
    const { named, places, rulers } = namesIn(picture, this.keys, size, scale, kept, this.pointed);
    this.kept = new Map(places.map(({ id, choice }) => [id, choice]));
    const placed = new Map(places.map((place) => [place.id, place]));
    const { labels, leaders } = this.words;
    const main = labels.length - 1;
    setText(labels[main], picture.main ? cut(picture.main.label, size.width, scale) : "");
    labels.forEach((label, at) => {
      const id = at === main ? MAIN : String(at);
      const place = placed.get(id);
      toggle(label, "gone", !place);
      write(leaders[at], "d", place?.leader ? `M${place.leader.map((each) => each.join(" ")).join(" L")}` : "");
      if (place) putBeside(label, place, (named.find((each) => each.id === id)?.at ?? [0, 0])[0]);
    });
    this.rulerNames.forEach((name, at) => {
      const ruler = rulers[at];
      toggle(name, "gone", !ruler);
      setText(name, ruler?.text ?? "");
      if (ruler) putBeside(name, ruler, ruler.x);
    });
  }

  // ---- the word that is pointed at ----

  point(/** @type {Place | null} */ place) {
    if (this.held) return;
    const row = place && BY_QUERY.includes(place.matrix) ? place.row : null;
    const [pointed, before] = [keyOf(place), this.query];
    if (pointed === this.pointed && row === this.row) return;
    [this.pointed, this.row] = [pointed, row];
    if (!this.size || !this.picture) return;
    if (this.query === before) this.emphasize();
    else this.show();
  }

  emphasize() {
    const { board, pointed, picture, query } = this;
    if (!picture) return;
    const { trace } = board;
    const row = rowOf(trace, query);
    const { drops, arrows, dots, labels } = this.words;
    labels.slice(0, -1).forEach((label, word) => {
      for (const each of [drops[word], arrows[word], dots[word], label]) {
        toggle(each, "pointed", word === pointed);
        toggle(each, "behind", pointed !== null && word !== pointed);
      }
    });
    const { key } = told(row, pointed);
    write(this.reach, "d",
      this.tab === "scores" && key !== null ? reachLine(picture.view, row.query, row.keys[key], this.scale) : "");
    const words = this.tab === "scores" ? scoresInWords(trace, query, pointed, board.digits)
      : mixInWords(trace, query, pointed, mixOf(trace, query, this.axes));
    setText(this.sentence, words.sentence);
    setText(this.note, [words.note, this.hint].filter(Boolean).join(" "));
    const parts = words.numbers.map(({ text, role }) => make("span", `role-${role}`, [text]));
    if (this.numbers.textContent !== words.numbers.map(({ text }) => text)
      .join("")) this.numbers.replaceChildren(...parts);
    if (!board.drag) write(this.svg, "aria-label", words.alt);
  }

  // The cell of this tab for a word: its score or scaled score, or its weight.
  /** @param {number} word @returns {Place | null} */
  cellOf(word) {
    const names = this.tab === "scores" ? ["scores", "scaled_scores"] : ["attention_weights"];
    const places = names.map((matrix) => ({ matrix, row: this.query, column: word }));
    return places.find((place) => this.board.isShown(place)) ?? null;
  }
}

const BY_QUERY = ["q", "scores", "scaled_scores", "attention_weights", "context"]; // matrices with a row for each query

// The key that a cell belongs to; null if it belongs to none.
function keyOf(/** @type {Place | null} */ place) {
  if (!place) return null;
  if (["scores", "scaled_scores", "attention_weights"].includes(place.matrix)) return place.column;
  return ["k", "v"].includes(place.matrix) ? place.row : null;
}

/** @param {HTMLElement} element @param {Pick<Placed, "x" | "y" | "width" | "height">} box
 *  @param {number} at the x of its point */
function putBeside(element, { x, y, width, height }, at) {
  const align = at <= x + 1 ? "left" : at >= x + width - 1 ? "right" : "center";
  Object.assign(element.style, { transform: `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`,
    width: `${width.toFixed(2)}px`, height: `${height}px`, textAlign: align });
}
