// Short beeps, made by the browser: the pitches of each in hertz.

const SOUNDS = {
  own: [440], own_refused: [196, 165], opponent: [523, 659], opponent_refused: [330], question: [392, 440], capture: [262, 196, 147], end: [523, 440, 349, 262],
};
const LENGTH = 0.12; // seconds
const MAX_DELAY = 500; // milliseconds; later beeps are left out
let context = null;

/** Plays the beeps for an event. Browsers allow it once the person has clicked the page. */
export async function beep(event) {
  context ??= new AudioContext();
  const begun = performance.now();
  await context.resume();
  if (performance.now() - begun > MAX_DELAY) return;
  (SOUNDS[event] ?? []).forEach((pitch, at) => {
    const [tone, gain] = [context.createOscillator(), context.createGain()];
    const start = context.currentTime + at * LENGTH;
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.12, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
    tone.connect(gain).connect(context.destination);
    tone.start(start);
    tone.stop(start + LENGTH);
  });
}
