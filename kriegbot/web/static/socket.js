// The connection to the server: JSON messages, and a new connection whenever the old one is lost.

const FIRST_PAUSE = 300; // milliseconds before the first new attempt; each further one waits twice as long
const LONGEST_PAUSE = 8000;

/** Connects; onOpen() after every connection, onMessage(message), onState(isOpen). Returns send(message). */
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
