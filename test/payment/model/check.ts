import { fold, mayBeSent, next } from "../../../src/payment/machine.ts";
import { type Exploration, explore } from "../../support/explore.ts";
import { type Callable, listCallable, listProcessSteps } from "./process.ts";
import { listEvents } from "./surroundings.ts";
import { findWrong, getNonce, newWorld, toKey, type Variant, type World } from "./world.ts";

const FAULTS = ["lag", "drop", "lie", "late", "wrong hash", "lose", "reorganise", "revert", "other"] as const;

const usual: Variant = {
  machine: { next, fold, mayBeSent },
  payer: "key",
  isMarked: true,
  needsApproval: false,
  journals: "common",
  acts: false,
  faults: FAULTS,
  maxFaults: 2,
  reorgDepth: 1,
  confirmations: 1,
  finality: 2,
  saysFinal: false,
  maxHeight: 5,
  maxAttempts: 3,
  decides: false,
  isWilling: false,
};

/** Completes a variant; its machine reads the same entries, which never change, only once. */
function complete(changed: Partial<Variant>): Variant {
  const variant = { ...usual, ...changed };
  const { machine } = variant;
  const known = new WeakMap<object, ReturnType<typeof fold>>();
  const foldOnce: typeof fold = (entries) => {
    const state = known.get(entries) ?? machine.fold(entries);
    known.set(entries, state);
    return state;
  };
  return { ...variant, machine: { ...machine, fold: foldOnce } };
}

const listTransitions = (world: World, variant: Variant) => [
  ...listEvents(world, variant),
  ...listProcessSteps(world, variant),
];

export function check(
  changed: Partial<Variant>,
  depth: number,
  sampleEvery?: number,
  start = newWorld,
): Exploration<World> {
  const variant = complete(changed);
  return explore({
    start,
    depth,
    listTransitions: (world) => listTransitions(world, variant),
    toKey,
    findWrong: (world) => findWrong(world, variant),
    ...(sampleEvery === undefined ? {} : { sampleEvery }),
  });
}

/** How many steps to continue from a state at random. */
const WALK_STEPS = 80;

/**
 * Continues from samples of the reachable states, without further faults and by the user's decisions where they are needed.
 *
 * @param walks - how often to continue from a state before it counts as a dead end
 * @returns the steps to a state after which an order is not paid in its journal
 */
export function findDeadEnd(
  changed: Partial<Variant>,
  depth: number,
  sampleEvery: number,
  walks: number,
  start = newWorld,
) {
  const variant = complete(changed);
  const { samples } = check(variant, depth, sampleEvery, start);
  const random = createRandom(1);
  for (const { state, steps } of samples) {
    const maxHeight = state.height + 30;
    const quiet = {
      ...variant,
      faults: [],
      decides: changed.decides ?? true,
      isWilling: true,
      maxHeight,
      maxAttempts: 9,
    };
    const stopped = { ...state, runs: state.runs.map(() => undefined) };
    for (const call of listCallable(variant)) {
      if (!canBePaid(stopped, call, quiet, random, walks))
        return [...steps, `${call.order} is not paid in journal ${call.journal}`];
    }
  }
  return undefined;
}

function canBePaid(
  start: World,
  { order, journal }: Callable,
  variant: Variant,
  random: (limit: number) => number,
  walks: number,
) {
  for (let walk = 0; walk < walks; walk++) {
    let world = start;
    for (let step = 0; step < WALK_STEPS; step++) {
      const state = variant.machine.fold(world.journals[journal]?.[order] ?? []);
      if (state.some(({ step, end }) => step === "pay" && end === "succeeded")) return true;
      if (findWrong(world, variant) !== undefined) break;
      const transitions = listTransitions(world, variant);
      const next = transitions[random(transitions.length)];
      if (!next || next.state.chain.some((block) => getNonce(block) > 8)) break;
      world = next.state;
    }
  }
  return false;
}

/** Mulberry32. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * limit);
  };
}
