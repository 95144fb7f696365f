// The entry point for boards on a page of their own, without a server.

import { Alone, DARK, around, rootIn } from "./offline.js";
import { mount } from "../board.js";
import { makeAgain } from "../values/bit_differences.js";

// If there are several boards, none of them has its dock at the foot of the window.
const OF_SEVERAL = ":host(:not(:only-of-type)) .panel.panel { position: static; }";

/**
 * Draw a board within an element. The page around this one gets messages about edits and picks, if its origin is
 * `tells`; `dark` sets the theme, null for that of the page around or the system.
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
