"use strict";
const asked = JSON.parse(document.getElementById("settings").textContent);
const at = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
// What a person changes is kept where the frame has storage; a sandboxed one may have none, and then nothing is kept.
const store = {
  read(name) { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
  write(name, value) { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* nothing is kept */ } },
};
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function make(tag, given = {}, ...inside) {
  const element = Object.assign(document.createElement(tag), given);
  element.append(...inside);
  return element;
}

function say(words) { at("said").textContent = words; }

// Enter is taken here: a sandboxed frame may forbid forms altogether.
function onEnter(field, act) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    act();
  });
}

// 1,234.5 and 1.234,5 and 12,5: the last mark is the decimal one, unless it comes again. Where that leaves 10,000 to be
// either, it is what the reader's own language writes. Null for what is no number.
function readNumber(text) {
  const plain = text.trim().replace(/[\s’']/g, "").replace("−", "-");
  if (!/^[+-]?[\d.,]*\d[\d.,]*$/.test(plain)) return null;
  const last = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  const mark = plain[last];
  const own = new Intl.NumberFormat().formatToParts(1.5).find(({ type }) => type === "decimal").value;
  const either = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(plain);
  const groups = last >= 0 && (plain.split(mark).length > 2 || (either && mark !== own));
  const digits = last < 0 || groups ? plain.replace(/[.,]/g, "") : `${plain.slice(0, last).replace(/[.,]/g, "")}.${plain.slice(last + 1)}`;
  const value = Number(digits);
  return Number.isFinite(value) ? value : null;
}

// Each whole number below the limit is as likely as any other.
function chance(limit) {
  const ceiling = Math.floor(2 ** 32 / limit) * limit;
  const drawn = new Uint32Array(1);
  do crypto.getRandomValues(drawn); while (drawn[0] >= ceiling);
  return drawn[0] % limit;
}

// Rings three tones; a browser lets a page sound only after a press, so the first press wakes it.
const bell = {
  audio: null,
  wake() { try { bell.audio = bell.audio || new AudioContext(); bell.audio.resume(); } catch { bell.audio = null; } },
  ring() {
    const audio = bell.audio;
    if (!audio) return;
    [0, 0.28, 0.56].forEach((wait, i) => {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      const from = audio.currentTime + wait;
      tone.frequency.value = [660, 880, 1100][i];
      volume.gain.setValueAtTime(0.0001, from);
      volume.gain.exponentialRampToValueAtTime(0.25, from + 0.03);
      volume.gain.exponentialRampToValueAtTime(0.0001, from + 0.6);
      tone.connect(volume).connect(audio.destination);
      tone.start(from);
      tone.stop(from + 0.65);
    });
  },
};
