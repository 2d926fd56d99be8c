import { isKeeplightError } from "../../base/errors/base.ts";
import type { TrackedGateway } from "./gateways.ts";

/** A gateway to request the whole file from. */
export interface Attempt {
  tracked: TrackedGateway;
  /** Whether it may be silent for as long as the call allows: while others are left, none is waited for long. */
  isPatient: boolean;
  /** Whether ranges have failed already: then it may be slow. */
  mayBeSlow: boolean;
}

/** What is known of a file that is being read. */
export interface ReadState {
  /** The first one is requested next. */
  attempts: readonly Attempt[];
  /** Whether the tree of blocks is known: then every gateway can continue where another one stopped. */
  hasTree: boolean;
  /** Whether the rest is to be read by its blocks, before any other stream is requested. */
  triesBlocks: boolean;
}

/** What to do next: read the rest by its blocks or from one gateway, discard what was released, or give up. */
export type Step = { do: "blocks" } | { do: "stream"; attempt: Attempt } | { do: "start over" } | { do: "fail" };

/** Decides what to do next once so many bytes were released. */
export function nextStep({ attempts: [attempt], hasTree, triesBlocks }: ReadState, position: number): Step {
  if (triesBlocks) return { do: "blocks" };
  if (!attempt) return { do: "fail" };
  // Nothing proves that its file starts with what another gateway has sent.
  return position > 0 && !hasTree ? { do: "start over" } : { do: "stream", attempt };
}

/** Adds that a stream was left, because its gateway sends ranges that may be faster. */
export function afterSlowStream(state: ReadState): ReadState {
  const [first, ...others] = state.attempts;
  return { ...state, attempts: first ? [{ ...first, mayBeSlow: true }, ...others] : others, triesBlocks: true };
}

/** Adds that a stream failed; blocks can prove the rest of a file that `isVerifiable`. */
export function afterFailure(
  state: ReadState,
  error: unknown,
  { position, isOnly, isVerifiable }: { position: number; isOnly: boolean; isVerifiable: boolean },
): ReadState {
  const [first, ...others] = state.attempts;
  const isLate = first && !first.isPatient && isKeeplightError(error, "TIMEOUT");
  const attempts = isLate ? [...others, { ...first, isPatient: true }] : others;
  const hasBroken = position > 0 && isKeeplightError(error, "NETWORK");
  // Those of other gateways, or of the only one if it just broke.
  return { ...state, attempts, triesBlocks: isVerifiable && (!isOnly || isNotOffered(error) || hasBroken) };
}

const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether a gateway that sends blocks may just not know the network's own request. */
export function isNotOffered(error: unknown): boolean {
  return isKeeplightError(error, "HTTP_STATUS") && NOT_OFFERED.has(error.details.status);
}
