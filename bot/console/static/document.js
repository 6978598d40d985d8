// One document: told anew when it moves, and its app in a frame for whoever wants to try it.
"use strict";

(() => {
  const body = document.body;
  const here = () => document.getElementById("document");
  const id = here().dataset.id;
  const RETRY_MS = 10_000;
  // Whether something has moved since it was read, and whether what has moved waits for the pointer to leave.
  let due = false;
  let waits = false;
  let under = false;
  let over = false;
  let retry = null;

  // What somebody is typing, and the app that somebody is trying, are left alone.
  function keep(old) {
    if (!(old instanceof Element)) return true;
    if (old.matches("input:not([type=hidden]), textarea, .frame")) return false;
    return !(old.id === "stand" && old.matches(":hover, :focus-within"));
  }

  // One look at a time, so that no older answer comes after a newer one; what moves meanwhile is looked for next.
  async function look() {
    if (under) return;
    under = true;
    try {
      while (due && !over) {
        due = false;
        if (await read()) continue;
        due = true;
        clearTimeout(retry);
        retry = setTimeout(look, RETRY_MS);
        break;
      }
    } finally {
      under = false;
    }
  }

  // Whether there is no need to ask for the same again.
  async function read() {
    let answer;
    try {
      answer = await fetch(location.href, { headers: { "HX-Request": "true" } });
    } catch {
      return false;
    }
    if (answer.status === 401) {
      const why = answer.headers.get("X-Skywright-Signed-Out") || "nobody";
      body.dispatchEvent(new CustomEvent("console:ended", { detail: { told: await answer.text(), why } }));
      return true;
    }
    if (!answer.ok) return answer.status < 500;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("document");
    const callbacks = {
      beforeNodeMorphed: keep,
      beforeAttributeUpdated: (name, element) => !(name === "open" && element.matches("details")),
    };
    window.Idiomorph.morph(here(), next, { morphStyle: "outerHTML", callbacks });
    const stand = document.getElementById("stand");
    const held = stand.querySelector("input[name=version]");
    waits = held !== null && held.value !== here().dataset.version;
    stand.classList.toggle("changed", waits);
    return true;
  }

  const lookAgain = () => {
    due ||= waits;
    look();
  };

  body.addEventListener("console:moved", (event) => {
    if (event.detail.some((move) => move.id === id)) due = true;
  });
  for (const name of ["console:resync", "again"]) body.addEventListener(name, () => { due = true; });
  for (const name of ["tick", "again"]) body.addEventListener(name, lookAgain);
  body.addEventListener("console:ended", () => { over = true; });
  body.addEventListener("mouseout", (event) => {
    const stand = event.target.closest("#stand.changed");
    if (stand && !stand.contains(event.relatedTarget)) lookAgain();
  });

  body.addEventListener("toggle", (event) => {
    const tried = event.target;
    if (tried.id !== "try" || !tried.open || tried.querySelector("iframe")) return;
    const frame = document.createElement("iframe");
    frame.title = tried.dataset.title;
    frame.setAttribute("sandbox", tried.dataset.sandbox);
    // The app's host lets those frame it whom it is told of, and tells nobody else of us.
    frame.referrerPolicy = "origin";
    frame.src = tried.dataset.frame;
    tried.querySelector(".frame").append(frame);
  }, true);
})();
