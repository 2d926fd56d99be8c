import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { constants } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { Transaction } from "ethers";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { chainUnavailable, invalidDevnetOption } from "../check-options.ts";
import { getLocalHost, type ListenAddress } from "../host.ts";
import { postRpc } from "../http/json.ts";
import { listen } from "../http/service-server.ts";

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
 * Starts anvil. Returns its URL for this machine and for others; `stop` resolves when its process has ended.
 *
 * @throws DevnetError `UNSUPPORTED`, with instructions, if anvil is missing or does not start; `INVALID_OPTION` if the port
 * is taken.
 */
export async function startAnvil(options: AnvilOptions, chainId: number, { host, publicHost, port }: ListenAddress) {
  const path = await findAnvil(options.anvilPath);
  const hardfork = options.hardfork === undefined ? [] : ["--hardfork", options.hardfork];
  const cannotListen = (cause: unknown) =>
    invalidDevnetOption(`Cannot listen on port ${port} of ${host}`, { port }, cause);
  const { address } = await lookup(host).catch((cause) => Promise.reject(cannotListen(cause)));
  const args = ["--host", address, "--port", String(port), "--chain-id", String(chainId), ...hardfork];
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
    const started = await Promise.race([readPort(keeper.stdout, keeper.stderr, path), failed]);
    return { rpc: `http://${getLocalHost(address)}:${started}`, publicRpc: `http://${publicHost}:${started}`, stop };
  } catch (error) {
    keeper.stdin.end();
    throw /address already in use/i.test(String(error)) ? cannotListen(error) : error;
  }
}

/** Reads the port from the output of anvil; discards later output. */
function readPort(stdout: Readable, stderr: Readable, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    let errorOutput = "";
    stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [, port] = /Listening on \S+:(\d+)\s/.exec(output) ?? [];
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

interface Call {
  id: unknown;
  method: string;
  params: readonly unknown[];
}

/** By how much more a replacement has to pay: the default of geth's `txpool.pricebump`. */
const MIN_BUMP_PERCENT = 10n;

/**
 * Starts a proxy of a node that refuses what geth refuses and anvil accepts: a signed transaction in the place of a
 * pending one that offers less than 10 % more, as fee or as tip. A balance that does not cover a transaction is refused
 * in geth's words.
 */
export async function startUnkindNode(target: string, { host, publicHost, port }: ListenAddress) {
  const sent = new Map<string, Transaction>();

  const forward = (call: unknown) => postRpc(target, call);

  /** Neither mined nor dropped. */
  async function isPending({ hash }: Transaction): Promise<boolean> {
    const { result } = await forward({ jsonrpc: "2.0", id: 1, method: "eth_getTransactionByHash", params: [hash] });
    return (result as { blockNumber: unknown } | null)?.blockNumber === null;
  }

  async function respond(call: Call): Promise<unknown> {
    if (call.method !== "eth_sendRawTransaction") return forward(call);
    const refuse = (message: string) => ({ jsonrpc: "2.0", id: call.id, error: { code: -32000, message } });
    const transaction = Transaction.from(String(call.params[0]));
    const place = `${transaction.from} ${transaction.nonce}`;
    const before = sent.get(place);
    const isOther = before !== undefined && before.hash !== transaction.hash;
    if (isOther && !outbids(transaction, before) && (await isPending(before))) {
      return refuse("replacement transaction underpriced");
    }
    const reply = await forward(call);
    if (!reply.error) sent.set(place, transaction);
    const isPoor = /^insufficient funds/i.test(reply.error?.message ?? "");
    return isPoor ? refuse("insufficient funds for gas * price + value") : reply;
  }

  const app = new Hono().use(cors()).post("*", async (context) => {
    const calls = await context.req.json<Call | Call[]>();
    return context.json((await (Array.isArray(calls) ? Promise.all(calls.map(respond)) : respond(calls))) as object);
  });
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  const { port: started, close } = await listen(server, port, host);
  return { publicRpc: `http://${publicHost}:${started}`, stop: close };
}

function outbids(next: Transaction, before: Transaction): boolean {
  const offers = (transaction: Transaction) => [
    transaction.maxFeePerGas ?? transaction.gasPrice ?? 0n,
    transaction.maxPriorityFeePerGas ?? transaction.gasPrice ?? 0n,
  ];
  const [fee = 0n, tip = 0n] = offers(before).map((offer) => offer * (100n + MIN_BUMP_PERCENT));
  const [nextFee = 0n, nextTip = 0n] = offers(next).map((offer) => offer * 100n);
  return nextFee >= fee && nextTip >= tip;
}
