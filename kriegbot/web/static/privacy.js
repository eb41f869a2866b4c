// Two people at one screen: the address names both sides' games, and the page follows one of them. After a move the
// player reads the answer and passes the screen on. Then a privacy screen hides the board; the page holds no view, and
// the server sends none until the next player goes on.

const $ = (id) => document.getElementById(id);
const OTHER = { white: "black", black: "white" };
const NAMES = { white: "White", black: "Black" };

/** The side that looks next, as the address has it: {side, game, other}, with the ids of both games; null on two screens. */
export function atOneScreen() {
  const named = new URLSearchParams(location.hash.slice(1));
  const [side, game, other] = ["side", "game", "other"].map((name) => named.get(name));
  return side in OTHER && game && other ? { side, game, other } : null;
}

function write({ side, game, other }) {
  history.replaceState(null, "", `#${new URLSearchParams({ game, other, side })}`);
}

/** The privacy screen; send(message) sends a message to the server, hide() shows the screen in place of everything else. */
export function makePrivacyScreen(send, hide) {
  let isUp = false;
  let isJoining = false; // the page has joined the next side's game, and waits for the answer

  /** Start a game with an invitation that nobody needs to follow: White looks first. */
  function gather(game) {
    const games = { [game.you]: game.id, [OTHER[game.you]]: game.invitation.split("#game=")[1] };
    write({ side: "white", game: games.white, other: games.black });
    raise();
  }

  function raise() {
    const { side } = atOneScreen();
    send({ do: "privacyscreen" });
    hide();
    [isUp, isJoining] = [true, false];
    $("privacy-text").textContent = `Pass the screen to ${NAMES[side]}.`;
    $("unhide").textContent = `${NAMES[side]}: press when nobody else is looking`;
    $("unhide").onclick = () => {
      isJoining = true;
      send({ do: "join", game: atOneScreen().game });
    };
    $("unhide").focus();
  }

  function pass() {
    const { side, game, other } = atOneScreen();
    write({ side: OTHER[side], game: other, other: game });
    raise();
  }

  /** True if a message must not be shown: it was on its way when the screen went up. */
  function holds(message) {
    if (!atOneScreen() || ["hello", "preparing"].includes(message.is) || message.to === "join") return false;
    if (isJoining && message.is === "game" && message.id === atOneScreen().game) isUp = false;
    return isUp;
  }

  /** Offers to pass the screen on, once a view ends the turn of the player at the screen. */
  function look(view) {
    if (!atOneScreen()) return;
    $("pass").hidden = view.yours || view.log.at(-1)?.kind === "end";
    if (!$("pass").hidden) $("pass").focus();
  }

  $("pass").onclick = pass;
  return { gather, raise, holds, look };
}
