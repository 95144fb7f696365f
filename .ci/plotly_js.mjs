// Makes attnviz/documents/plotly_js/plotly-figures-3.7.0.min.js.gz: the part of plotly.js that our figures need.
//
//   mkdir /tmp/plotly && cd /tmp/plotly
//   npm install --ignore-scripts plotly.js@3.7.0 esbuild@0.28.0
//   node REPOSITORY/.ci/plotly_js.mjs /tmp/plotly REPOSITORY/attnviz/documents/plotly_js
//
// It is bundled like plotly.js's own partial bundles (see CUSTOM_BUNDLE.md there): the core, which includes scatter,
// and the traces named below. The descriptions of attributes, which no code reads, and the style sheets of maps are
// left out. So is the wrapper for other module systems: a browser first skims such a function and then reads it again,
// which takes a fifth of the time to the first picture. plotly.py 6.9 writes figures for version 3.7.0.
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {gzipSync} from "node:zlib";

const TRACES = ["bar", "heatmap"];
const [installed, target] = process.argv.slice(2);
const {build} = createRequire(join(installed, "/"))("esbuild");
const source = join(installed, "node_modules/plotly.js");
const {version} = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));

const DESCRIPTION = /^\s*description: (?:'.*'|\[[^\]]*?\]\.join\('\s*'\)),?$/gm;
const withoutDescriptions = {
  name: "without-descriptions",
  setup({onLoad}) {
    onLoad({filter: /plotly\.js\/src\/.*\.js$/}, ({path}) => ({
      contents: readFileSync(path, "utf8").replace(DESCRIPTION, ""),
    }));
  },
};

const registered = TRACES.map((name) => `require("./lib/${name}")`).join(", ");
const {outputFiles} = await build({
  stdin: {
    contents: `const core = require("./lib/core"); core.register([${registered}]); module.exports = core;`,
    resolveDir: source,
  },
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  globalName: "Plotly",
  target: "es2016",
  charset: "ascii",
  legalComments: "eof",
  alias: {stream: "stream-browserify"},
  define: {global: "window", "define.amd": "false", "process.env.NODE_DEBUG": "false"},
  loader: {".css": "empty"},
  plugins: [withoutDescriptions],
});
const head = `/**
* plotly.js (${["scatter", ...TRACES].join(", ")} - minified) v${version}
* Copyright 2012-2026, Plotly, Inc.
* All rights reserved.
* Licensed under the MIT license
*/
`;
const script = head + outputFiles[0].text;
const file = `plotly-figures-${version}.min.js`;
writeFileSync(join(target, `${file}.gz`), gzipSync(script, {level: 9}));
const digest = createHash("sha256").update(script).digest("hex");
writeFileSync(join(target, "SHA256SUMS"), `${digest}  ${file}\n`);
