// The rules of the table of stages, one file each: the twin of the file of the same name in attnviz/core/rules. What
// each exports has the name of the Python method that it is held to, by a test over all rules and stages:
//
// - compute(settings, ...sources): the matrix that the rule makes of these;
// - reads(settings, row, column, ...sources): the cells [row, column] of each source that a cell is made from;
// - bounded(settings, row, column, ...sources): what a cell should be, as { exact, tolerance }: in float64, and how far
//   the roundings of float32 may be from it. Each cell of a board is judged after each change, so it takes numbers;
// - explain(cell): how a cell is made, as { symbols, steps, words, notes }, in the sentences of the catalogue;
// - masked_by(settings), where a source may hide cells: which it is, where there are so many;
// - reach(settings, i, ...sources), where three cells don't tell of all (see spans.js): what any cell reads of source i;
// - seen(stage, made), where they may differ from its sources: the matrices that its explanation names.
//
// `settings` are the fields of the Python rule.

import * as add from "../rules/add.js";
import * as cap from "../rules/cap.js";
import * as concatenate from "../rules/concatenate.js";
import * as feature_map from "../rules/feature_map.js";
import * as gelu from "../rules/gelu.js";
import * as layer_norm from "../rules/layer_norm.js";
import * as lookup from "../rules/lookup.js";
import * as pass_on from "../rules/pass_on.js";
import * as product from "../rules/product.js";
import * as recut from "../rules/recut.js";
import * as relative from "../rules/relative.js";
import * as relu from "../rules/relu.js";
import * as rotate from "../rules/rotate.js";
import * as scale from "../rules/scale.js";
import * as share from "../rules/share.js";
import * as slice from "../rules/slice.js";
import * as softmax from "../rules/softmax.js";
import * as surprise from "../rules/surprise.js";
import * as times_root from "../rules/times_root.js";

/** @import { Rule } from "../types.js" */

/** @type {Record<string, Rule>} */
export const RULES = {
  add, cap, concatenate, feature_map, gelu, layer_norm, lookup, pass_on, product, recut, relative, relu, rotate, scale, share, slice, softmax, surprise, times_root,
};
