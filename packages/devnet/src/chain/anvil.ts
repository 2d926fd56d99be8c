import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { chainUnavailable } from "../errors.ts";

/** A running EVM node. */
export interface Anvil {
  /** URL of its JSON-RPC. */
  rpc: string;
  /** Stops it; resolves when its process has ended. */
  stop(): Promise<void>;
}

/** Options of the node. */
export interface AnvilOptions {
  /** Its executable. @default `ANVIL_PATH`, else that of an installed package, else `anvil` in the `PATH` */
  anvilPath?: string | undefined;
  /** Hard fork of the chain, such as `berlin` for one without EIP-1559. @default the latest */
  hardfork?: string | undefined;
}

/**
 * Runs the command until standard input ends, which happens however this process ends: without it the node would keep
 * running. The shell gets its own process group, so that a terminal's Ctrl-C does not end it before the node. Its first
 * argument is the folder where the node keeps the states of earlier blocks, gigabytes in a long run: removed at the end.
 */
const KEEPER =
  'states=$1; shift; "$@" --cache-path "$states" </dev/null & node=$!; exec >/dev/null 2>&1; read -r _; ' +
  'kill "$node"; wait "$node"; /bin/rm -rf "$states"';

/**
 * Starts anvil on a free port of 127.0.0.1.
 *
 * @throws DevnetError `UNSUPPORTED`, with instructions, if anvil is missing or does not start.
 */
export async function startAnvil(options: AnvilOptions, chainId: number): Promise<Anvil> {
  const path = await findAnvil(options.anvilPath);
  const hardfork = options.hardfork === undefined ? [] : ["--hardfork", options.hardfork];
  const args = ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(chainId), ...hardfork];
  const states = await mkdtemp(join(tmpdir(), "keeplight-anvil-"));
  const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", states, path, ...args], { detached: true });
  // Writing to a process that has ended fails; its end is handled below.
  keeper.stdin.on("error", () => undefined);
  const failed = once(keeper, "error").then(async ([cause]) => {
    await rm(states, { recursive: true, force: true });
    throw startFailure(path, "there is no /bin/sh", cause);
  });
  const ended = new Promise<void>((resolve) => keeper.once("close", () => resolve()));
  const stop = (): Promise<void> => {
    keeper.stdin.end();
    return ended;
  };
  try {
    const port = await Promise.race([readPort(keeper.stdout, keeper.stderr, path), failed]);
    return { rpc: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    keeper.stdin.end();
    throw error;
  }
}

/** Reads the port from the output of anvil; discards later output. */
function readPort(stdout: Readable, stderr: Readable, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    let errorOutput = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (port === undefined) return;
      stdout.removeAllListeners("data").resume();
      resolve(port);
    });
    stderr.setEncoding("utf8").on("data", (text: string) => {
      errorOutput = `${errorOutput}${text}`.slice(-500);
    });
    stdout.once("close", () => reject(startFailure(path, errorOutput.trim() || "it exited immediately")));
  });
}

async function findAnvil(requested: string | undefined): Promise<string> {
  const named = requested ?? process.env["ANVIL_PATH"];
  if (named !== undefined) {
    if (await isExecutable(named)) return named;
    throw startFailure(named, "there is no such program");
  }
  const inPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "anvil"));
  for (const path of [...listPackagedPaths(), ...inPath]) if (await isExecutable(path)) return path;
  throw chainUnavailable(
    `The devnet's chain requires anvil: npm install --save-dev ${getPackageName()}, or set ANVIL_PATH or the option anvilPath`,
  );
}

/** Paths of the executable in the package for this machine, installed beside this package or in the project. */
function listPackagedPaths(): string[] {
  return [import.meta.url, join(process.cwd(), "package.json")].flatMap((from) => {
    try {
      return [join(dirname(createRequire(from).resolve(`${getPackageName()}/package.json`)), "bin", "anvil")];
    } catch {
      return [];
    }
  });
}

function getPackageName(): string {
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

function startFailure(path: string, problem: string, cause?: unknown): Error {
  return chainUnavailable(`Cannot start anvil at ${path}: ${problem}`, { path }, cause);
}
