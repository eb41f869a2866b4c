// Two people at one screen: the address names both sides' games, and the page follows one of them. After a move a curtain
// comes down; the page then holds no view, and the server sends none until whoever is next lifts the curtain.

const $ = (id) => document.getElementById(id);
const OTHER = { white: "black", black: "white" };
const NAMES = { white: "White", black: "Black" };

/** Who looks next, as the address has it: {side, game, other}, the names of both games; null if each has a screen. */
export function atOneScreen() {
  const named = new URLSearchParams(location.hash.slice(1));
  const [side, game, other] = ["side", "game", "other"].map((name) => named.get(name));
  return side in OTHER && game && other ? { side, game, other } : null;
}

function write({ side, game, other }) {
  history.replaceState(null, "", `#${new URLSearchParams({ game, other, side })}`);
}

/** The curtain; send(message) asks the server, hide() puts nothing but the curtain on the page. */
export function makeCurtain(send, hide) {
  let isDown = false;
  let isLifting = false; // the server was asked for the side that is next
  let hasTurn = false; // whether who looks has been asked for a try

  /** From a game with an invitation, which nobody needs to follow: White looks first. */
  function gather(game) {
    const games = { [game.you]: game.id, [OTHER[game.you]]: game.invitation.split("#game=")[1] };
    write({ side: "white", game: games.white, other: games.black });
    lower();
  }

  function lower() {
    const { side } = atOneScreen();
    send({ do: "curtain" });
    hide();
    [isDown, isLifting, hasTurn] = [true, false, false];
    $("curtain-said").textContent = `Pass the screen to ${NAMES[side]}.`;
    $("lift").textContent = `${NAMES[side]}, press when you alone look`;
    $("lift").onclick = () => {
      isLifting = true;
      send({ do: "join", game: atOneScreen().game });
    };
    $("lift").focus();
  }

  function pass() {
    const { side, game, other } = atOneScreen();
    write({ side: OTHER[side], game: other, other: game });
    lower();
  }

  /** Whether a message is held back: it was on its way when the curtain came down. */
  function holds(message) {
    if (!atOneScreen() || ["hello", "preparing"].includes(message.is) || message.to === "join") return false;
    if (isLifting && message.is === "game" && message.id === atOneScreen().game) isDown = false;
    return isDown;
  }

  /** Whether a view ends the turn of who looks; then the curtain is down, and the view is not to be shown. */
  function ends(view) {
    const isEnd = view.log.at(-1)?.kind === "end";
    if (!atOneScreen()) return false;
    $("pass").hidden = view.yours || isEnd;
    if (hasTurn && !view.yours && !isEnd) {
      pass();
      return true;
    }
    hasTurn ||= view.yours;
    return false;
  }

  $("pass").onclick = pass;
  return { gather, lower, holds, ends };
}
