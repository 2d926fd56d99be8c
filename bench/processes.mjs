// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

/** @typedef {import("node:child_process").ChildProcess} ChildProcess */

/** Longer than any operation takes, unless it hangs. */
const LIMIT_MS = 15 * 60_000;

/** @type {Set<ChildProcess>} */
const running = new Set();

/** Children run in plain Node without a proxy, regardless of the user's settings. */
const plainEnv = Object.fromEntries(
  Object.entries(env).filter(([name]) => name !== "NODE_OPTIONS" && !/_proxy$/i.test(name)),
);

/**
 * Starts a module of this project in a Node process of its own, which is killed when this one exits.
 *
 * @param {URL} file
 * @param {unknown} [argument] passed as JSON
 */
export function start(file, argument) {
  const child = fork(fileURLToPath(file), argument === undefined ? [] : [JSON.stringify(argument)], {
    execArgv: [],
    env: plainEnv,
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/**
 * Returns the next message of a child, which is killed if it takes too long.
 *
 * @param {ChildProcess} child
 * @returns {Promise<unknown>}
 * @throws Error if the child ends without one
 */
export async function nextMessage(child) {
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const ended = new AbortController();
  try {
    const exit = once(child, "exit", { signal: ended.signal }).then(([code, signal]) => {
      throw new Error(`it ended by ${signal ?? `exit code ${code}`} without a message`);
    });
    const message = once(child, "message", { signal: ended.signal }).then(([received]) => received);
    return await Promise.race([message, exit]);
  } finally {
    clearTimeout(timer);
    ended.abort();
  }
}

/** Kills all children. */
export function killAll() {
  for (const child of running) child.kill("SIGKILL");
}
