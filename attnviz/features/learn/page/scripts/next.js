// The model's predictions after the picked token, as bars of the most probable ones; and a small picture of what each
// of several heads reads at a moment, which also picks the head.

import { button, canvasOf, make, toggle } from "../../../../board/cells/elements.js";
import { paintPixels } from "../../../../board/cells/pixels.js";
import { lineOf } from "../../../../board/values/matrices.js";
import { percent } from "../../../../board/values/numbers.js";
import { bar } from "../../../../scripts/head_view.js";
import { say } from "../../../../scripts/sentences.js";

/** @import { Ramp } from "../../../../board/cells/colours.js" */
/** @import { Head, Model } from "./time.js" */

const PICTURE = 56; // pixels, at most

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
    const picture = button(on ? "picture on" : "picture", "",
      () => this.pick({ layer: head.layer, head: head.head }), { "aria-pressed": String(on) });
    picture.append(canvas, make("span", "", [head.said]));
    toggle(picture, "off", head.off);
    return picture;
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

/** @typedef {{ labels: string[], entries: string[], right: (string | null)[] }} Likely */
/** @typedef {{ name: string, share: number, all?: number }} Entry `all` is its share with all heads, if some are
 *  off */

const MOST = 6;

export class Next {
  constructor() {
    this.heading = make("h2", "heading");
    this.bars = make("div", "bars");
    this.element = make("div", "next", [this.heading, this.bars]);
  }

  /**
   * @param {Likely} model @param {Matrices} made @param {Matrices | null} whole the same with all heads, if some are
   * off
   * @param {number} query
   */
  show({ labels, entries, right: rights }, made, whole, query) {
    const row = Math.min(query, made.probabilities.rows - 1);
    const right = rights[row];
    const before = whole ? lineOf(whole.probabilities, row) : null;
    const line = [...lineOf(made.probabilities, row)]
      .map((share, at) => ({ share, all: before?.[at], name: entries[at] }));
    this.heading.textContent = say(`learn.time.next${right === null ? "" : "_told"}`, { token: labels[row] });
    toggle(this.bars, "both", whole !== null);
    const titles = bar("", say("learn.time.without"), 0);
    titles.classList.add("titles");
    titles.append(make("span", "all", [say("learn.time.with_all")]));
    this.bars.replaceChildren(...(whole ? [titles] : []),
      ...shownOf(line, right).map((entry) => this.bar(entry, right)));
  }

  /** @param {Entry} entry @param {string | null} right */
  bar({ name, share, all }, right) {
    const element = bar(name === right ? say("learn.time.right_one", { name }) : name, written(share), share || 0);
    toggle(element, "is-right", name === right);
    if (name === right) element.title = say("learn.time.right");
    if (all !== undefined) element.append(make("span", "all", [written(all)]));
    return element;
  }
}

// The token that the law requires comes first, then the most probable ones, with all heads or without those off.
/** @param {Entry[]} line @param {string | null} right */
function shownOf(line, right) {
  const most = (/** @type {Entry} */ { share, all }) => Math.max(share, all ?? 0);
  const best = line.toSorted((a, b) => Number(b.name === right) - Number(a.name === right) || most(b) - most(a));
  return best.slice(0, MOST);
}

function written(/** @type {number} */ share) {
  return Number.isFinite(share) ? percent(share) : "NaN";
}
