// The columns of a story's words, from K to V: where there are more of them than a screen has room for, they are moved
// sideways, those of all parts together, and an edge shows that there are more.

import { toggle } from "../cells/elements.js";

/** @import { StoryPart } from "../story/story_part.js" */

const EDGE = 28; // pixels

export class WordColumns {
  constructor() {
    /** @type {StoryPart[]} */
    this.parts = [];
    this.left = 0; // how far they are moved
  }

  /** @param {StoryPart[]} parts */
  build(parts) {
    this.parts = parts;
    for (const { across } of parts) across.onscroll = () => this.move(across.scrollLeft);
  }

  // So wide are all columns, if they are wider than the screen, else 0.
  /** @param {number} width */
  spread(width) {
    for (const part of this.parts) part.spread(width);
    if (width) this.move(this.left);
  }

  /** @param {number} to */
  move(to) {
    this.left = to;
    for (const { across, edge } of this.parts) {
      if (Math.abs(across.scrollLeft - to) >= 1) across.scrollLeft = to;
      toggle(edge, "end", to + across.clientWidth >= across.scrollWidth - 1);
    }
  }

  // Bring the chosen one of these cells into view, or the only one.
  /** @param {Element[]} cells */
  reveal(cells) {
    const inColumns = cells.filter((cell) => cell.closest(".across.wide"));
    const cell = inColumns.find((each) => each.classList.contains("chosen")) ?? (inColumns.length === 1 ? inColumns[0] : undefined);
    const across = cell?.closest(".across");
    if (!cell || !across) return;
    const [own, room] = [cell.getBoundingClientRect(), across.getBoundingClientRect()];
    const by = Math.max(0, own.right + EDGE - room.right) || Math.min(0, own.left - EDGE - room.left);
    if (by) this.move(across.scrollLeft + by);
  }
}
