// Dragging by mouse, pen or finger.

import { followPointer } from "../../scripts/parts.js";

// From when a pointer is pressed on an element until it is released: `start(event)` may refuse by returning false,
// `move(event)` follows this pointer, `end()` is called once, also where the browser takes it away.
/** @param {HTMLElement} element
 *  @param {{ start(event: PointerEvent): boolean | void, move(event: PointerEvent): void, end(): void }} acts */
export function onDrag(element, { start, move, end }) {
  element.onpointerdown = (event) => {
    if (event.button !== 0 || start(event) === false) return;
    const letGo = () => {
      stop();
      end();
    };
    const stop = followPointer(event, { pointermove: move, pointerup: letGo, pointercancel: letGo });
  };
}

// Which of these boxes has its middle nearest to a point.
/** @param {Pick<DOMRect, "left" | "right" | "top" | "bottom">[]} boxes @param {number} x @param {number} y */
export function nearest(boxes, x, y) {
  const distances =
    boxes.map(({ left, right, top, bottom }) => Math.hypot((left + right) / 2 - x, (top + bottom) / 2 - y));
  return distances.indexOf(Math.min(...distances));
}

// Where a key leads from a position in a line, or null for a key that leads nowhere.
/** @param {string} key @param {number} position @param {number} length */
export function steppedTo(key, position, length) {
  /** @type {Record<string, number>} */
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -length, End: length };
  return key in steps ? Math.min(length - 1, Math.max(0, position + steps[key])) : null;
}
