// What rules do in the page besides what they declare, a file each, of the same name as in attnviz/core/rules:
//
// - compute(settings, ...sources): the matrix that the rule makes of these, where cell by cell takes too long;
// - bounded(settings, row, column, ...sources): what a cell should be, as { exact, tolerance }: in float64, and how far
//   the roundings of float32 may be from it, where that isn't a number of roundings of what is added up;
// - explain(cell, said): what is said of it, given what the declaration says;
// - seen(stage, made): the matrices that its explanation names, where they may differ from its sources.
//
// `settings` are the fields of the Python rule. A test over all rules and stages holds each to the Python method.

import * as layer_norm from "../rules/layer_norm.js";
import * as product from "../rules/product.js";
import * as scale from "../rules/scale.js";
import * as softmax from "../rules/softmax.js";

/** @import { Rule } from "../types.js" */

/** @type {Record<string, Partial<Rule>>} */
export const RULES = { layer_norm, product, scale, softmax };
