import type { CallOptions, Journal, KeyNodeOptions } from "keeplight";
import type { Output } from "../output/output.ts";
import type { Account } from "../secrets/account.ts";
import type { Settings } from "../settings/config.ts";
import type { Package } from "./package.ts";

/** One run of a command. */
export interface Invocation {
  /** As it is typed: `names publish`. */
  readonly command: string;
  readonly output: Output;
  readonly settings: Settings;
  readonly account: Account;
  /** Fires when the command is interrupted. */
  readonly signal: AbortSignal;
  /** Whether nothing may be changed. */
  readonly isDryRun: boolean;
  /** Returns an argument that the command requires. */
  argument(name: string): string;
  /** Returns all values of an argument that takes several, or none. */
  list(name: string): string[];
  /** Returns the value of an option, or `undefined`. */
  option(name: string): string | undefined;
  /** Returns all values of an option that takes several. */
  options(name: string): string[];
  /** Whether an option without a value is set. */
  flag(name: string): boolean;
  /** Loads the functions of keeplight. */
  load(): Promise<Package>;
  /** Options of every call: signal and endpoints. */
  readonly call: CallOptions;
  /** The same, for calls to the key nodes. */
  readonly keyCall: KeyNodeOptions;
  /** Opens the journal; from then on an interrupted command leaves its entry there and names it. */
  journal(work: JournaledWork): Promise<Journal>;
}

/** What a command is about to do, to find its entry in the journal. */
export interface JournaledWork {
  kind: "upload" | "payment" | "share" | "revoke" | "conditions" | "transfer" | "repair" | "delegate";
  /** The content id, or the id of the order. An upload has none yet, and delegates are about all files. */
  subject?: string;
  /** Whether an upload reads what can be read only once: it cannot be continued before all of it is stored. */
  isReadOnce?: boolean;
}
