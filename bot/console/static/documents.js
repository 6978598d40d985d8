// The list of documents: rows are told anew in place, new ones wait to be asked for, and the keyboard moves along them.
"use strict";

(() => {
  const body = document.body;
  const rows = document.getElementById("rows");
  const fresh = document.getElementById("new");
  const bulk = document.getElementById("bulk");
  const all = () => (rows ? [...rows.rows] : []);
  const row = (id) => document.getElementById(`row:${id}`);
  const shown = new Set(all().map((each) => each.dataset.id));
  const waiting = new Set();
  let asked = new Set();
  let everything = false;
  const RETRY_MS = 10_000;
  let under = false;
  let onceMore = false;
  let over = false;
  let retry = null;

  // What is under the pointer keeps its place and its words until the pointer leaves.
  const isHeld = (each) => each.matches(":hover");

  function put(id, next) {
    const old = row(id);
    if (!old) return;
    if (isHeld(old)) {
      waiting.add(id);
      if (old.dataset.version !== next.dataset.version) old.classList.add("changed");
      return;
    }
    const moved = old.dataset.version !== next.dataset.version;
    const ticked = old.querySelector("input[name=on]")?.checked;
    const at = old.classList.contains("at");
    window.Idiomorph.morph(old, next, { morphStyle: "outerHTML" });
    const now = row(id);
    const box = now.querySelector("input[name=on]");
    if (box) box.checked = ticked;
    now.classList.toggle("changed", moved);
    now.classList.toggle("at", at);
    now.tabIndex = -1;
  }

  // One look at a time; what moves meanwhile is looked for next.
  async function look() {
    onceMore = true;
    if (under) return;
    under = true;
    try {
      while (onceMore && !over) {
        onceMore = false;
        await read();
      }
    } finally {
      under = false;
    }
  }

  async function read() {
    const ids = everything ? [...shown] : [...asked].filter((id) => shown.has(id));
    asked = new Set();
    everything = false;
    const query = new URLSearchParams(location.search);
    for (const id of ids) query.append("id", id);
    let answer;
    try {
      answer = await fetch(`/console/documents/changes?${query}`, { headers: { "HX-Request": "true" } });
    } catch {
      answer = null;
    }
    if (!answer?.ok) {
      if (answer?.status === 401) {
        const why = answer.headers.get("X-Skywright-Signed-Out") || "nobody";
        body.dispatchEvent(new CustomEvent("console:ended", { detail: { told: await answer.text(), why } }));
      } else {
        everything = true;
        clearTimeout(retry);
        retry = setTimeout(look, RETRY_MS);
      }
      return;
    }
    const told = await answer.json();
    const table = new DOMParser().parseFromString(`<table><tbody>${told.rows}</tbody></table>`, "text/html");
    for (const next of table.querySelectorAll("tr")) put(next.dataset.id, next);
    const many = told.ids.filter((id) => !shown.has(id)).length;
    fresh.hidden = many === 0;
    fresh.textContent = `${many}${many === told.ids.length ? "+" : ""} new`;
  }

  body.addEventListener("console:moved", (event) => {
    for (const move of event.detail) asked.add(move.id);
  });
  body.addEventListener("console:resync", () => { everything = true; });
  body.addEventListener("tick", look);
  body.addEventListener("console:ended", () => { over = true; });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    everything = true;
    look();
  });
  rows?.addEventListener("mouseout", (event) => {
    const left = event.target.closest("tr");
    if (!left || left.contains(event.relatedTarget) || !waiting.delete(left.dataset.id)) return;
    asked.add(left.dataset.id);
    look();
  });

  // What is ticked.
  const ticked = document.getElementById("ticked");
  const tickAll = document.getElementById("tick-all");
  const boxes = () => [...rows.querySelectorAll("input[name=on]")];

  function count() {
    const many = boxes().filter((box) => box.checked).length;
    const isAll = bulk.elements.all.checked;
    ticked.textContent = isAll ? "" : `${many} selected`;
    tickAll.checked = many > 0 && many === boxes().length;
    tickAll.indeterminate = many > 0 && !tickAll.checked;
    bulk.querySelector("#bar button").disabled = !isAll && many === 0;
  }

  if (tickAll) {
    tickAll.hidden = false;
    tickAll.addEventListener("change", () => {
      for (const box of boxes()) box.checked = tickAll.checked;
    });
    bulk.addEventListener("change", count);
    count();
  }

  // Keys.
  const at = () => all().findIndex((each) => each.classList.contains("at"));

  function go(to) {
    const next = all()[Math.max(0, Math.min(to, all().length - 1))];
    if (!next) return;
    for (const each of all()) each.classList.toggle("at", each === next);
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  const keys = {
    j: () => go(at() + 1),
    k: () => go(at() - 1),
    x: () => {
      const box = all()[at()]?.querySelector("input[name=on]");
      if (box) box.click();
    },
    r: () => {
      if (!fresh.hidden) location.assign(fresh.href);
      else location.reload();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target instanceof Element ? event.target : body;
    if (event.key === "Enter" && target.matches("#rows > tr")) {
      location.assign(target.querySelector("th a").href);
    } else if (keys[event.key] && !target.closest("input:not([type=checkbox]), select, textarea")) {
      event.preventDefault();
      keys[event.key]();
    }
  });
})();
