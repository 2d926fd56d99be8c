import type { Attack } from "../../src/devnet/index.ts";
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
