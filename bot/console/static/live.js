// The live stream of a page that has an element `#live` with the number of the last move that it shows. On the body
// "console:moved" tells what has moved (detail: notices), "console:resync" that all is to be read anew, and "tick"
// follows both, at most every few seconds. Where the stream is cut, the page says so and asks now and then instead.
// A browser has six connections to one place: a page that nobody sees leaves its own to others, and catches up later.
"use strict";

(() => {
  const TICK_MS = 1500;
  const POLL_MS = 10_000;
  // Three beats of the server's fifteen seconds.
  const SILENT_MS = 45_000;
  const live = document.getElementById("live");
  if (!live) return;
  const body = document.body;
  let seen = Number(live.dataset.live);
  let source = null;
  let heardAt = Date.now();
  let staleSince = null;
  let polls = null;
  let tick = null;
  let over = false;

  function say(text, state) {
    live.hidden = false;
    live.dataset.state = state;
    if (live.textContent !== text) live.textContent = text;
  }

  function tell(name, detail) {
    body.dispatchEvent(new CustomEvent(name, { detail }));
    if (tick !== null) return;
    tick = setTimeout(() => {
      tick = null;
      body.dispatchEvent(new Event("tick"));
    }, TICK_MS);
  }

  function heard() {
    heardAt = Date.now();
    staleSince = null;
    clearInterval(polls);
    polls = null;
    if (!over) say("Live", "live");
  }

  function stale() {
    if (over) return;
    staleSince ??= new Date(heardAt);
    say(`Stale since ${staleSince.toISOString().slice(11, 19)}; trying again`, "stale");
    polls ??= setInterval(poll, POLL_MS);
  }

  function end(detail) {
    if (over) return;
    stop();
    body.dispatchEvent(new CustomEvent("console:ended", { detail }));
  }

  function stop() {
    over = true;
    source?.close();
    clearInterval(polls);
    say("Not live", "over");
  }

  // Asks whether anything has moved; whoever is signed out is told so, once.
  async function poll() {
    if (document.hidden) return;
    let answer;
    try {
      answer = await fetch("/console/last", { headers: { "HX-Request": "true" }, cache: "no-store" });
    } catch {
      return;
    }
    if (answer.status === 401) {
      end({ told: await answer.text(), why: answer.headers.get("X-Skywright-Signed-Out") || "nobody" });
    } else if (answer.ok) {
      const { last } = await answer.json();
      if (last !== seen) {
        seen = last;
        tell("console:resync", null);
      }
      if (source?.readyState === EventSource.CLOSED) open();
    }
  }

  function open() {
    source = new EventSource(`/console/stream?after=${seen}`);
    source.onopen = heard;
    source.onerror = () => {
      stale();
      // It comes back by itself unless the answer was no stream; who was signed out is told so by asking.
      if (source.readyState === EventSource.CLOSED) poll();
    };
    source.addEventListener("alive", heard);
    source.addEventListener("moved", (event) => {
      heard();
      const fresh = JSON.parse(event.data).filter((move) => move.seq > seen);
      seen = Math.max(seen, Number(event.lastEventId));
      if (fresh.length) tell("console:moved", fresh);
    });
    source.addEventListener("resync", (event) => {
      heard();
      seen = Number(event.lastEventId);
      tell("console:resync", null);
    });
    source.addEventListener("signed-out", (event) => end(JSON.parse(event.data)));
  }

  function heed() {
    if (over) return;
    if (document.hidden) {
      source?.close();
      source = null;
      clearInterval(polls);
      polls = null;
    } else if (source === null) {
      staleSince ??= new Date(heardAt);
      heardAt = Date.now();
      open();
    }
  }

  // A machine that slept has a stream that only looks open.
  setInterval(() => {
    if (over || source === null || Date.now() - heardAt < SILENT_MS) return;
    stale();
    source.close();
    open();
    heardAt = Date.now();
  }, POLL_MS);

  body.addEventListener("console:ended", stop);
  document.addEventListener("visibilitychange", heed);
  heed();
})();
