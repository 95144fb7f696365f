// What Python sends with the page's scripts, in place of the module sent.js: from the file that ATTNVIZ_SENT names.

import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

const SENT = /\/attnviz\/scripts\/sent\.js$/;

registerHooks({
  resolve(specifier, context, next) {
    const url = specifier.startsWith(".") ? new URL(specifier, context.parentURL).href : specifier;
    return SENT.test(url) ? { url, format: "module", shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!SENT.test(url)) return next(url, context);
    const sent = JSON.parse(readFileSync(process.env.ATTNVIZ_SENT ?? "", "utf8"));
    const source = Object.entries(sent).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
    return { format: "module", source: source.join("\n"), shortCircuit: true };
  },
});
