// A share as the page writes it.

import { say } from "../../scripts/sentences.js";
import { written } from "./numbers.js";

// A share in whole percent; nothing is said to be all or none that isn't.
/** @param {number} share */
export function percent(share) {
  if (share > 0 && 100 * share < 1) return say("board.share.less"); // of hundreds of words most
  const whole = written(100 * share, 0);
  if (share < 1 && whole === "100") return say("board.share.more");
  return say("board.share.percent", { share: whole });
}
