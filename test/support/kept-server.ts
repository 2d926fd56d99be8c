import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a command until standard input ends, which happens however this process ends, also by SIGKILL. Then ends the command by
 * a signal, and removes its folder.
 */
const KEEPER =
  'folder=$1; signal=$2; shift 2; "$@" </dev/null & server=$!; exec >/dev/null 2>&1; read -r _; ' +
  'kill -s "$signal" "$server"; wait "$server"; /bin/rm -rf "$folder"';

/** A server that ends with this process. */
export interface KeptServer {
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a server of a test, and resolves once it prints `ready`.
 *
 * @param options - `folder` is its own and removed at its end, `signal` ends it
 */
export async function startKeptServer(
  command: readonly string[],
  {
    folder,
    signal,
    ready,
    user,
  }: { folder: string; signal: "INT" | "TERM"; ready: string; user?: { uid: number; gid: number } | undefined },
): Promise<KeptServer> {
  // A process group of its own: Ctrl-C in a terminal must not end the shell before the server.
  const keeper = spawn("/bin/sh", ["-c", KEEPER, "sh", folder, signal, ...command], {
    ...user,
    cwd: folder,
    detached: true,
  });
  keeper.stdin.on("error", () => undefined);
  const ended = once(keeper, "close");
  const stop = async () => {
    keeper.stdin.end();
    await ended;
  };
  try {
    await waitForLine(keeper, ready);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function waitForLine({ stdout, stderr }: ChildProcess, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    let open = 2;
    for (const stream of [stdout, stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        text = (text + chunk).slice(-10_000);
        if (text.includes(line)) resolve();
      });
      stream?.once("close", () => {
        if (--open === 0) reject(new Error(`The server ended: ${text}`));
      });
    }
  });
}
