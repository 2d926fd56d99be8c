import type { CommandSpec, OptionSpec } from "./types.ts";

const jsonOption: OptionSpec = { flags: "--json", summary: "print one event per line, as JSON, to stdout" };
const quietOption: OptionSpec = { flags: "-q, --quiet", summary: "print the bare result and errors only" };
const dryRunOption: OptionSpec = { flags: "--dry-run", summary: "report what would be done, and change nothing" };
const keyOption: OptionSpec = {
  flags: "--private-key-stdin",
  summary: "read the private key that signs from standard input",
};

/** Options of commands that sign. */
export const signing: readonly OptionSpec[] = [keyOption];

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
