// What the app's board fetches of the plane.

import { Plane } from "./plane.js";

export default function planeOf(/** @type {Board} */ board) {
  return new Plane(board);
}
