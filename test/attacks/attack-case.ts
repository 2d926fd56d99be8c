import type { Attack } from "../../packages/devnet/src/index.ts";
import type { Outcome, Path } from "./paths.ts";
import type { Rig } from "./rig.ts";

/** One attack, tried on every path. */
export interface AttackCase {
  /** Of the attack and of its test. */
  name: string;
  /** What the user notices, for THREAT-MODEL.md. */
  outcome: string;
  /** Size of the target, in bytes. Default: one small block. */
  bytes?: number;
  /** Prepares the attack, which may need the file's shards; the rig's file is the target. */
  attacks(rig: Rig): readonly Attack[] | Promise<readonly Attack[]>;
  /** The paths whose outcome is not `right`. */
  paths: Partial<Record<Path, Outcome>>;
  /** Whether uploads during the attack are tried, too. */
  uploads?: true;
}

/** An attack with a test of its own, as a row of THREAT-MODEL.md. */
export interface AttackRow {
  /** Of its test. */
  name: string;
  /** What the user notices. */
  outcome: string;
  /** The paths that end in an error or report the attack, and how. */
  noticed?: string;
  /** The paths that return something wrong. */
  limit?: string;
}
