import type { Invocation } from "../frame/invocation.ts";

export interface ArgumentSpec {
  name: string;
  summary: string;
  /** Whether it may be left out. Default `false`. */
  optional?: boolean;
  /** Whether it takes all that follow; only the last one may. Default `false`. */
  variadic?: boolean;
  /** What a shell completes it with: `file` or `folder` names, or these. Default nothing. */
  completes?: Completes;
}

/** What a shell completes a value with. */
type Completes = "file" | "folder" | readonly string[];

export interface OptionSpec {
  /** `-e, --encrypt`, or with a value `--output <path>`. */
  flags: string;
  /** Whether it may be given several times, once for each value. Default `false`. */
  repeats?: boolean;
  summary: string;
  completes?: Completes;
}

/** Fields of an event, by name, with what they hold. A name that ends with `?` may be absent. */
export type Fields = Readonly<Record<string, string>>;

/** What the command line knows of one command: everything but its code. */
export interface CommandSpec {
  /** As it is typed: `up`, `names publish`. */
  name: string;
  summary: string;
  /** More about it, in whole sentences. */
  details?: string;
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** What it writes, so that it takes `--dry-run`; absent if it writes nothing. */
  writes?: string;
  /** Command lines, each with what it does. */
  examples: readonly (readonly [line: string, purpose: string])[];
  /** With `--json`: what each event `item` has, if there are any. */
  item?: Fields;
  /** With `--json`: what the event `result` has. */
  result: Fields;
  /** Loads its code. */
  load(): Promise<(invocation: Invocation) => Promise<void>>;
}

export interface CommandGroup {
  title: string;
  commands: readonly CommandSpec[];
}

const jsonOption: OptionSpec = { flags: "--json", summary: "print one event per line, as JSON, to stdout" };
const quietOption: OptionSpec = { flags: "-q, --quiet", summary: "print the bare result and errors only" };
const dryRunOption: OptionSpec = { flags: "--dry-run", summary: "report what would be done, and change nothing" };

/** Options of commands that sign. */
export const signing: readonly OptionSpec[] = [
  { flags: "--private-key-stdin", summary: "read the private key that signs from standard input" },
];

/** What can be paid with. */
export const tokens = ["native", "usdc", "usdt", "dai"] as const;

/** What commands that pay print. */
export const paymentResult = {
  "hash?": "of the transaction that paid; absent with `--dry-run`, as all that follows a payment",
  "link?": "to an explorer of the chain",
  token: "what it was paid with",
  amount: "in its smallest unit",
  from: "address that paid",
  fee: "network fees, in the smallest unit of the coin; an estimate with `--dry-run`",
  "usd?": "with `--dry-run`: `amount`, `fee` and `total` in US dollars",
  "missing?": "with `--dry-run`: what the payer lacks",
};

/** Lists all options of a command: its own, and those that every command has. */
export function listOptions({ options = [], writes }: CommandSpec): OptionSpec[] {
  const own = options.map((option) =>
    option.repeats ? { ...option, summary: `${option.summary}; may be repeated` } : option,
  );
  return [...own, ...(writes === undefined ? [] : [dryRunOption]), jsonOption, quietOption];
}
