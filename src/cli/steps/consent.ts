import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { clean } from "../output/clean.ts";
import { askConsent } from "../secrets/prompt.ts";

/** Asks before something that cannot be undone, unless `--yes` is set. Throws `DECLINED`. */
export async function requireConsent({ flag, output, signal }: Invocation, question: string): Promise<void> {
  if (flag("yes")) return;
  output.clear();
  if (await askConsent(clean(question), "Set --yes if you are sure.", signal)) return;
  throw new UsageError("Nothing was done", { code: "DECLINED" });
}
