import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { KeeplightError } from "../../errors/base.ts";

/** An EVM node that runs. */
export interface Anvil {
  /** URL of its JSON-RPC. */
  rpc: string;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
}

/** What can be set about the node. */
export interface AnvilOptions {
  /** Its executable. Default: `ANVIL_PATH`, else that of an installed package, else `anvil` of the `PATH`. */
  anvilPath?: string | undefined;
  /** Rules of the chain, such as `berlin` for one without EIP-1559. Default the newest. */
  hardfork?: string | undefined;
}

/**
 * Runs the command until standard input ends, which it does however this process ends: the node itself would go on by
 * itself. A group of its own keeps a terminal's Ctrl-C from the shell, which has to outlive it by that much.
 */
const KEEPER = '"$@" </dev/null & node=$!; exec >/dev/null 2>&1; read -r _; kill "$node"; wait "$node"';

/**
 * Starts anvil on a free port of 127.0.0.1.
 *
 * @throws KeeplightError `UNSUPPORTED`, saying what to do, if there is none or it does not start.
 */
export async function startAnvil(options: AnvilOptions, chainId: number): Promise<Anvil> {
  const path = await findAnvil(options.anvilPath);
  const hardfork = options.hardfork === undefined ? [] : ["--hardfork", options.hardfork];
  const args = ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chainId), ...hardfork];
  const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", path, ...args], { detached: true });
  // Its end is looked at below; a pipe to a process that is gone breaks.
  keeper.stdin.on("error", () => undefined);
  const failed = once(keeper, "error").then(([cause]) => {
    throw cannotStart(path, "there is no /bin/sh", cause);
  });
  const ended = new Promise<void>((resolve) => keeper.once("close", () => resolve()));
  const stop = (): Promise<void> => {
    keeper.stdin.end();
    return ended;
  };
  try {
    const port = await Promise.race([portOf(keeper.stdout, keeper.stderr, path), failed]);
    return { rpc: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    keeper.stdin.end();
    throw error;
  }
}

/** The port it says it listens on; what it says later is thrown away. */
function portOf(stdout: Readable, stderr: Readable, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    let complaint = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (port === undefined) return;
      stdout.removeAllListeners("data").resume();
      resolve(port);
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = `${complaint}${text}`.slice(-500);
    });
    stdout.once("close", () => reject(cannotStart(path, complaint.trim() || "it ended at once")));
  });
}

async function findAnvil(given: string | undefined): Promise<string> {
  const named = given ?? process.env["ANVIL_PATH"];
  if (named !== undefined) {
    if (await isExecutable(named)) return named;
    throw cannotStart(named, "there is no such program");
  }
  const inPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "anvil"));
  for (const path of [...packaged(), ...inPath]) if (await isExecutable(path)) return path;
  throw new KeeplightError(
    "UNSUPPORTED",
    `The devnet's chain wants anvil: npm install --save-dev ${packageName()}, or name one in ANVIL_PATH or in the option anvilPath`,
  );
}

/** The executable in the package for this machine, where that is installed: beside this one or in the project. */
function packaged(): string[] {
  return [import.meta.url, join(process.cwd(), "package.json")].flatMap((from) => {
    try {
      return [join(dirname(createRequire(from).resolve(`${packageName()}/package.json`)), "bin", "anvil")];
    } catch {
      return [];
    }
  });
}

function packageName(): string {
  return `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function cannotStart(path: string, problem: string, cause?: unknown): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `Cannot start anvil at ${path}: ${problem}`, { details: { path }, cause });
}
