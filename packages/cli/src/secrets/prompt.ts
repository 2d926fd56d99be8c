import { spawnSync } from "node:child_process";
import { env, platform, stderr, stdin } from "node:process";
import { addAbortSignal } from "node:stream";
import { UsageError } from "../frame/failure.ts";

/** Asks for a secret, which is not shown. Throws `NEEDS_TERMINAL` with `otherwise` if there is no terminal. */
export async function askSecret(message: string, otherwise: string, signal: AbortSignal): Promise<string> {
  requireTerminal(message, otherwise);
  hideTypeAhead();
  const { password } = await import("@clack/prompts");
  return refuseCancel(await password({ message, signal, output: stderr })) ?? "";
}

export async function askNewPassword(message: string, otherwise: string, signal: AbortSignal): Promise<string> {
  const first = await askSecret(message, otherwise, signal);
  if (first === "") throw new UsageError("The password is empty");
  const second = await askSecret("The same again", otherwise, signal);
  if (second !== first) throw new UsageError("The two passwords differ");
  return first;
}

/** Asks whether to go on; the default is no. */
export async function askConsent(message: string, otherwise: string, signal: AbortSignal): Promise<boolean> {
  requireTerminal(message, otherwise);
  const { confirm } = await import("@clack/prompts");
  return refuseCancel(await confirm({ message, initialValue: false, signal, output: stderr }));
}

/** Asks for a line of text, which is shown. */
export async function askText(message: string, otherwise: string, signal: AbortSignal): Promise<string> {
  requireTerminal(message, otherwise);
  const { text } = await import("@clack/prompts");
  return refuseCancel(await text({ message, signal, output: stderr })) ?? "";
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

/** Whether there is a terminal to ask at. */
export const canAsk = (): boolean => stdin.isTTY && stderr.isTTY;

function requireTerminal(message: string, otherwise: string): void {
  if (canAsk()) return;
  throw new UsageError(`There is no terminal to ask: ${message}`, "NEEDS_TERMINAL", otherwise);
}

/** Returns an answer; the library returns a symbol if a prompt is cancelled. */
function refuseCancel<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") throw new UsageError("Interrupted", "ABORTED");
  return answer as Exclude<T, symbol>;
}
