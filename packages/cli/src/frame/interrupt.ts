import { stderr } from "node:process";
import { EXIT_BY_SIGNAL } from "./exit-codes.ts";

type SignalName = keyof typeof EXIT_BY_SIGNAL;

const SIGNALS = Object.keys(EXIT_BY_SIGNAL) as SignalName[];
/** For what the first Ctrl-C has started, such as removing a temporary file. */
const GRACE_MS = 300;

/** The interruption of a command by its user or the system. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit code of the first signal; `undefined` while there was none. */
  readonly exitCode: number | undefined;
  /** Stops to listen. */
  end(): void;
}

/**
 * Interrupts the command at the first Ctrl-C, after `onFirst`, which may end the process; otherwise the command ends by
 * itself, as its signal has fired. The second Ctrl-C ends the process regardless of what it is waiting for.
 */
export function listenForInterrupt(onFirst: (exitCode: number) => Promise<void>): Interruption {
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
    get exitCode() {
      return exitCode;
    },
    end: () => {
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
