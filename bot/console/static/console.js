// What every page of the console does by itself. Other scripts of ours speak to it by events on the document's body:
// "tick" and "again" have live parts read anew; "console:ended" says that the session is over, and all stop asking.
"use strict";

(() => {
  const GO = {
    n: "/console/",
    d: "/console/documents",
    s: "/console/sends",
    c: "/console/charts",
    l: "/console/lanes",
    a: "/console/audit",
  };
  const GO_WITHIN_MS = 1500;
  const SIGNED_OUT = "X-Skywright-Signed-Out";
  const body = document.body;
  let ended = false;

  const find = (selector) => document.querySelector(selector);
  const types = (element) => element.closest("input, select, textarea, [contenteditable]") !== null;

  // An ended session is told once, and then nothing is asked for any more.
  function end(told, why) {
    if (ended) return;
    ended = true;
    const banner = find("#ended");
    banner.querySelector("p").textContent = `${told} `;
    const back = new URLSearchParams({ next: location.pathname + location.search });
    if (why !== "nobody") back.set("ended", why);
    banner.querySelector("a").href = `/console/sign-in?${back}`;
    banner.hidden = false;
  }

  body.addEventListener("console:ended", (event) => end(event.detail.told, event.detail.why));

  // Nobody looks at a hidden page: it asks again once it is seen.
  body.addEventListener("htmx:beforeRequest", (event) => {
    const isPoll = !event.detail.requestConfig.triggeringEvent;
    if (ended || (isPoll && document.hidden)) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) body.dispatchEvent(new Event("again"));
  });

  function trouble(told) {
    const banner = find("#trouble");
    banner.textContent = told;
    banner.hidden = told === "";
  }

  body.addEventListener("htmx:responseError", (event) => {
    const answer = event.detail.xhr;
    if (answer.status === 401) {
      const detail = { told: answer.responseText, why: answer.getResponseHeader(SIGNED_OUT) || "nobody" };
      body.dispatchEvent(new CustomEvent("console:ended", { detail }));
    } else {
      trouble(answer.responseText || "The bot did not do that.");
    }
  });
  body.addEventListener("htmx:sendError", () => trouble("The bot does not answer; what is shown may be old."));
  body.addEventListener("htmx:afterOnLoad", () => trouble(""));

  // What the pointer or the keyboard is in stays as it is, and stays where it is. Looked for before anything changes:
  // what is drawn above it moves it away from under the pointer.
  let anchor = null;
  body.addEventListener("htmx:beforeSwap", () => {
    const element = find("[data-hold]:hover, [data-hold]:focus-within");
    anchor = element && { element, top: element.getBoundingClientRect().top };
  });
  if (window.Idiomorph) {
    const callbacks = window.Idiomorph.defaults.callbacks;
    callbacks.beforeNodeMorphed = (old) => anchor === null || old !== anchor.element;
    callbacks.beforeAttributeUpdated = (name, element) => !(name === "open" && element.matches("details"));
  }
  body.addEventListener("htmx:afterSwap", () => {
    const note = find("#held");
    if (note) note.hidden = anchor === null;
    const main = find("main");
    if (anchor === null || !anchor.element.isConnected) {
      main.style.paddingTop = main.style.paddingBottom = "";
      return;
    }
    const off = () => anchor.element.getBoundingClientRect().top - anchor.top;
    const roomier = (side) => {
      main.style[side] = `${parseFloat(getComputedStyle(main)[side]) + Math.abs(off())}px`;
    };
    window.scrollBy(0, off());
    // Where there is no way left to scroll, there is made some.
    if (off() >= 1) {
      roomier("paddingBottom");
      window.scrollBy(0, off());
    } else if (off() <= -1) {
      roomier("paddingTop");
    }
  });

  // A form of a change is sent once: a second press would throw away the answer to the first. Whoever comes back to
  // the page may send it again, which does nothing twice.
  const enable = (form, enabled) => {
    form.toggleAttribute("data-sent", !enabled);
    for (const button of form.querySelectorAll("button")) button.disabled = !enabled;
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post") return;
    if (form.hasAttribute("data-sent")) {
      event.preventDefault();
      return;
    }
    form.setAttribute("data-sent", "");
    // Its data is read first, to which the pressed button belongs.
    setTimeout(() => enable(form, false));
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) enable(form, true);
  });

  // Keys.
  let goesUntil = 0;
  const keys = {
    "?": () => find("#help")?.showModal(),
    "/": () => find("[data-search]")?.focus(),
    r: () => (find("[hx-trigger*='again']") ? body.dispatchEvent(new Event("again")) : location.reload()),
    g: () => { goesUntil = Date.now() + GO_WITHIN_MS; },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const at = event.target instanceof Element ? event.target : body;
    if (types(at)) {
      if (event.key === "Escape") at.blur();
      return;
    }
    if (find("dialog[open]")) return;
    if (Date.now() < goesUntil && GO[event.key]) {
      event.preventDefault();
      location.assign(GO[event.key]);
    } else if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // On a phone the pages' names do not fit side by side.
  find("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

  const help = find("[data-help]");
  if (help) {
    help.hidden = false;
    help.addEventListener("click", keys["?"]);
  }
})();
