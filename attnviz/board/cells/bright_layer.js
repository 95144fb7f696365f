// What is lit of a matrix that is drawn as pixels: its colours once more, over the veil.

import { canvasOf, toggle } from "./elements.js";

/** @import { Matrix, Span } from "../types.js" */

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
