// Between two people: the links that are passed on, and whether the other is there.

import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const LOCAL = ["127.0.0.1", "[::1]", "localhost"];
const AWAY = 2000; // milliseconds: who has the page loaded anew has not left
let leaving;

/** Of a game; the invitation is up until the game begins. */
export function startPeople(game) {
  $("invitation").hidden = game.invitation === null;
  $("presence").textContent = "";
  clearTimeout(leaving);
  if (game.invitation !== null) invite();

  function invite() {
    $("link").value = location.origin + game.invitation;
    $("link").onfocus = () => $("link").select();
    $("copy").textContent = "Copy";
    $("copy").onclick = async () => {
      await copy($("link"));
      $("copy").textContent = "Copied";
    };
    $("link-about").textContent = LOCAL.includes(location.hostname)
      ? "It works on this machine only; to play from another one, start the server with --host and this machine's address." : "";
    $("onlookers").replaceChildren("Others may look at the game once it has ended. ", onlookersLink(game));
  }

  function receive(message) {
    if (message.is === "view") {
      $("invitation").hidden = true;
      if ($("presence").textContent === "is back") $("presence").textContent = "";
    } else if (message.is === "presence") {
      clearTimeout(leaving);
      if (message.here && $("presence").textContent) $("presence").textContent = "is back";
      else if (!message.here) leaving = setTimeout(() => { $("presence").textContent = "has left"; }, AWAY);
    }
  }

  return { receive };
}

/** A button that becomes the link for those who look at a game after its end, and copies it. */
export function onlookersLink(game) {
  const link = make("input", { className: "onlookers", value: location.origin + game.onlookers, readOnly: true, "aria-label": "Link for others, copied" });
  const button = make("button", { type: "button", onclick: () => {
    button.replaceWith(link);
    copy(link);
  } }, "Copy the link for others");
  return button;
}

/** Copies what stands in a field, and selects it. */
async function copy(field) {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // where the page is not served safely, as in a home network
  }
}
