import { reference, unchecked } from "../base/checks.ts";
import type { Check } from "../base/operation.ts";

/** Names of options: comma-separated, or a list of such lists. */
type OptionNames = string | readonly OptionNames[];

/** A schema of options that their call still checks itself. */
export function fromNames(names: OptionNames): Record<string, Check> {
  const references = ["signer", "journal", "ledger"];
  const listed = [...new Set(String(names).split(","))];
  return Object.fromEntries(listed.map((name) => [name, references.includes(name) ? reference() : unchecked()]));
}
