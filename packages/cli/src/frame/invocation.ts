import { join } from "node:path";
import type { CallOptions, Journal, KeyNodeOptions, OpenOperation } from "keeplight";
import type { Output } from "../output/output.ts";
import type { Account } from "../secrets/account.ts";
import { makeStateFolder, type Settings } from "../settings.ts";
import { type Package, UsageError } from "./failure.ts";
import { resumeCommand } from "./type-again.ts";

/** One run of a command. */
export interface Invocation extends ReturnType<typeof createReaders> {
  readonly output: Output;
  readonly settings: Settings;
  readonly account: Account;
  /** Fires when the command is interrupted. */
  readonly signal: AbortSignal;
  /** Whether nothing may be changed. */
  readonly isDryRun: boolean;
  /** Loads the functions of keeplight. */
  load(): Promise<Package>;
  /** Options of every call: signal and endpoints. */
  readonly call: CallOptions;
  /** The same, for calls to the key nodes. */
  readonly keyCall: KeyNodeOptions;
  /** Opens the journal; from then on an interrupted command leaves its entry there and names it. */
  journal(work: JournaledWork): Promise<Journal>;
  /** Sets the command that continues this one, if it fails or is interrupted; `undefined` once nothing is left to do. */
  setResume(command: string | undefined): void;
}

/** What a command is about to do, to find its entry in the journal. */
export interface JournaledWork {
  kind: "upload" | "payment" | "share" | "revoke" | "conditions" | "transfer" | "repair" | "delegate";
  /** The content id, or the id of the order. An upload has none yet, and delegates are about all files. */
  subject?: string | undefined;
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
  const all = [
    ...Object.entries(values).map(([name, value]) => [`argument ${name}`, value] as const),
    ...Object.entries(options).map(([name, value]) => [`option ${toFlag(name)}`, value] as const),
  ];
  const empty = all.find(([, value]) => toList(value).includes(""));
  if (empty) throw new UsageError(`The ${empty[0]} is empty`);
}

export function createReaders({ arguments: values, options }: Typed) {
  return {
    /** Returns an argument that the command requires. */
    argument: (name: string) => toList(values[name])[0] ?? "",
    /** Returns all values of an argument that takes several, or none. */
    list: (name: string) => toList(values[name]),
    /** Returns the value of an option, or `undefined`. */
    option: (name: string) => toList(options[name])[0],
    /** Returns all values of an option that takes several. */
    options: (name: string) => toList(options[name]),
    /** Whether an option without a value is set. */
    flag: (name: string) => options[name] === true,
  };
}

function toList(value: string | boolean | readonly string[] | undefined): string[] {
  if (value === undefined || typeof value === "boolean") return [];
  return typeof value === "string" ? [value] : [...value];
}

/** Returns an option as it is typed: `--share-to`. */
export const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Opens the journal, in its folder of the state, without starting anything. */
export async function openCommandJournal(kit: Package): Promise<Journal> {
  return kit.openJournal({ folder: join(await makeStateFolder(), "journal") });
}

/**
 * Creates the journal of one run; the folder is made when a command needs it.
 *
 * @param profile - that was named for this run, and continues it
 */
export function createCommandJournal(load: () => Promise<Package>, profile: string | undefined) {
  let used: { journal: Journal; work: JournaledWork; before: ReadonlySet<string> } | undefined;
  return {
    async open(work: JournaledWork): Promise<Journal> {
      const journal = await openCommandJournal(await load());
      used = { journal, work, before: new Set((await journal.list()).map(({ id }) => id)) };
      return journal;
    },
    /**
     * Returns the command that continues what this run has left in the journal, if it has left anything. Another command
     * that started an upload meanwhile makes that ambiguous: it is then the one that continues all of them.
     */
    async findResume(): Promise<string | undefined> {
      if (!used) return undefined;
      const { journal, work, before } = used;
      const open = await journal.list().catch(() => []);
      const isAbout = ({ names, cids }: OpenOperation) =>
        work.subject === undefined || cids.includes(work.subject) || names.includes(work.subject);
      const canResume = ({ cids }: OpenOperation) => !work.isReadOnce || cids.length > 0;
      const isOwn = (each: OpenOperation) => each.kind === work.kind && !before.has(each.id) && isAbout(each);
      const [own, ...others] = open.filter((each) => isOwn(each) && canResume(each));
      return own && resumeCommand(profile, others.length === 0 ? own.id : undefined);
    },
  };
}
