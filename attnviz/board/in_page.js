// Boards in a page of their own.

import { Alone, DARK, rootIn } from "./alone.js";
import { mount } from "./board.js";
import { makeAgain } from "./values/made_again.js";

// Several docks can't all stand at the window's foot.
const OF_SEVERAL = ":host(:not(:only-of-type)) .panel.panel { position: static; }";

/**
 * Draw a board within an element; what is done on it is told to the page around this one, if that is of the origin
 * `tells`.
 * @param {HTMLElement} element @param {BoardData} data @param {{ tells?: string, dark?: boolean | null }} how
 */
export default function showAlone(element, data, { tells = "", dark = null }) {
  makeAgain(data);
  const root = rootIn(element, OF_SEVERAL);
  const host = new Alone(tells, dark);
  host.dress();
  host.board = mount(root, data, host);
  matchMedia(DARK).addEventListener("change", () => host.dress(), host.board.ended);
  return host.board;
}
