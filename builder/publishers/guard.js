// Runs before anything of the app: see builder/publishers/shut_in.py.
(() => {
  const page = document.currentScript.dataset.page;
  document.currentScript.remove();
  // Opened by itself, it gives way to its page.
  if (window === window.top) {
    window.stop();
    location.replace(page);
    return;
  }
  // In its frame it has no storage, and asking for some raises an error: what it keeps lasts as long as the page.
  class Kept {
    get length() { return Object.keys(this).length; }
    key(index) { return Object.keys(this)[index] ?? null; }
    getItem(name) { return Object.hasOwn(this, name) ? this[name] : null; }
    setItem(name, value) { this[name] = String(value); }
    removeItem(name) { delete this[name]; }
    clear() { for (const name of Object.keys(this)) delete this[name]; }
  }
  for (const name of ["localStorage", "sessionStorage"]) {
    try { window[name]; } catch { Object.defineProperty(window, name, { value: new Kept() }); }
  }
})();
