import { join } from "node:path";
import type { CallOptions, Journal, KeyNodeOptions, OpenOperation } from "keeplight";
import type { Output } from "../output/output.ts";
import type { Account } from "../secrets/account.ts";
import { makeStateFolder, type Settings } from "../settings.ts";
import { type Package, UsageError } from "./failure.ts";

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

/** What was typed: arguments and options by name, as far as they were set. */
export interface Typed {
  arguments: Readonly<Record<string, string | readonly string[] | undefined>>;
  options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** Refuses empty values, such as those of variables that are not set: an empty path would be the current folder. */
export function refuseEmpty({ arguments: values, options }: Typed): void {
  const isEmpty = (value: Typed["options"][string]) => toList(value).includes("");
  for (const [name, value] of Object.entries(values)) {
    if (isEmpty(value)) throw new UsageError(`The argument ${name} is empty`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (isEmpty(value)) throw new UsageError(`The option ${toFlag(name)} is empty`);
  }
}

/** Creates what reads arguments and options. */
export function createReaders({
  arguments: values,
  options,
}: Typed): Pick<Invocation, "argument" | "list" | "option" | "options" | "flag"> {
  return {
    argument: (name) => toList(values[name])[0] ?? "",
    list: (name) => toList(values[name]),
    option: (name) => toList(options[name])[0],
    options: (name) => toList(options[name]),
    flag: (name) => options[name] === true,
  };
}

function toList(value: string | boolean | readonly string[] | undefined): string[] {
  if (value === undefined || typeof value === "boolean") return [];
  return typeof value === "string" ? [value] : [...value];
}

/** Returns an option as it is typed: `--share-to`. */
const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The journal of all commands of this user, and the entry of the one that runs. */
export interface CommandJournal {
  open(work: JournaledWork): Promise<Journal>;
  /**
   * Returns the command that continues what this run has left in the journal, if it has left anything. Another command
   * that started an upload meanwhile makes that ambiguous: it is then the one that continues all of them.
   */
  findResume(): Promise<string | undefined>;
}

/** Opens the journal, in its folder of the state, without starting anything. */
export async function openCommandJournal(kit: Package): Promise<Journal> {
  return kit.openJournal({ folder: join(await makeStateFolder(), "journal") });
}

/** Creates the journal of one run; the folder is made when a command needs it. */
export function createCommandJournal(load: () => Promise<Package>): CommandJournal {
  let used: { journal: Journal; work: JournaledWork; before: ReadonlySet<string> } | undefined;
  return {
    async open(work) {
      const journal = await openCommandJournal(await load());
      used = { journal, work, before: new Set((await journal.list()).map(({ id }) => id)) };
      return journal;
    },
    async findResume() {
      if (!used) return undefined;
      const { journal, work, before } = used;
      const open = await journal.list().catch(() => []);
      const isAbout = ({ names, cids }: OpenOperation) =>
        work.subject === undefined || cids.includes(work.subject) || names.includes(work.subject);
      const canResume = ({ cids }: OpenOperation) => !work.isReadOnce || cids.length > 0;
      const own = open.filter(
        (each) => each.kind === work.kind && !before.has(each.id) && isAbout(each) && canResume(each),
      );
      if (own.length === 0) return undefined;
      return own.length === 1 ? `keeplight resume ${own[0]?.id}` : "keeplight resume";
    },
  };
}
