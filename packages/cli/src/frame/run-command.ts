import { stderr } from "node:process";
import { createHumanOutput } from "../output/human.ts";
import { createJsonOutput, openLines } from "../output/output.ts";
import { createAccount, takeSecrets } from "../secrets/account.ts";
import { readProfile } from "../secrets/profiles.ts";
import { readSettings } from "../settings.ts";
import type { Command } from "../table/spec.ts";
import { describeFailure, EXIT_BY_SIGNAL, type Package, UsageError } from "./failure.ts";
import { createCommandJournal, createReaders, type Invocation, refuseEmpty, type Typed } from "./invocation.ts";
import { typeAgain } from "./type-again.ts";

/** Runs a command and sets the exit code. */
export async function runCommand(command: Command, typed: Typed): Promise<void> {
  const lines = openLines();
  const readers = createReaders(typed);
  const { flag, option } = readers;
  const output = flag("json") ? createJsonOutput(command.name, lines) : createHumanOutput(lines, flag("quiet"));
  const secrets = takeSecrets();
  const load = (): Promise<Package> => import("keeplight");
  const journal = createCommandJournal(load, option("profile"));

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
  let unfinished: string | undefined;
  try {
    refuseEmpty(typed);
    const settings = await readSettings();
    const profile = await readProfile(option("profile"));
    const { endpoints, pauseMs } = settings;
    const call = { signal, endpoints };
    const invocation: Invocation = {
      ...{ output, settings, signal, load, call, ...readers },
      account: createAccount({ secrets, profile, settings, readsKey: flag("privateKeyStdin"), load, signal }),
      isDryRun: flag("dryRun"),
      keyCall: { ...call, pauseMs },
      journal: journal.open,
      setResume: (command) => {
        unfinished = command;
      },
    };
    const run = await command.load();
    await run(invocation);
    if (unfinished !== undefined && signal.aborted)
      throw new UsageError("Interrupted", "ABORTED", undefined, unfinished);
  } catch (error) {
    output.clear();
    const kit = error instanceof UsageError ? undefined : await load();
    const entry = kit && !leavesEntry(kit, error) ? undefined : await journal.findResume().catch(() => undefined);
    const resume = entry ?? unfinished ?? (kit && isPaidOrder(kit, error) ? typeAgain() : undefined);
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

/** Whether something was signed that pays for an order: without an entry the same command continues it, and pays once. */
function isPaidOrder({ isUnfinished }: Package, error: unknown): boolean {
  return isUnfinished(error) && error.details["payment"] !== undefined;
}

type SignalName = keyof typeof EXIT_BY_SIGNAL;

const SIGNALS = Object.keys(EXIT_BY_SIGNAL) as SignalName[];
/** For what the first Ctrl-C has started, such as removing a temporary file. */
const GRACE_MS = 300;

/**
 * Interrupts the command at the first Ctrl-C, after `onFirst`, which may end the process; otherwise the command ends by
 * itself, as its signal has fired. The second Ctrl-C ends the process regardless of what it is waiting for.
 */
function listenForInterrupt(onFirst: (exitCode: number) => Promise<void>) {
  const controller = new AbortController();
  let exitCode: number | undefined;
  const listener = (name: SignalName) => {
    if (exitCode !== undefined) {
      // A bar has hidden the cursor, and keeps long lines from wrapping.
      if (stderr.isTTY) stderr.write("\u001b[?25h\u001b[?7h");
      setTimeout(() => process.exit(exitCode), GRACE_MS).unref();
      return;
    }
    exitCode = EXIT_BY_SIGNAL[name];
    void onFirst(exitCode).finally(() => controller.abort());
  };
  for (const name of SIGNALS) process.on(name, listener);
  return {
    signal: controller.signal,
    /** The exit code of the first signal; `undefined` while there was none. */
    get exitCode() {
      return exitCode;
    },
    end() {
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
