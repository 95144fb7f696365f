// All heads of a model on a page of their own. Python writes into the page what is drawn.

import { drawHeads } from "../scripts/head_grid.js";
import { partOf } from "../scripts/parts.js";

drawHeads(partOf(document, "#grid"), JSON.parse(partOf(document, "#given").textContent ?? ""), null, null);
