// A large matrix as pixels, one for each cell, and which cell of it a point of the screen is.

import { stepOf } from "./colours.js";
import { canvasOf, toggle } from "./elements.js";

/**
 * Paint each cell; what is no number, or hidden, stays open, and what is hatched behind it is seen.
 * @param {Uint32Array} pixels @param {{ rows: number, columns: number, values: ArrayLike<number> }} matrix
 * @param {{ turned: boolean, limit: number, inks: Uint32Array, negative: Uint32Array, hidden: ((row: number, column:
 * number) => boolean) | null }} how
 */
export function paintPixels(pixels, { rows, columns, values }, { turned, limit, inks, negative, hidden }) {
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1) {
      const value = values[at];
      const open = !Number.isFinite(value) || (value === 0 && hidden?.(row, column));
      pixels[turned ? column * rows + row : at] = open ? 0 : (value < 0 ? negative : inks)[stepOf(value, limit)];
    }
  }
}

/** @typedef {{ row: number, top: number, height: number }} Lens a row that is drawn higher than the others, over
 *  them */

/**
 * The cell at a point of a matrix's box, as shares of its width and height; in the lens, one of its row.
 * @param {number} right @param {number} down @param {Pick<Matrix, "rows" | "columns">} matrix
 * @param {Box} box @param {Lens | null} lens @returns {{ row: number, column: number }}
 */
export function cellAt(right, down, { rows, columns }, { turned, height }, lens) {
  const [across, along] = turned ? [rows, columns] : [columns, rows];
  const index = (/** @type {number} */ share, /** @type {number} */ count) =>
    Math.min(count - 1, Math.max(0, Math.floor(share * count)));
  const [x, y] = [index(right, across), index(down, along)];
  if (turned) return { row: x, column: y };
  const inLens = lens && down * height >= lens.top && down * height < lens.top + lens.height;
  return { row: inLens ? lens.row : y, column: x };
}

// Where cells are in their matrix's box, in pixels; a row that is in the lens is there.
/** @param {Span} span @param {Box} box @param {Lens | null} lens */
export function rectOf({ row, column, rows, columns }, { cell, row: high, turned }, lens) {
  if (turned) return { x: row * cell, y: column * high, width: rows * cell, height: columns * high };
  const inLens = lens && rows === 1 && row === lens.row;
  return { x: column * cell, width: columns * cell, y: inLens ? lens.top : row * high,
    height: inLens ? lens.height : rows * high };
}

// What is lit of a matrix that is drawn as pixels: its colours once more, over the veil.

export class BrightLayer {
  /** @param {ImageData} image of the matrix, as it is painted @param {boolean} turned */
  constructor(image, turned) {
    this.image = image;
    this.turned = turned;
    const { canvas, context } = canvasOf("bright hidden", image.width, image.height);
    this.canvas = canvas;
    this.context = context;
    this.pixels = new Uint32Array(image.data.buffer);
    this.isLit = false; // whether anything is
    /** @type {ImageData | null} */
    this.fedImage = null;
  }

  // Show the cells that are fed, and those of some spans, without the others.
  /** @param {Uint8Array | undefined} fed @param {Span[]} spans @param {Matrix} matrix */
  show(fed, spans, matrix) {
    const { context, image } = this;
    if (fed) this.brighten(fed, matrix);
    else if (this.isLit) context.clearRect(0, 0, image.width, image.height);
    for (const { row, column, rows, columns } of spans) {
      if (this.turned) context.putImageData(image, 0, 0, row, column, rows, columns);
      else context.putImageData(image, 0, 0, column, row, columns, rows);
    }
    this.isLit = Boolean(fed) || spans.length > 0;
    toggle(this.canvas, "hidden", !this.isLit); // a layer less to put together
  }

  /** @param {Uint8Array} fed @param {Matrix} matrix */
  brighten(fed, { rows, columns }) {
    const image = (this.fedImage ??= new ImageData(this.image.width, this.image.height));
    const pixels = new Uint32Array(image.data.buffer);
    // Without a question for each cell: there may be a million.
    if (!this.turned) for (let at = 0; at < fed.length; at += 1) pixels[at] = this.pixels[at] & -fed[at];
    else for (let at = 0; at < fed.length; at += 1) {
      const pixel = (at % columns) * rows + Math.floor(at / columns);
      pixels[pixel] = this.pixels[pixel] & -fed[at];
    }
    this.context.putImageData(image, 0, 0);
  }
}
