// What each of several heads reads at a moment, as a small picture by which it is picked.

import { canvasOf, make, toggle } from "../../../board/cells/elements.js";
import { paintPixels } from "../../../board/cells/pixels.js";

/** @import { Ramp } from "../../../board/cells/colours.js" */
/** @import { Head, Model } from "./time.js" */

const PICTURE = 56; // pixels

export class Pictures {
  /** @param {(head: Head) => void} pick */
  constructor(pick) {
    this.pick = pick;
    this.element = make("div", "pictures");
  }

  /** @param {Model} model */
  draw(model) {
    const several = model.heads.length > 1;
    this.element.replaceChildren(...(several ? model.heads.map((head) => this.picture(head, model)) : []));
  }

  /** @param {Model["heads"][number]} head @param {Model} model */
  picture(head, model) {
    const size = model.labels.length;
    const { canvas } = canvasOf("", size, size);
    canvas.style.width = canvas.style.height = `${size * Math.max(1, Math.floor(PICTURE / size))}px`;
    canvas.dataset.head = head.name;
    const on = head.layer === model.picked.layer && head.head === model.picked.head;
    const button = make("button", on ? "picture on" : "picture", [canvas, make("span", "", [head.said])]);
    toggle(button, "off", head.off);
    button.type = "button";
    button.setAttribute("aria-pressed", String(on));
    button.onclick = () => this.pick({ layer: head.layer, head: head.head });
    return button;
  }

  /** @param {Matrices} made @param {Ramp} ramp */
  paint(made, ramp) {
    for (const canvas of this.element.querySelectorAll("canvas")) {
      const matrix = made[canvas.dataset.head ?? ""];
      const image = new ImageData(matrix.columns, matrix.rows);
      const how = { turned: false, limit: 1, inks: ramp.inks, negative: ramp.inks, hidden: later };
      paintPixels(new Uint32Array(image.data.buffer), matrix, how);
      canvas.getContext("2d")?.putImageData(image, 0, 0);
    }
  }
}

/** @param {number} row @param {number} column */
export function later(row, column) {
  return column > row;
}
