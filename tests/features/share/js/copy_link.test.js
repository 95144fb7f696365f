// The link that Share copies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linkOf } from "../../../../attnviz/features/share/page/copy_link.js";

test("a link to copy is the page's own, with what it hides", () => {
  assert.equal(linkOf("https://x.org/a/lesson?text=a+b#c", {}), "https://x.org/a/lesson?text=a+b#c");
  assert.equal(linkOf("https://x.org/?seed=1&hide=d_in", { hide: "d_in,seed" }),
    "https://x.org/?hide=d_in%2Cseed&seed=1");
});
