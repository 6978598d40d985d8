// The policy of apps says nothing of connections between browsers: here they are refused, and told.
(() => {
  const tell = console.error.bind(console);
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    globalThis[name] = class {
      constructor() {
        tell(`Blocked a connection: ${name}`);
        throw new TypeError(`${name} is not available`);
      }
    };
  }
})();
