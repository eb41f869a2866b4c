// The connection to the server, for JSON messages. It reconnects when the connection is lost.

const FIRST_PAUSE = 300; // milliseconds before the first new attempt; the pause doubles each time
const LONGEST_PAUSE = 8000;

/** Connects. Calls onOpen() after each connection, onMessage(message) and onState(isOpen). Returns send(message). */
export function connect({ onOpen, onMessage, onState }) {
  const address = new URL("ws", location.href.split("#")[0]);
  address.protocol = "ws:";
  let socket = null;
  let pause = FIRST_PAUSE;

  function open() {
    socket = new WebSocket(address);
    socket.onopen = () => {
      pause = FIRST_PAUSE;
      onState(true);
      onOpen();
    };
    socket.onmessage = (event) => onMessage(JSON.parse(event.data));
    socket.onclose = () => {
      onState(false);
      setTimeout(open, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    };
  }

  open();
  return (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
}
