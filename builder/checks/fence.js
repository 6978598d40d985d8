// Before any script of an app: what its policy says nothing of is refused here, and told on the console.
(() => {
  const MOST_DIALOGS = 30;
  const tell = console.error.bind(console);
  let dialogs = 0;

  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    globalThis[name] = class {
      constructor() {
        tell(`Blocked a connection: ${name}`);
        throw new TypeError(`${name} is not available`);
      }
    };
  }

  for (const name of ["alert", "confirm", "prompt"]) {
    const ask = globalThis[name].bind(globalThis);
    globalThis[name] = (...given) => {
      dialogs += 1;
      if (dialogs > MOST_DIALOGS) {
        tell("Blocked dialogs without end");
        // Held here: Chromium does not survive it when a profile is closed under an open dialog.
        for (;;);
      }
      return ask(...given);
    };
  }
})();
