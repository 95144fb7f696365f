// How a matrix is drawn: as cells, or, where it has too many, as colours alone.

import { CanvasGrid } from "./canvas_grid.js";
import { Grid } from "./grid.js";
import { CONSTANTS } from "../../scripts/sent.js";

/** @import { Board } from "../board.js" */
/** @import { Box } from "../spine/types.js" */

/** @param {Board} board @param {string} name @param {Box} box */
export function gridFor(board, name, box) {
  const { rows, columns } = board.torch[name];
  return Math.max(rows, columns) > CONSTANTS.FITS ? new CanvasGrid(board, name, box) : new Grid(board, name, box);
}
