// Softmax beside a learned sink, a number for each head; see core/rules/softmax.py.

import { compute as softmax } from "./softmax.js";

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} sinks */
export function compute(settings, scores, sinks) {
  return softmax({ ...settings, sink: sinks.values[settings.head] }, scores);
}
