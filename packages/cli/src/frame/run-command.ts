import { createHumanOutput } from "../output/human.ts";
import { createJsonOutput } from "../output/json.ts";
import { openLines } from "../output/streams.ts";
import { createAccount } from "../secrets/account.ts";
import { readSettings } from "../settings/config.ts";
import { takeSecrets } from "../settings/environment.ts";
import type { CommandSpec } from "../table/types.ts";
import { describeFailure } from "./failure.ts";
import { listenForInterrupt } from "./interrupt.ts";
import type { Invocation } from "./invocation.ts";
import { createCommandJournal } from "./journaling.ts";
import type { Package } from "./package.ts";
import { createReaders, refuseEmpty, type Typed } from "./typed.ts";
import { UsageError } from "./usage-error.ts";

/** Runs a command and sets the exit code. */
export async function runCommand(spec: CommandSpec, typed: Typed): Promise<void> {
  const lines = openLines();
  const { options } = typed;
  const isQuiet = options["quiet"] === true;
  const output = options["json"] ? createJsonOutput(spec.name, lines) : createHumanOutput(lines, isQuiet);
  const secrets = takeSecrets();
  const load = (): Promise<Package> => import("keeplight");
  const journal = createCommandJournal(load);

  /** What the journal has is complete at any time, so that nothing has to be waited for. */
  const leaveToJournal = async (exitCode: number) => {
    const resume = await journal.findResume();
    if (resume === undefined) return;
    output.fail({ code: "ABORTED", message: "Interrupted", details: {}, exitCode, resume });
    await lines.flush();
    process.exit(exitCode);
  };
  const interruption = listenForInterrupt(leaveToJournal);
  const { signal } = interruption;
  try {
    refuseEmpty(typed);
    const settings = await readSettings();
    const readsKey = options["privateKeyStdin"] === true;
    const { endpoints, pauseMs } = settings;
    const call = { signal, ...(endpoints ? { endpoints } : {}) };
    const invocation: Invocation = {
      command: spec.name,
      output,
      settings,
      account: createAccount({ secrets, settings, readsKey, load, signal }),
      signal,
      isDryRun: options["dryRun"] === true,
      ...createReaders(typed),
      load,
      call,
      keyCall: { ...call, ...(pauseMs === undefined ? {} : { pauseMs }) },
      journal: journal.open,
    };
    const { run } = await spec.load();
    await run(invocation);
  } catch (error) {
    output.clear();
    const kit = error instanceof UsageError ? undefined : await load();
    const resume = kit && !leavesEntry(kit, error) ? undefined : await journal.findResume().catch(() => undefined);
    const failure = describeFailure(error, kit, { resume, interruptedBy: interruption.exitCode });
    output.fail(failure);
    process.exitCode = failure.exitCode;
  } finally {
    interruption.end();
  }
}

/** Whether a failed call may have left its entry open: a known error that cannot be resumed removes it. */
function leavesEntry({ isKeeplightError, isUnfinished }: Package, error: unknown): boolean {
  return !isKeeplightError(error) || isUnfinished(error);
}
