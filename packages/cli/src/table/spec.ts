import type { Invocation } from "../frame/invocation.ts";
import { optionTexts } from "./option-texts.ts";

/** Texts by what they are about, in the order in which they are shown. */
export type Texts = Readonly<Record<string, string>>;

/** What the command line knows of one command: everything but its code. */
export interface CommandSpec {
  /** What it does, in whole sentences. The first one is its summary. */
  about: string;
  /** What its arguments are, as they are typed: `<cid>`. `[id]` may be left out, `<path...>` takes all that follow. */
  arguments?: Texts;
  /** What its options do, by their flags: `-e, --encrypt`, `--output <path>`. `--rpc <url>...` may be repeated. */
  options?: Texts;
  /** What it writes, so that it takes `--dry-run`; absent if it writes nothing. */
  writes?: string;
  /** What some command lines do. */
  examples: Texts;
  /** With `--json`: what the fields of each event `item` hold, if there are any. A name that ends with `?` may be absent. */
  item?: Texts;
  /** With `--json`: what the fields of the event `result` hold. */
  result: Texts;
}

type Run = (invocation: Invocation) => Promise<void>;

export interface Command extends CommandSpec {
  /** As it is typed: `up`, `names publish`. */
  name: string;
  /** For lists of commands: `upload files and folders`. */
  summary: string;
  /** Loads its code. */
  load(): Promise<Run>;
}

/** The function that carries a command out: `namesPublish` for `names publish`. */
type FunctionName<Name> = Name extends `${infer First} ${infer Second}` ? `${First}${Capitalize<Second>}` : Name;

/** Creates commands whose code is in one module, by their names. */
export function commandsOf<Name extends string>(
  loadModule: () => Promise<Record<FunctionName<Name>, Run>>,
  specs: Record<Name, CommandSpec>,
): Command[] {
  return Object.entries<CommandSpec>(specs).map(([name, spec]) => {
    const [first = ""] = spec.about.split(/\.(?: |$)/, 1);
    const summary = `${first[0]?.toLowerCase()}${first.slice(1)}`;
    const functionName = name.replace(/ (.)/, (_, letter: string) => letter.toUpperCase()) as FunctionName<Name>;
    return { ...spec, name, summary, load: async () => (await loadModule())[functionName] };
  });
}

/** Options of commands that sign. */
export const signing: Texts = { "--private-key-stdin": "read the private key that signs from standard input" };

/** Options that choose files of folders. */
export const filters: Texts = {
  "--include <glob>...": "of a folder take only files that match, in the syntax of .gitignore",
  "--exclude <glob>...": "leave out files of a folder that match, in the same syntax",
};

/** The option of commands that store files. */
export const storage: Texts = { "--storage <class>": optionTexts["StorageOptions.storage"] };

/** Options of commands that read a bucket. */
export const bucket: Texts = {
  "--s3-endpoint <url>": "of a server other than Amazon's; by default AWS_ENDPOINT_URL_S3",
  "--region <name>": "of the bucket; by default that of the AWS configuration",
};

/** What commands that pay print. */
export const paymentResult: Texts = {
  "hash?": "of the transaction that paid; absent with `--dry-run`, as all that follows a payment",
  "link?": "to an explorer of the chain",
  token: "what it was paid with",
  amount: "in its smallest unit",
  from: "address that paid",
  fee: "network fees, in the smallest unit of the coin; an estimate with `--dry-run`",
  "usd?": "with `--dry-run`: `amount`, `fee` and `total` in US dollars",
  "missing?": "with `--dry-run`: what the payer lacks",
};

/** Describes the arguments of a command by their names. */
export function describeArguments({ arguments: typed = {} }: CommandSpec): Texts {
  const named = Object.entries(typed).map(([name, text]) => [name.replace(/^[<[]|(\.\.\.)?[>\]]$/g, ""), text]);
  return Object.fromEntries(named);
}

/** Describes all options of a command by their flags. */
export function describeOptions(command: CommandSpec): Texts {
  return Object.fromEntries(listOptions(command).map(({ flags, summary }) => [flags, summary]));
}

interface Option {
  flags: string;
  summary: string;
  /** Whether it may be given several times, once for each value. */
  repeats: boolean;
}

/** Lists all options of a command: its own, and those that every command has. */
export function listOptions({ options, writes }: CommandSpec): Option[] {
  const all = {
    ...options,
    ...(writes === undefined ? {} : { "--dry-run": "report what would be done, and change nothing" }),
    "--profile <name>": "use the login of this profile; by default KEEPLIGHT_PROFILE, or what profile use has chosen",
    "--json": "print one event per line, as JSON, to stdout",
    "-q, --quiet": "print the bare result and errors only",
  };
  return Object.entries(all).map(([typed, summary]) => {
    const repeats = typed.endsWith("...");
    return repeats
      ? { flags: typed.slice(0, -3), summary: `${summary}; may be repeated`, repeats }
      : { flags: typed, summary, repeats };
  });
}
