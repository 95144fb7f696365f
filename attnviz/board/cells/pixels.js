// A large matrix drawn with a pixel for each cell, and the cell at a point of the screen.

import { stepOf } from "./colours.js";
import { canvasOf, toggle } from "./elements.js";

/**
 * Paint each cell. Masked cells and values that aren't finite stay transparent, so that the hatching behind shows.
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

/** @typedef {{ row: number, top: number, height: number }} Lens a row that is drawn enlarged, over its neighbours */

/**
 * The cell at a point of a matrix's box; `right` and `down` are shares of its width and height. Within the lens it is
 * a cell of the enlarged row.
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

// The area of some cells within their matrix's box, in pixels; cells of the enlarged row are found in the lens.
/** @param {Span} span @param {Box} box @param {Lens | null} lens */
export function rectOf({ row, column, rows, columns }, { cell, row: high, turned }, lens) {
  if (turned) return { x: row * cell, y: column * high, width: rows * cell, height: columns * high };
  const inLens = lens && rows === 1 && row === lens.row;
  return { x: column * cell, width: columns * cell, y: inLens ? lens.top : row * high,
    height: inLens ? lens.height : rows * high };
}

// The highlighted cells of a matrix that is drawn as pixels: a second copy of their colours, above the veil.

export class BrightLayer {
  /** @param {ImageData} image the matrix as it is painted @param {boolean} turned */
  constructor(image, turned) {
    this.image = image;
    this.turned = turned;
    const { canvas, context } = canvasOf("bright hidden", image.width, image.height);
    this.canvas = canvas;
    this.context = context;
    this.pixels = new Uint32Array(image.data.buffer);
    this.isLit = false; // whether any cell is highlighted
    /** @type {ImageData | null} */
    this.fedImage = null;
  }

  // Show the cells that `fed` marks with 1, and those of `spans`, and no others.
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
    toggle(this.canvas, "hidden", !this.isLit); // saves the browser a layer
  }

  /** @param {Uint8Array} fed @param {Matrix} matrix */
  brighten(fed, { rows, columns }) {
    const image = (this.fedImage ??= new ImageData(this.image.width, this.image.height));
    const pixels = new Uint32Array(image.data.buffer);
    // Bit arithmetic, no branch for each cell: there may be a million.
    if (!this.turned) for (let at = 0; at < fed.length; at += 1) pixels[at] = this.pixels[at] & -fed[at];
    else for (let at = 0; at < fed.length; at += 1) {
      const pixel = (at % columns) * rows + Math.floor(at / columns);
      pixels[pixel] = this.pixels[pixel] & -fed[at];
    }
    this.context.putImageData(image, 0, 0);
  }
}
