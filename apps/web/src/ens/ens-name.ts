/** Why the address of an ENS name is not known. The catalogue describes each. */
export type EnsProblem =
  /** The app knows no node to ask. */
  | "unconfigured"
  /** It is no name (ENSIP-15). */
  | "invalid"
  /** It leads to no address. */
  | "unset"
  /** Its address is on another server (ERC-3668), which is never asked. */
  | "offchain"
  /** The node is of another chain. */
  | "wrongChain"
  /** The node could not be reached, or did not respond as it should. */
  | "unavailable";

/** An ENS name that has no address here. */
export class EnsError extends Error {
  readonly problem: EnsProblem;

  constructor(problem: EnsProblem, cause?: unknown) {
    super(`The ENS name has no address here: ${problem}`, { cause });
    this.problem = problem;
  }
}

/** Longest name that is looked up, in characters. */
const MAX_NAME = 255;

/** Whether text is to be looked up as an ENS name. Whether it is a valid one is checked then. */
export function isEnsName(text: string): boolean {
  return text.length <= MAX_NAME && /^[^\s@/:]+\.eth$/i.test(text);
}
