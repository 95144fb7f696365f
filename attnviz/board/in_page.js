// Boards in a page of their own.

import { Alone, DARK, around, rootIn } from "./alone.js";
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
  const [host, page] = [new Alone(tells, dark), around()];
  host.dress();
  const board = host.board = mount(root, data, host);
  matchMedia(DARK).addEventListener("change", () => host.dress(), board.ended);
  const themes = new MutationObserver(() => host.dress());
  if (page) themes.observe(page, { attributeFilter: ["data-jp-theme-light"] });
  board.ended.signal.addEventListener("abort", () => themes.disconnect());
  return board;
}
