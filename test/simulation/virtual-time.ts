import { vi } from "vitest";
import { quickCiphers } from "./quick-ciphers.ts";
import { createRandom, type Random } from "./random.ts";

/** Midnight of a day in 2026, when every history starts. */
const START_MS = Date.UTC(2026, 0, 1);

/** More timers than any history needs: it would not end. */
const MAX_STEPS = 100_000;

/** Work that takes real time, such as reading a disk; it runs while the clock stands still and nothing else does. */
const heldWork: (() => Promise<void>)[] = [];
let isHolding = false;

/**
 * Runs work whose duration differs from run to run: alone and in the order of the calls, at one moment of the virtual
 * time, so that its duration decides nothing.
 */
export function hold<T>(work: () => Promise<T>): Promise<T> {
  // What held work starts belongs to it.
  if (isHolding) return work();
  return new Promise((resolve, reject) => {
    heldWork.push(async () => {
      isHolding = true;
      try {
        resolve(await work());
      } catch (error) {
        reject(error);
      } finally {
        isHolding = false;
      }
    });
  });
}

/** Waits in virtual time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds since the history started. */
export function now(): number {
  return Date.now() - START_MS;
}

/** Lets everything run that waits neither for a timer nor for held work. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Runs `work` in virtual time, with all randomness from `seed`: the clock jumps to the next timer once nothing else can
 * happen. Throws if there is no timer left and `work` has not ended: something waits for ever.
 */
export async function inVirtualTime<T>(seed: string, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    now: START_MS,
  });
  const restoreRandom = replaceRandom(createRandom(`${seed} client`));
  let outcome: { value: T } | { error: unknown } | undefined;
  try {
    work().then(
      (value) => (outcome = { value }),
      (error: unknown) => (outcome = { error }),
    );
    for (let steps = 0; ; steps++) {
      await settle();
      const held = heldWork.shift();
      if (held) await held();
      else if (outcome) break;
      else if (vi.getTimerCount() === 0) throw new Error("something waits for ever");
      else if (steps > MAX_STEPS) throw new Error("something repeats for ever");
      else vi.advanceTimersToNextTimer();
    }
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  } finally {
    heldWork.length = 0;
    vi.clearAllTimers();
    restoreRandom();
    vi.useRealTimers();
  }
}

/** Takes random bytes and numbers from `random`, and lets ciphers run at once instead of on other threads. */
function replaceRandom(random: Random): () => void {
  const actual = { getRandomValues: crypto.getRandomValues, random: Math.random };
  Object.assign(crypto, { getRandomValues: random.fill });
  Object.assign(Math, { random: random.next });
  Object.assign(crypto.subtle, quickCiphers);
  return () => {
    Object.assign(crypto, { getRandomValues: actual.getRandomValues });
    Object.assign(Math, { random: actual.random });
    for (const name of Object.keys(quickCiphers)) Reflect.deleteProperty(crypto.subtle, name);
  };
}
