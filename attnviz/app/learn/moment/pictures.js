// What each head reads of the text at a moment, as a small picture by which it is picked.

import { rampsOf } from "../../../board/cells/colours.js";
import { make, themeOf, toggle } from "../../../board/cells/elements.js";
import { paintPixels } from "../../../board/cells/pixels.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Matrices, Roles } from "../../../board/types.js" */
/** @import { Head, Model } from "./time.js" */

const PICTURE = 64; // pixels

export class Pictures {
  /** @param {(head: Head) => void} pick */
  constructor(pick) {
    this.pick = pick;
    this.element = make("div", "pictures");
    /** @type {[Uint32Array, Uint32Array] | null} */
    this.inks = null; // of attention weights on this theme, and of negative numbers
  }

  /** @param {Model} model */
  draw(model) {
    const several = model.heads.length > 1;
    this.element.replaceChildren(...(several ? [make("div", "heading", [say("learn.time.heads")])] : []), ...model.heads.filter(() => several).map((head) => this.picture(head, model)));
  }

  /** @param {Model["heads"][number]} head @param {Model} model */
  picture(head, model) {
    const size = model.table.tokens.length;
    const canvas = make("canvas");
    [canvas.width, canvas.height] = [size, size];
    const side = size * Math.max(1, Math.floor(PICTURE / size));
    Object.assign(canvas.style, { width: `${side}px`, height: `${side}px` });
    canvas.setAttribute("aria-hidden", "true");
    canvas.dataset.head = head.name;
    const on = head.layer === model.picked.layer && head.head === model.picked.head;
    const button = make("button", on ? "picture on" : "picture", [canvas, make("span", "", [head.said])]);
    toggle(button, "off", head.off);
    button.type = "button";
    button.setAttribute("aria-pressed", String(on));
    button.onclick = () => this.pick({ layer: head.layer, head: head.head });
    return button;
  }

  /** @param {Matrices} made @param {Roles} roles @param {HTMLElement} root */
  paint(made, roles, root) {
    const [inks, negative] = (this.inks ??= mixed(roles, root));
    for (const canvas of this.element.querySelectorAll("canvas")) {
      const matrix = made[canvas.dataset.head ?? ""];
      const image = new ImageData(matrix.columns, matrix.rows);
      paintPixels(new Uint32Array(image.data.buffer), matrix, { turned: false, limit: 1, inks, negative, hidden: (row, column) => column > row });
      canvas.getContext("2d")?.putImageData(image, 0, 0);
    }
  }
}

// Mixed once: to ask for the theme makes the browser work out every style.
/** @param {Roles} roles @param {HTMLElement} root @returns {[Uint32Array, Uint32Array]} */
function mixed(roles, root) {
  const ramps = rampsOf(roles, themeOf(root));
  return [ramps.a.inks, ramps.negative.inks];
}
