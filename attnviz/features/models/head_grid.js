// All heads of a model at a glance: a picture of each head's attention weights, and beside them the head in view, which
// is the one that the reader points at, or else the picked one. The texts of tokens are only ever set as textContent.

import { button, make } from "../../board/cells/elements.js";
import { bytesIn, numbersIn } from "../../board/values/matrices.js";
import { percent } from "../../board/values/numbers.js";
import { HeadView } from "../../scripts/head_view.js";
import { say } from "../../scripts/sentences.js";

/**
 * `shades` packs the pictures' cells: each is an index into the colours of `ramp`, and stands for `step` by `step`
 * weights. `order` is the order of the pictures if it isn't by layers. `marks` say of each token whether the model adds
 * it, and whether it continues the word of the token before. `others` describe layers without attention weights, and
 * are blank for all other layers. `parts` names the groups of tokens that a head's attention is divided among, and
 * `told` has each head's shares of them. `followed` is the token whose row is shown at first.
 * @typedef {{ layers: number, heads: number, rows: number, columns: number, step: number, limit: number,
 *   shades: string, ramp: string, weights: string[][] | null, strongest: Strongest[][] | null, tokens: string[],
 *   typed: string[], marks: string[], read: string[], kept: number | null, same: boolean, masked: boolean,
 *   others: string[], parts: string[], told: { short: string, parts: number[] }[][],
 *   order: [layer: number, head: number][] | null, paper: string, ink: string, negative: string,
 *   followed?: number }} HeadGrid
 */

/** @typedef {{ keys: string, shares: string }} Strongest what each token reads most, if not all weights are sent */

/** @typedef {{ layer: number, head: number }} Head */

const HIGH = 330; // pixels that the weights of the head in view may take
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** The pictures of all heads, and beside them one head in view. */
export class Heads {
  /**
   * @param {HTMLElement} root of the pictures @param {HTMLElement} beside of the head in view @param {HeadGrid} data
   * @param {Head} picked @param {{ pick?: (head: Head) => void, follow?: (row: number) => void }} told
   */
  constructor(root, beside, data, picked, told = {}) {
    this.root = root;
    this.beside = beside;
    this.data = data;
    this.told = told;
    this.picked = picked;
    this.row = data.followed ?? null;
    this.weights = weightsOf(data);
    this.view = new HeadView(HIGH, (row) => {
      this.row = row;
      told.follow?.(row);
      this.show(this.picked);
    });
    this.view.colour(data.paper, data.ink, data.negative);
    this.view.read(data);
    this.grid = this.drawn();
    this.place = make("p", "place");
    this.pattern = make("div", "pattern");
    const { headline, sentence, weights, bars } = this.view;
    beside.replaceChildren(this.place, headline, sentence, weights, bars, this.pattern);
    this.rest();
    requestAnimationFrame(() => this.rest()); // once the tokens are laid out, so that the ribbons find them
  }

  drawn() {
    const { data } = this;
    const grid = make("div", data.order ? "heads sorted" : "heads");
    grid.style.setProperty("--heads", String(data.heads));
    grid.style.setProperty("--shape", `${data.columns} / ${data.rows}`);
    if (data.order) grid.append(...data.order.map(([layer, at]) => sorted(this.button(layer, at), layer, at)));
    else grid.append(...byLayers(data, (layer, at) => this.button(layer, at)));
    const picture = make("canvas", "pictures");
    grid.append(picture);
    const around = make("div", "around", [grid]);
    this.root.replaceChildren(around);
    const inks = picturesOf(data);
    new ResizeObserver(() => { // also runs once before the first paint
      paint(picture, inks, grid, data);
      this.beside.style.setProperty("--heads-wide", `${grid.offsetWidth}px`);
      this.beside.style.setProperty("--heads-high", `${around.offsetHeight}px`);
    }).observe(grid);
    grid.onkeydown = (event) => this.step(event);
    return grid;
  }

  /** @param {number} layer @param {number} head */
  button(layer, head) {
    const own = { layer, head };
    const picture = button("head", "", () => {
      this.picked = own;
      this.told.pick?.(own);
      this.rest();
    }, { "data-head": `${layer},${head}`,
      "aria-label": say("models.grid.head", { ...own, short: this.data.told[layer][head].short }) });
    picture.onpointerenter = () => this.show(own);
    picture.onfocus = () => picture.matches(":focus-visible") && this.show(own);
    picture.onpointerleave = picture.onblur = () => this.rest();
    return picture;
  }

  // Moves between pictures with the arrow keys; for the Tab key, all pictures are a single stop.
  step(/** @type {KeyboardEvent} */ event) {
    const by = Reflect.get(STEPS, event.key);
    const at = event.target instanceof HTMLElement ? event.target.dataset.head : undefined;
    if (!by || !at) return;
    event.preventDefault();
    const all = /** @type {HTMLElement[]} */ ([...this.grid.querySelectorAll(".head")]);
    const [layer, head] = at.split(",").map(Number);
    const next = this.data.order ? all[all.findIndex((each) => each.dataset.head === at) + by[1]]
      : this.grid.querySelector(`.head[data-head="${nextLayer(this.data, layer, by[0])},${head + by[1]}"]`);
    if (next instanceof HTMLElement) next.focus();
  }

  // Takes in another followed token, or another picked head.
  /** @param {number | undefined} followed @param {Head} [picked] */
  follow(followed, picked) {
    this.row = followed ?? this.row;
    this.picked = picked ?? this.picked;
    if (!this.grid.querySelector(".head:hover")) this.rest();
  }

  rest() {
    for (const head of /** @type {NodeListOf<HTMLElement>} */ (this.grid.querySelectorAll(".head"))) {
      const on = head.dataset.head === `${this.picked.layer},${this.picked.head}`;
      head.setAttribute("aria-pressed", String(on));
      head.tabIndex = on ? 0 : -1;
    }
    const first = /** @type {HTMLElement | null} */ (this.grid.querySelector(".head"));
    if (first && !this.grid.querySelector('.head[tabindex="0"]')) first.tabIndex = 0;
    this.show(this.picked);
  }

  show(/** @type {Head} */ { layer, head }) {
    const own = this.weights(layer, head);
    const { data } = this;
    if (own.length === 0 || !data.told[layer]?.[head]) return;
    const hidden = data.masked ? (/** @type {number} */ row, /** @type {number} */ column) => column > row : null;
    this.row ??= mostAcross(own, data);
    this.place.textContent = say("models.view.place", { layer, head });
    this.view.show(own, this.row, hidden);
    const shares = data.told[layer][head].parts;
    const named =
      data.parts.map((name, at) => make("span", `part part-${at}`, [name, make("b", "", [percent(shares[at])])]));
    const bar = make("div", "whole", shares.map((share, at) => {
      const part = make("i", `part-${at}`);
      part.style.flexGrow = String(share);
      return part;
    }));
    this.pattern.replaceChildren(...(shares.length ? [make("h2", "", [say("models.view.pattern")]), bar,
      make("p", "", named)] : []));
  }
}

// The next layer that has heads, upwards (by = -1) or downwards (by = 1); the same layer for 0.
/** @param {HeadGrid} data @param {number} layer @param {number} by */
function nextLayer(data, layer, by) {
  if (!by) return layer;
  let next = layer + by;
  while (data.others[next]) next += by;
  return next;
}

// A row of the heads' numbers, then a row for each layer.
/** @param {HeadGrid} data @param {(layer: number, head: number) => HTMLElement} head */
function byLayers(data, head) {
  const numbers = Array.from({ length: data.heads }, (_, at) => make("span", "number", [String(at)]));
  const lines = [make("span", "number"), ...numbers];
  for (let layer = 0; layer < data.layers; layer += 1) {
    const there = data.told[layer].length;
    lines.push(make("span", "layer", [String(layer)]));
    if (data.others[layer]) {
      lines.push(make("span", "other", [data.others[layer]]));
      continue;
    }
    for (let at = 0; at < data.heads; at += 1) lines.push(at < there ? head(layer, at) : make("span", "none"));
  }
  return lines;
}

// A picture with its layer and head below it, for an order that doesn't show them.
/** @param {HTMLElement} picture @param {number} layer @param {number} head */
function sorted(picture, layer, head) {
  return make("div", "one", [picture, make("span", "number", [`${layer}.${head}`])]);
}

// The colours of shares, from 0 to the largest, in a canvas's byte order: red in the lowest byte.
function inksOf(/** @type {string} */ ramp) {
  const step = (/** @type {number} */ at) => Number.parseInt(ramp.slice(6 * at, 6 * at + 6), 16);
  return Uint32Array.from({ length: ramp.length / 6 }, (_, at) => {
    const ink = step(at);
    return ((0xff << 24) | ((ink & 0xff) << 16) | (ink & 0xff00) | (ink >> 16)) >>> 0;
  });
}

// Columns and rows of each picture. A cell shows the largest of the `step` by `step` weights that it stands for.
function sizeOf(/** @type {HeadGrid} */ { rows, columns, step }) {
  return [Math.ceil(columns / step), Math.ceil(rows / step)];
}

// All pictures in a grid, with one pixel for each cell.
function picturesOf(/** @type {HeadGrid} */ data) {
  const [wide, high] = sizeOf(data);
  const inks = inksOf(data.ramp);
  const shades = bytesIn(data.shades);
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [data.heads * wide, data.layers * high];
  const image = new ImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  let at = 0;
  for (let layer = 0; layer < data.layers; layer += 1) {
    for (let head = 0; head < data.heads; head += 1) {
      for (let row = 0; row < high; row += 1) {
        const start = (layer * high + row) * canvas.width + head * wide;
        for (let column = 0; column < wide; column += 1) pixels[start + column] = inks[shades[at++]];
      }
    }
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}

// All pictures share one canvas: a browser takes longer to set up a hundred canvases than to paint their contents.
/** @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} drawn @param {HTMLElement} grid
 *  @param {HeadGrid} data */
function paint(canvas, drawn, grid, data) {
  const all = grid.getBoundingClientRect();
  const [wide, high] = sizeOf(data);
  const scale = window.devicePixelRatio;
  [canvas.width, canvas.height] = [Math.round(all.width * scale), Math.round(all.height * scale)];
  const context = canvas.getContext("2d");
  if (!context || !canvas.width || !canvas.height) return;
  const heads = /** @type {NodeListOf<HTMLElement>} */ (grid.querySelectorAll(".head"));
  for (const head of heads) {
    const [layer, number] = (head.dataset.head ?? "").split(",").map(Number);
    const box = head.getBoundingClientRect();
    const pixel = (/** @type {number} */ place) => Math.round(place * scale);
    const frame = head.clientLeft; // the frame's width; with small cells, it would cover the first column
    const [left, top] = [pixel(box.left + frame - all.left), pixel(box.top + frame - all.top)];
    const [right, bottom] = [pixel(box.right - frame - all.left), pixel(box.bottom - frame - all.top)];
    context.imageSmoothingEnabled = right - left < wide;
    context.drawImage(drawn, number * wide, layer * high, wide, high, left, top, right - left, bottom - top);
  }
  canvas.dataset.pictures = String(heads.length);
}

// Returns a function that gives a head's weights. They are unpacked when first asked for, and those of the last head
// are kept. If not all weights were sent, all but the strongest of each row are 0. The result is empty while the page
// has no weights yet.
/** @param {HeadGrid} data @returns {(layer: number, head: number) => Float64Array} */
function weightsOf(data) {
  let [known, own] = ["", new Float64Array()];
  return (layer, head) => {
    if (known === `${layer},${head}`) return own;
    const { weights, strongest, rows, columns } = data; // read at each call, because a page may receive them later
    if (weights) own = numbersIn(weights[layer][head]);
    else if (strongest) own = spread(strongest[layer][head], rows, columns);
    else return new Float64Array();
    known = `${layer},${head}`;
    return own;
  };
}

/** @param {Strongest} strongest @param {number} rows @param {number} columns */
function spread({ keys, shares }, rows, columns) {
  const places = new Uint16Array(bytesIn(keys).buffer);
  const own = new Float64Array(rows * columns);
  const some = places.length / rows;
  numbersIn(shares).forEach((share, at) => {
    own[Math.floor(at / some) * columns + places[at]] = share;
  });
  return own;
}

// The row that holds the largest weight on a token other than the row's own and the first.
/** @param {Float64Array} own @param {HeadGrid} data */
function mostAcross(own, { columns }) {
  let [most, largest] = [0, 0];
  own.forEach((weight, at) => {
    const column = at % columns;
    if (column > 0 && column !== Math.floor(at / columns) && weight > largest) [most, largest] = [at, weight];
  });
  return Math.floor(most / columns);
}
