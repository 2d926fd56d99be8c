import { fold, mayBeSent, next } from "../../../src/payment/machine.ts";
import { type Exploration, explore } from "../../support/explore.ts";
import { listProcessSteps } from "./process.ts";
import { listEvents } from "./surroundings.ts";
import { findWrong, getNonce, newWorld, type Order, toKey, type Variant, type World } from "./world.ts";

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
  maxHeight: 5,
  maxAttempts: 3,
  decides: false,
};

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
  const variant = { ...usual, ...changed };
  return explore({
    start,
    depth,
    listTransitions: (world) => listTransitions(world, variant),
    toKey,
    findWrong: (world) => findWrong(world, variant),
    ...(sampleEvery === undefined ? {} : { sampleEvery }),
  });
}

/** Some steps after a state from which no continuation without further faults pays the order. */
export interface DeadEnd {
  order: Order;
  steps: string[];
}

/** How often, and how many steps, to continue from a state at random before it counts as a dead end. */
const WALKS = 400;
const WALK_STEPS = 40;

/** Continues from samples of the reachable states, by the user's decisions where they are needed. */
export function findDeadEnds(
  changed: Partial<Variant>,
  depth: number,
  sampleEvery: number,
  start = newWorld,
  seed = 1,
) {
  const { samples, states } = check(changed, depth, sampleEvery, start);
  const random = createRandom(seed);
  const deadEnds: DeadEnd[] = [];
  for (const { state, steps } of samples) {
    const quiet: Variant = {
      ...usual,
      ...changed,
      faults: [],
      decides: changed.decides ?? true,
      maxHeight: state.height + 12,
      maxAttempts: 9,
    };
    for (const order of ["A", "B"] as const) {
      const stopped = { ...state, runs: state.runs.map(() => undefined), reported: {} };
      if (deadEnds.length === 0 && !canBePaid(stopped, order, quiet, random)) deadEnds.push({ order, steps });
    }
  }
  return { states, samples: samples.length, deadEnds };
}

function canBePaid(start: World, order: Order, variant: Variant, random: (limit: number) => number): boolean {
  for (let walk = 0; walk < WALKS; walk++) {
    let world = start;
    for (let step = 0; step < WALK_STEPS; step++) {
      const transitions = listTransitions(world, variant);
      const next = transitions[random(transitions.length)];
      if (!next || next.state.chain.some((block) => getNonce(block) > 8)) break;
      world = next.state;
      if (world.reported[order] !== undefined) return true;
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
