// Short beeps, made by the browser; a height in hertz for each, one after the other.

const SOUNDS = {
  own: [440], own_refused: [196, 165], opponent: [523, 659], opponent_refused: [330], question: [392, 440], capture: [262, 196, 147], end: [523, 440, 349, 262],
};
const LENGTH = 0.12; // seconds
const LATE = 500; // milliseconds after which nothing is sounded any more
let context = null;

/** Sounds what has happened; browsers allow it once the page has been clicked. */
export async function beep(what) {
  context ??= new AudioContext();
  const asked = performance.now();
  await context.resume();
  if (performance.now() - asked > LATE) return;
  (SOUNDS[what] ?? []).forEach((height, at) => {
    const [tone, gain] = [context.createOscillator(), context.createGain()];
    const start = context.currentTime + at * LENGTH;
    tone.frequency.value = height;
    gain.gain.setValueAtTime(0.12, start);
    gain.gain.exponentialRampToValueAtTime(0.001, start + LENGTH);
    tone.connect(gain).connect(context.destination);
    tone.start(start);
    tone.stop(start + LENGTH);
  });
}
