// All heads of a model at a glance: a picture of each one's attention weights, and the sentence over them, on which what
// is pointed at is drawn in ribbons. Texts of tokens are only ever set as textContent.

import { bytesIn, numbersIn } from "../board/received.js";
import { written } from "../board/values/numbers.js";
import { element, sentenceOf } from "./head_sentence.js";
import { say } from "./sentences.js";

/**
 * @typedef {{ layers: number, heads: number, rows: number, columns: number, limit: number, side: number, step: number,
 *   shades: string, ramp: string, weights: string[][] | null, strongest: Strongest[][] | null, tokens: string[],
 *   typed: string[], marks: ("" | "special" | "joined")[], read: string[], same: boolean, told: { short: string, most: string }[][],
 *   order: [layer: number, head: number][] | null, followed?: number }} HeadGrid `shades` are the inks of all pictures,
 *   whose cells stand for `step` by `step` weights; `order` is that of the pictures, where it isn't by layers; `marks`
 *   say which tokens the model puts there, and which go on with the word of the one before; `followed` is the token
 *   whose reading is told of the head that is picked
 */

/** @typedef {{ keys: string, shares: string }} Strongest what each token reads most, where not all of it is sent */

/** @typedef {{ layer: number, head: number }} Head */

const DIGITS = 4; // after the point of a weight
const SAME = 1e-6; // attention weights that differ by less are the same

/**
 * Draw the grid into an element; `onPick` is told which head is clicked. Returns what is to be called where another
 * token is followed, or another head picked.
 * @param {HTMLElement} root @param {HeadGrid} data @param {Head | null} picked @param {((head: Head) => void) | null} onPick
 */
export function drawHeads(root, data, picked, onPick) {
  const weights = weightsOf(data);
  const told = element("p", "told");
  told.setAttribute("role", "status");
  const sentence = sentenceOf(data);
  const grid = element("div", "heads");
  grid.style.setProperty("--heads", String(data.heads));
  grid.style.setProperty("--side", `${data.side}px`);
  grid.style.setProperty("--shape", `${data.columns} / ${data.rows}`);
  let now = picked;
  const tell = (/** @type {Head} */ { layer, head: at }, /** @type {number} */ row, /** @type {number | null} */ column) => {
    const own = weights(layer, at);
    if (own.length === 0) return;
    told.textContent = inWords(data, own, layer, at, row, data.weights ? column : null);
    sentence.draw(Array.from(own.subarray(row * data.columns, (row + 1) * data.columns)), row);
  };
  const rest = () => {
    if (now && buttonOf(grid, now)) {
      tell(now, data.followed ?? mostAcross(weights(now.layer, now.head), data), null);
      return;
    }
    told.textContent = say("models.grid.point");
    sentence.draw([], 0);
  };
  // Tell what is framed by the keyboard, and of all others what is picked: ribbons and frame are of one head.
  const settle = () => {
    const focused = grid.querySelector(".head:focus-visible");
    if (focused) focused.dispatchEvent(new Event("focus"));
    else rest();
  };
  const head = (/** @type {number} */ layer, /** @type {number} */ at) => {
    const button = namedButton(data, layer, at);
    const own = { layer, head: at };
    button.onpointermove = (event) => tell(own, ...cellOf(event, data));
    button.onfocus = () => button.matches(":focus-visible") && tell(own, mostAcross(weights(layer, at), data), null);
    button.onpointerleave = () => settle();
    button.onblur = () => rest();
    button.onclick = () => {
      now = own;
      onPick?.(own);
    };
    return button;
  };
  grid.classList.toggle("sorted", data.order !== null);
  if (data.order) grid.append(...data.order.map(([layer, at]) => sorted(head(layer, at), layer, at)));
  else grid.append(...byLayers(data, head));
  const picture = /** @type {HTMLCanvasElement} */ (element("canvas", "pictures"));
  grid.append(picture);
  const around = element("div", "around");
  around.append(grid);
  root.replaceChildren(sentence.place, told, around);
  const drawn = picturesOf(data);
  new ResizeObserver(() => paint(picture, drawn, grid, data)).observe(grid); // for the first time before it's shown
  if (picked) markPicked(root, picked);
  if (!picked) rest();
  else if (root.isConnected) requestAnimationFrame(() => rest()); // once the tokens have their places
  return (/** @type {number | undefined} */ followed, /** @type {Head | undefined} */ other) => {
    data.followed = followed;
    now = other ?? now;
    if (!grid.querySelector(".head:hover")) settle();
  };
}

/** @param {Element} grid @param {Head} place */
function buttonOf(grid, { layer, head }) {
  return grid.querySelector(`.head[data-head="${layer},${head}"]`);
}

// Mark the head that is picked.
/** @param {HTMLElement} root @param {Head} picked */
export function markPicked(root, { layer, head }) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".head"))) {
    button.setAttribute("aria-pressed", String(button.dataset.head === `${layer},${head}`));
  }
}

// A line of numbers, then a line for each layer.
/** @param {HeadGrid} data @param {(layer: number, head: number) => HTMLElement} head */
function byLayers(data, head) {
  const span = (/** @type {string} */ name, /** @type {string} */ text) => Object.assign(element("span", name), { textContent: text });
  const lines = [span("number", ""), ...Array.from({ length: data.heads }, (_, at) => span("number", String(at)))];
  for (let layer = 0; layer < data.layers; layer += 1) {
    const there = data.told[layer].length;
    lines.push(span("layer", say("models.layer", { layer })));
    for (let at = 0; at < data.heads; at += 1) lines.push(at < there ? head(layer, at) : span("none", ""));
  }
  return lines;
}

// A picture with its place below it, where it doesn't stand by that.
/** @param {HTMLElement} picture @param {number} layer @param {number} head */
function sorted(picture, layer, head) {
  const place = element("div", "place");
  place.append(picture, Object.assign(element("span", "number"), { textContent: say("models.grid.place", { layer, head }) }));
  return place;
}

/** @param {HeadGrid} data @param {number} layer @param {number} head */
function namedButton(data, layer, head) {
  const button = /** @type {HTMLButtonElement} */ (element("button", "head"));
  button.type = "button";
  button.dataset.head = `${layer},${head}`;
  button.setAttribute("aria-label", say("models.grid.head", { layer, head, short: data.told[layer][head].short }));
  return button;
}

// The colours of shares, from 0 to the largest, as a canvas has them: red in the lowest byte.
/** @param {string} ramp */
function inksOf(ramp) {
  const step = (/** @type {number} */ at) => Number.parseInt(ramp.slice(6 * at, 6 * at + 6), 16);
  return Uint32Array.from({ length: ramp.length / 6 }, (_, at) => {
    const ink = step(at);
    return ((0xff << 24) | ((ink & 0xff) << 16) | (ink & 0xff00) | (ink >> 16)) >>> 0;
  });
}

// The cells of each picture: of as many weights as one stands for, it's the largest.
/** @param {HeadGrid} data */
function sizeOf({ rows, columns, step }) {
  return [Math.ceil(columns / step), Math.ceil(rows / step)];
}

// All pictures beside and below each other, a pixel for each cell.
/** @param {HeadGrid} data */
function picturesOf(data) {
  const [wide, high] = sizeOf(data);
  const inks = inksOf(data.ramp);
  const shades = bytesIn(data.shades);
  const canvas = document.createElement("canvas");
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

// One canvas for all: a hundred of them take a browser longer than all that is in them.
/** @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} drawn @param {HTMLElement} grid @param {HeadGrid} data */
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
    const frame = head.clientLeft; // under which the first column would be lost where cells are small
    const [left, top] = [pixel(box.left + frame - all.left), pixel(box.top + frame - all.top)];
    const [right, bottom] = [pixel(box.right - frame - all.left), pixel(box.bottom - frame - all.top)];
    context.imageSmoothingEnabled = right - left < wide;
    context.drawImage(drawn, number * wide, layer * high, wide, high, left, top, right - left, bottom - top);
  }
  canvas.dataset.pictures = String(heads.length);
}

// The weights of a head, by its layer and its number: unpacked when asked for, and the last ones kept. Where not all
// were sent, they are 0 but for the strongest of each row; none where a page has not come that far.
/** @param {HeadGrid} data @returns {(layer: number, head: number) => Float64Array} */
function weightsOf(data) {
  let [known, own] = ["", new Float64Array()];
  return (layer, head) => {
    if (known === `${layer},${head}`) return own;
    const { weights, strongest, rows, columns } = data; // which a page may read only now
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

// The cell of a picture that is pointed at.
/** @param {PointerEvent} event @param {HeadGrid} data @returns {[row: number, column: number]} */
function cellOf(event, { rows, columns }) {
  const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
  const at = (/** @type {number} */ share, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
  return [at((event.clientY - box.top) / box.height, rows), at((event.clientX - box.left) / box.width, columns)];
}

// The row with the largest weight on another token than its own and the first.
/** @param {Float64Array} own @param {HeadGrid} data */
function mostAcross(own, { columns }) {
  let [most, largest] = [0, 0];
  own.forEach((weight, at) => {
    const column = at % columns;
    if (column > 0 && column !== Math.floor(at / columns) && weight > largest) [most, largest] = [at, weight];
  });
  return Math.floor(most / columns);
}

/** @param {HeadGrid} data @param {Float64Array} own @param {number} layer @param {number} head @param {number} row @param {number | null} column */
function inWords(data, own, layer, head, row, column) {
  const { most } = data.told[layer][head];
  const shares = own.subarray(row * data.columns, (row + 1) * data.columns);
  const key = column ?? shares.indexOf(Math.max(...shares));
  const places = { layer, head, query: data.tokens[row], key: data.read[key], weight: written(shares[key], DIGITS) };
  const alike = shares.filter((share) => Math.abs(share - shares[key]) < SAME).length;
  const equally = column === null && alike > 1 && Math.abs(alike * shares[key] - 1) < SAME * alike;
  const reads = equally ? say("models.grid.equally", { ...places, count: alike }) : say("models.grid.reads", places);
  return most ? `${reads} ${say("models.grid.most", { share: most })}` : reads;
}
