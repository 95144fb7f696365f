// The data that Python sends to the heatmaps of Explore.

import type { Data as Pictures } from "../../../../app/components/pictures/types.js";

export interface Data extends Pictures {
  /** Mark of the query that the data was drawn from. */
  from: string;
  /** Identifies the displayed numbers, to notice others. */
  numbersOf: string;
  /** Path and page name for requesting another query's numbers; null if there are too many. */
  numbers: { at: string; page: string } | null;
}
