import type { Node } from "./syntax/node.ts";

/** Thrown where a call cannot be rewritten with certainty: it stays as it is. */
export class ByHand extends Error {
  /** The code that is the reason, if it is not the call itself. */
  readonly at: Node | undefined;

  constructor(reason: string, at?: Node) {
    super(reason);
    this.at = at;
  }
}

/** What is left to do by hand. */
export interface LeftOver {
  line: number;
  column: number;
  /** The call, such as `lighthouse.shareFile`, or what else is left. */
  what: string;
  reason: string;
}
