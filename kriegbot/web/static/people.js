// Games between two people: their links, and the presence of the other person.

import { clockText } from "./form.js";
import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const LOCAL = ["127.0.0.1", "[::1]", "localhost"];
const NAMES = { white: "White", black: "Black" };
const AWAY = 2000; // milliseconds; reloading the page is not leaving
const CLAIM = 60000; // milliseconds after which the other may claim the game; the server counts them, too
let leaving;
let claiming;
let network = { addresses: [], open: null }; // the server's last message on it
let invite = () => {}; // shows the invitation of the game on the page

/** Shows whether guests can come from other machines. */
export function showNetwork(message) {
  network = message;
  invite();
}

/** Shows the ways back to games in progress, but for the one on the page. */
export function showProgress({ games }, shown) {
  const others = Object.entries(games).filter(([id]) => id !== shown?.id);
  $("in-progress").hidden = !others.length;
  $("in-progress").replaceChildren(others.length > 1 ? "Games in progress: go back to" : "Game in progress: go back to",
    ...others.map(([id, players]) => make("a", { className: "button", href: `#game=${id}` }, players)));
}

/** Shows an invitation to a guest; send(message) sends the answer. */
export function askToJoin({ game, you, rules, clock, by }, send) {
  $("invited-title").textContent = `${by || "A friend"} invites you to a game of Kriegspiel`;
  $("invited-terms").textContent = `You play ${NAMES[you]}. Rules: ${rules}. ${clock ? `Clock: ${clockText(clock)}` : "No clock"}.`;
  $("guest-name").value ||= chosen("name") ?? "";
  $("join").onsubmit = (event) => {
    event.preventDefault();
    keep({ name: $("guest-name").value.trim() });
    send({ do: "join", game, name: chosen("name") });
  };
}

/** Sets up a game; shows the invitation until the game begins. send(message) sends to the server. */
export function startPeople(game, send) {
  const isKnown = game.invitation === null || game.joined;
  $("invitation").hidden = isKnown;
  $("lost-seat").hidden = game.invitation === null;
  $("claim-win").onclick = () => send({ do: "claimwin" });
  $("claim-draw").onclick = () => send({ do: "claimdraw" });
  setHere();
  invite = () => {
    const isLocal = LOCAL.includes(location.hostname);
    $("link").value = (network.open ?? location.origin) + game.invitation;
    $("qr").hidden = isLocal && !network.open;
    if (!$("qr").hidden) $("qr").src = `qr.svg?link=${encodeURIComponent($("link").value)}`;
    $("network").replaceChildren(...(isLocal ? waysIn(send) : []));
    $("link").onfocus = () => $("link").select();
    $("copy").textContent = "Copy";
    $("copy").onclick = async () => {
      await copy($("link"));
      $("copy").textContent = "Copied";
    };
    $("host-name").value = chosen("name") ?? "";
    $("host-name").onchange = () => {
      keep({ name: $("host-name").value.trim() });
      send({ do: "rename", name: $("host-name").value.trim() });
    };
    $("new-link").onclick = () => send({ do: "newlink" });
    $("free-seat").onclick = () => {
      send({ do: "freeseat" });
      setHere();
      $("invitation").hidden = false;
    };
    $("onlookers").replaceChildren("Others can look at the game once it has ended. ", onlookersLink(game));
  };
  if (game.invitation === null) invite = () => {};
  invite();

  function setHere() {
    for (const timer of [leaving, claiming]) clearTimeout(timer);
    $("presence").textContent = "";
    $("stranger").hidden = $("away").hidden = $("claim").hidden = true;
  }

  function receive(message) {
    if (message.is === "view") {
      $("invitation").hidden = true;
      $("stranger").hidden = isKnown || message.ply > 0;
      if ($("presence").textContent === "is back") $("presence").textContent = "";
    } else if (message.is === "names") {
      const them = game.you === "white" ? "black" : "white";
      game[them] = message[them] || game[them]; // for the review, too
      $("their-name").textContent = `${NAMES[them]}: ${game[them]}`;
    } else if (message.is === "over") {
      setHere();
    } else if (message.is === "presence") {
      const wasAway = $("presence").textContent;
      setHere();
      if (message.here && wasAway) $("presence").textContent = "is back";
      if (message.here) return;
      leaving = setTimeout(() => {
        const them = game.you === "white" ? "black" : "white";
        $("presence").textContent = "has left";
        $("away-text").textContent = `${game[them] === "Opponent" ? NAMES[them] : game[them]} has left. After a minute you may claim the game.`;
        $("away").hidden = false;
      }, AWAY);
      claiming = setTimeout(() => { $("claim").hidden = false; }, CLAIM);
    }
  }

  return { receive };
}

/** How a friend on another machine gets in. */
function waysIn(send) {
  const button = (text, address) => make("button", { type: "button", onclick: () => send({ do: "network", address }) }, text);
  const port = network.open?.split(":").at(-1) ?? location.port;
  return [
    make("p", {}, network.open
      ? "The link works for everybody in your network. Guests can play their game, and reach no other. Messages are not encrypted. "
      : "So far the link works on this machine only. If your firewall then asks whether Python may be reached, allow it in private networks. ",
    ...(network.open ? [button("Close", null)] : network.addresses.map((address) => button(`Let guests in from my network (${address})`, address)))),
    make("details", {}, make("summary", {}, "Your friend is not in your house?"),
      make("p", {}, "Both join one private network, such as Tailscale's. Its address appears here when you restart kriegbot; for another, start it with --host ADDRESS."),
      make("p", {}, `Or let your router forward port ${port} to this machine, and put your public address in place of this one in the link.`)),
  ];
}

/** A button that copies the link for others, who see the game after its end, and becomes that link. */
export function onlookersLink(game) {
  const link = make("input", { className: "onlookers", value: (network.open ?? location.origin) + game.onlookers, readOnly: true, "aria-label": "Link for others, copied" });
  const button = make("button", { type: "button", onclick: () => {
    button.replaceWith(link);
    copy(link);
  } }, "Copy the link for others");
  return button;
}

/** Selects and copies the text of a field. */
async function copy(field) {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // without https, as in a home network, the clipboard API is not available
  }
}
