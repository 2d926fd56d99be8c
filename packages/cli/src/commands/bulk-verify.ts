import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { clean } from "../output/clean.ts";
import { loadBulk, withPlan } from "../steps/bulk.ts";

/** Reads the stored files of a plan back. */
export async function run(invocation: Invocation): Promise<void> {
  const { output, call, option } = invocation;
  const { verifyBulk } = await loadBulk();
  const typed = option("sample");
  const percent = typed === undefined ? 100 : Number(typed);
  if (!(percent > 0 && percent <= 100)) throw new UsageError("--sample takes a percentage above 0, to 100");
  await withPlan(invocation, async (plan, ledger) => {
    const sample = percent / 100;
    const total = plan.bytes * sample;
    const { verified, lost, unread } = await verifyBulk(plan.id, {
      ...call,
      ledger,
      sample,
      onProgress({ bytes: loaded }) {
        // The files of a sample may be larger than the others.
        const fraction = Math.min(loaded / total, 0.99) || 0;
        output.progress(plan.name, { phase: "downloading", loaded, total, fraction });
      },
    });
    for (const path of lost)
      output.item({ path, code: "FILE_LOST" }, { text: () => `lost  ${clean(path)}`, quiet: clean(path) });
    for (const { path, code } of unread)
      output.item({ path, code }, { text: () => `${code}  ${clean(path)}`, quiet: "" });
    if (lost.length > 0) output.warn("keeplight bulk retry makes the files that are lost ready to be sent again");
    output.result(
      { verified, lost: lost.length, unread: unread.length },
      {
        text: () => `${verified} files are verified, ${lost.length} are lost, ${unread.length} could not be read`,
        quiet: "",
      },
    );
  });
}
