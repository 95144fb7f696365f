// All that tests call of the board's modules.

import * as bounds from "../../attnviz/board/bounds.js";
import * as colours from "../../attnviz/board/colours.js";
import * as difference from "../../attnviz/board/difference.js";
import * as evaluate from "../../attnviz/board/evaluate.js";
import * as explain from "../../attnviz/board/explain.js";
import * as numbers from "../../attnviz/board/numbers.js";
import * as pasting from "../../attnviz/board/pasting.js";
import * as reads_most from "../../attnviz/board/reads_most.js";
import * as stepping from "../../attnviz/board/stepping.js";
import * as typed_numbers from "../../attnviz/board/typed_numbers.js";
import * as decimals from "../../attnviz/board/decimals.js";
import * as terms from "../../attnviz/board/terms.js";

export const script = { ...bounds, ...colours, ...difference, ...evaluate, ...explain, ...numbers, ...pasting, ...reads_most, ...stepping, ...typed_numbers, ...decimals, ...terms };
