import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { clean } from "../output/clean.ts";
import { askConsent, askText } from "../secrets/prompt.ts";

/** Asks before something that cannot be undone, unless `--yes` is set. Throws `DECLINED`. */
export async function requireConsent({ flag, output, signal }: Invocation, question: string): Promise<void> {
  if (flag("yes")) return;
  output.clear();
  if (await askConsent(clean(question), "Set --yes if you are sure.", signal)) return;
  throw new UsageError("Nothing was done", { code: "DECLINED" });
}

const OTHERWISE = "Set --confirm to the last four characters of the address that you mean.";

/**
 * Asks for the last four characters of an address to which something is given away for good, unless `--confirm` has
 * them: an address that was pasted may be another one. Throws `DECLINED` if they differ.
 */
export async function requireEnding({ option, output, signal }: Invocation, address: string): Promise<void> {
  output.clear();
  const message = "Last four characters of the new owner's address, from where you know it";
  const ending = (option("confirm") ?? (await askText(message, OTHERWISE, signal))).trim().toLowerCase();
  if (ending.length === 4 && address.toLowerCase().endsWith(ending)) return;
  throw new UsageError("The address does not end in these four characters. Nothing was done", { code: "DECLINED" });
}
