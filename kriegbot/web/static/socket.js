// The connection to the server, for JSON messages. It reconnects when the connection is lost.

const FIRST_PAUSE = 300; // milliseconds before the first new attempt; the pause doubles each time
const LONGEST_PAUSE = 8000;
const LOST = "Connection lost. Trying again …";
const STOPPED = ["The server has stopped. Once kriegbot play --web runs again, this page goes on by itself.",
  "Your host's kriegbot has stopped. Once it runs again, this page goes on by itself."];
const UNSENT = "That was not sent, since there is no connection. Repeat it once this line has gone.";
const MOVED = ["This address is no longer valid. Open the one that kriegbot prints when it starts.",
  "This link is no longer valid. Ask your host for a new one."];

/** Connects. Calls onOpen() after each connection, onMessage(message), and onState(text) with what to show a host or, if isGuest(), a guest. Returns send(message). */
export function connect({ isGuest, onOpen, onMessage, onState }) {
  const address = new URL("ws", location.href.split("#")[0]);
  address.protocol = address.protocol.replace("http", "ws"); // a tunnel may encrypt
  let socket = null;
  let pause = FIRST_PAUSE;

  function open() {
    socket = new WebSocket(address);
    socket.onopen = () => {
      pause = FIRST_PAUSE;
      onState("");
      onOpen();
    };
    socket.onmessage = (event) => onMessage(JSON.parse(event.data));
    socket.onclose = async () => {
      onState(pause === FIRST_PAUSE ? LOST : STOPPED[Number(isGuest())]);
      if (await isRefused()) return onState(MOVED[Number(isGuest())]);
      setTimeout(open, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    };
  }

  /** True if a server answers, but not to this address: trying again is of no use. */
  async function isRefused() {
    try {
      return (await fetch(location.pathname)).status === 404;
    } catch {
      return false;
    }
  }

  open();
  return (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    else onState(UNSENT);
  };
}
