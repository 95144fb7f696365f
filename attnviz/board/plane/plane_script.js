// The script of the plane, which the app's board fetches.

import { Plane } from "./plane.js";

export default function planeOf(/** @type {Board} */ board) {
  return new Plane(board);
}
