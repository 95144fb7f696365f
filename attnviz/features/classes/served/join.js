// The page on which people join a class by its code, or a teacher opens one with the question in the address.

import { say } from "../../../scripts/sentences.js";
import { MOST_OF_ADDRESS } from "../../../scripts/sent.js";
import { ask, el, main } from "./shared.js";

const OPENS_MS = 30_000; // a question about training has to train a model first
const about = new URLSearchParams(location.search).get("about");
const within = new URL(`${location.pathname.replace(/\/$/, "")}/`, location.href);
if (about) open(about);
else join();

function join() {
  const code = el("input", {
    name: "code", maxLength: 6, autocomplete: "off", autocapitalize: "characters", spellcheck: false, required: true,
  });
  const form = el("form", {}, el("label", {}, say("classes.join.code"), code),
    el("button", { className: "first" }, say("classes.join.join")));
  form.onsubmit = (event) => {
    event.preventDefault();
    location.assign(new URL(encodeURIComponent(code.value.trim().toUpperCase()), within));
  };
  main.replaceChildren(el("h1", {}, say("classes.join.title")), el("p", {}, say("classes.join.about")), form);
  code.focus();
}

function open(/** @type {string} */ asks) {
  const button = el("button", { className: "first" }, say("classes.open.open"));
  const trouble = el("p", { role: "alert" });
  button.onclick = async () => {
    button.disabled = true;
    const { status, text } = await ask(new URL(".", within).href.replace(/\/$/, ""), { about: asks }, OPENS_MS);
    button.disabled = false;
    if (status !== 200) {
      trouble.textContent = say(status === 429 ? "classes.open.full" : "classes.off.about");
      return;
    }
    const { code, secret } = JSON.parse(text);
    location.replace(new URL(`${code}/teacher#${secret}`, within));
  };
  main.replaceChildren(el("h1", {}, say("classes.open.title")), el("p", {}, say("classes.open.about")),
    el("p", { className: "muted" }, say("classes.open.kept")),
    el("p", { className: "muted" }, say("classes.open.one_address", { n: MOST_OF_ADDRESS })), button, trouble);
}
