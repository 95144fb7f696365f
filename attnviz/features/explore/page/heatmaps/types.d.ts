// What the heatmaps of Explore are sent.

import type { Data as Pictures } from "../../../../app/components/pictures/types.js";

export interface Data extends Pictures {
  /** What tells the query that it was drawn from. */
  from: string;
  /** What tells its numbers, as they are seen, from others. */
  numbersOf: string;
  /** Where the numbers of another query are asked for, and as whose; null where these are too many. */
  numbers: { at: string; page: string } | null;
}
