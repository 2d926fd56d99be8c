import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { createCompletionScript, shells } from "../generate/completion-script.ts";

/** Prints the completion script of a shell. */
export async function run({ argument, output }: Invocation): Promise<void> {
  const shell = shells.find((each) => each === argument("shell"));
  if (!shell) throw new UsageError(`There are completions for ${shells.join(", ")}`);
  const script = await createCompletionScript(shell);
  output.result({ script }, { text: () => script.trimEnd(), quiet: script.trimEnd(), isVerbatim: true });
}
