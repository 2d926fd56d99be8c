import { stderr } from "node:process";
import { EXIT } from "./exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The interruption of a command by its user or the system. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Stops to listen. */
  end(): void;
}

/**
 * Interrupts the command at the first Ctrl-C, after `onFirst`, which may end the process; otherwise the command ends by
 * itself, as its signal has fired. The second Ctrl-C ends the process without waiting for anything.
 */
export function listenForInterrupt(onFirst: () => Promise<void>): Interruption {
  const controller = new AbortController();
  let count = 0;
  const listener = () => {
    count += 1;
    if (count > 1) {
      // A bar has hidden the cursor, and keeps long lines from wrapping.
      if (stderr.isTTY) stderr.write("\u001b[?25h\u001b[?7h");
      process.exit(EXIT.interrupted);
    }
    void onFirst().finally(() => controller.abort());
  };
  for (const name of SIGNALS) process.on(name, listener);
  return {
    signal: controller.signal,
    end: () => {
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
