// Answers tests in Python, line by line: each asks for what a function does with the page's modules and a value.

import { globSync } from "node:fs";
import { createInterface } from "node:readline";

import { made } from "./made.js";

const OURS = new URL("../../attnviz/", import.meta.url);

/** @type {Record<string, unknown>} */
const modules = { made };
for (const file of globSync("{board,scripts}/**/*.js", { cwd: OURS })) {
  modules[(file.split("/").pop() ?? "").replace(/\.js$/, "")] = await import(new URL(file, OURS).href);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { does, given } = JSON.parse(line);
  let answer;
  try {
    const act = new Function(`return (${does})`)();
    answer = { value: await act(modules, given) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.stack : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
