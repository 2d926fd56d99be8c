import { spawnSync } from "node:child_process";
import { env, platform, stderr, stdin } from "node:process";
import { addAbortSignal } from "node:stream";
import { UsageError } from "../frame/failure.ts";

/** Asks for a secret, which is not shown. Throws `NEEDS_TERMINAL` with `otherwise` if there is no terminal. */
export async function askSecret(message: string, otherwise: string, signal: AbortSignal): Promise<string> {
  const answer = await ask(message, otherwise, async () => {
    hideTypeAhead();
    const { password } = await import("@clack/prompts");
    return password({ message, signal, output: stderr });
  });
  return answer ?? "";
}

export async function askNewPassword(message: string, otherwise: string, signal: AbortSignal): Promise<string> {
  const first = await askSecret(message, otherwise, signal);
  if (first === "") throw new UsageError("The password is empty");
  const second = await askSecret("The same again", otherwise, signal);
  if (second !== first) throw new UsageError("The two passwords differ");
  return first;
}

/** Asks whether to go on; the default is no. */
export function askConsent(message: string, otherwise: string, signal: AbortSignal): Promise<boolean> {
  return ask(message, otherwise, async () => {
    const { confirm } = await import("@clack/prompts");
    return confirm({ message, initialValue: false, signal, output: stderr });
  });
}

/** Asks for a line of text, which is shown. */
export async function askText(message: string, otherwise: string, signal: AbortSignal): Promise<string> {
  const answer = await ask(message, otherwise, async () => {
    const { text } = await import("@clack/prompts");
    return text({ message, signal, output: stderr });
  });
  return answer ?? "";
}

/** Reads one line of standard input, such as a secret from a pipe. */
export async function readStdinLine(what: string, signal: AbortSignal): Promise<string> {
  const missing = new UsageError(`${what} is expected on standard input`, "NEEDS_INPUT");
  if (stdin.isTTY) throw missing;
  let text = "";
  for await (const chunk of addAbortSignal(signal, stdin).setEncoding("utf8")) {
    text += chunk;
    if (text.length > 100_000) break;
  }
  const line = text.split(/\r?\n/, 1)[0]?.trim() ?? "";
  if (line === "") throw missing;
  return line;
}

let isHidden = false;

/**
 * Turns off the terminal's echo until the process ends, when Node restores it: what is typed before the next prompt may
 * be a password. Interrupts still work, as they would not in raw mode.
 */
function hideTypeAhead(): void {
  if (isHidden || platform === "win32") return;
  isHidden = true;
  spawnSync("stty", ["-echo"], { stdio: ["inherit", "ignore", "ignore"], env: { PATH: env["PATH"] } });
}

async function ask<T>(message: string, otherwise: string, show: () => Promise<T | symbol>): Promise<T> {
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new UsageError(`There is no terminal to ask: ${message}`, "NEEDS_TERMINAL", otherwise);
  }
  const answer = await show();
  // The library returns a symbol if a prompt is cancelled.
  if (typeof answer === "symbol") throw new UsageError("Interrupted", "ABORTED");
  return answer;
}
