// The types of what the site's scripts share.

import type showBoard from "./in_site.js";
import type { Later, Story } from "./story_types.js";

declare global {
  interface Window {
    /** Draws a board of the site: in_site.js. */
    attnvizSiteBoard: typeof showBoard;
    /** What scripts of data have brought so far. */
    attnvizSite?: { story?: Story } & Later;
  }
}
