// Runs beside an app, in a world of its own: it sees the page, and nothing that the page redefines changes what it sees.
(() => {
  const MOST_ELEMENTS = 5000;
  const ALIKE = 3;
  const CONTROLS =
    'button, [role="button"], input, select, textarea, summary, a[href], [onclick], [contenteditable=""], [contenteditable="true"], canvas';
  const TYPED = new Set(["text", "search", "number", "tel", "email", "url", ""]);
  const SECRET =
    'input[type="password" i], [autocomplete^="cc-" i], [autocomplete~="current-password" i], [autocomplete~="new-password" i]';

  const met = new WeakSet();
  let listed = [];

  const isShown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width >= 1 && box.height >= 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };

  const labelOf = (element) => {
    const text =
      element.getAttribute("aria-label") || element.labels?.[0]?.innerText || element.innerText || element.getAttribute("placeholder") || element.id || "";
    return String(text).trim().replace(/\s+/g, " ").slice(0, 40);
  };

  const told = (element) => {
    const label = labelOf(element);
    return `<${element.localName.slice(0, 20)}>${label && ` "${label}"`}`;
  };

  const some = (selector) => Array.from(document.querySelectorAll(selector)).slice(0, MOST_ELEMENTS);

  const kindOf = (element) => {
    const type = (element.type || "").toLowerCase();
    if (element.localName === "select") return "choose";
    if (element.localName === "textarea" || element.isContentEditable) return "type";
    if (element.localName !== "input") return "press";
    if (type === "range") return "slide";
    if (TYPED.has(type)) return type === "number" ? "count" : "type";
    if (["date", "time", "month", "week", "datetime-local", "color"].includes(type)) return "set";
    return type === "file" || type === "password" ? "leave" : "press";
  };

  const isCut = (element, width) => {
    const box = element.getBoundingClientRect();
    return box.left < width && box.right > width + 4;
  };

  const isInAScrollBox = (element) => {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflowX !== "visible") return true;
    }
    return false;
  };

  const cannotScroll = () =>
    [document.documentElement, document.body].some((each) => each && ["hidden", "clip"].includes(getComputedStyle(each).overflowX));

  const told_once = (elements) => Array.from(new Set(elements.map(told))).slice(0, 3);

  globalThis.looks = {
    /** What a visitor can read or fill in, cut short. */
    text() {
      const fields = some("input, textarea").filter(isShown).map((each) => each.value || each.placeholder || "");
      return [document.body?.innerText ?? "", ...fields].join(" ").trim().slice(0, 400);
    },

    /** Elements that stick out to the right of the viewport, or are cut off there. */
    outside() {
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= width + 1 && (document.body?.scrollWidth ?? 0) <= width + 1) return [];
      if (cannotScroll()) {
        return told_once(some("button, input, select, textarea").filter((each) => isShown(each) && isCut(each, width) && !isInAScrollBox(each)));
      }
      const over = some("body *").filter((each) => each.getBoundingClientRect().right > width + 1 && isShown(each) && !isInAScrollBox(each));
      const inner = over.filter((each) => !over.some((other) => other !== each && each.contains(other)));
      return over.length > 200 ? told_once(over) : inner.length ? told_once(inner) : ["<body>"];
    },

    /** Fields for what no app may ask for, however they were made. */
    secrets() {
      return told_once(some(SECRET));
    },

    /** Controls that were not listed before, few of those that look alike. */
    controls(most) {
      const alike = new Map();
      listed = [];
      for (const element of some(CONTROLS)) {
        if (listed.length >= most) break;
        if (met.has(element) || element.disabled || !isShown(element)) continue;
        const look = `${element.localName} ${element.type || ""} ${element.className} ${element.parentElement?.localName}`;
        const count = (alike.get(look) ?? 0) + 1;
        alike.set(look, count);
        met.add(element);
        if (count <= ALIKE && kindOf(element) !== "leave") listed.push(element);
      }
      return listed.map((each) => ({ kind: kindOf(each), told: told(each) }));
    },

    /** Where to press a listed control, brought into view; null when it is gone, disabled or covered. */
    place(index) {
      const element = listed[index];
      if (!element?.isConnected || element.disabled || !isShown(element)) return null;
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = element.getBoundingClientRect();
      const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1);
      const y = Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1);
      let hit = document.elementFromPoint(x, y);
      while (hit?.shadowRoot && hit !== element) hit = hit.shadowRoot.elementFromPoint(x, y);
      const isHit = hit && (element.contains(hit) || hit.contains(element) || Array.from(element.labels ?? []).some((label) => label.contains(hit)));
      return isHit ? { x, y } : null;
    },

    /** Choose another option, or set a date, a time or a colour, as a person would in the browser's own picker. */
    set(index) {
      const element = listed[index];
      if (element.localName === "select") {
        element.selectedIndex = Math.max(element.options.length - 1, 0);
      } else {
        const values = { date: "2030-02-03", time: "12:34", month: "2030-02", week: "2030-W05", "datetime-local": "2030-02-03T12:34", color: "#336699" };
        element.value = values[element.type];
      }
      element.dispatchEvent(new Event("input", { bubbles: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
    },

    /** Two frames later, or soon where none are drawn. */
    frame() {
      return new Promise((done) => {
        setTimeout(done, 150);
        requestAnimationFrame(() => requestAnimationFrame(() => done()));
      });
    },
  };
})();
