import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Wallet } from "ethers";
import { afterAll, beforeAll } from "vitest";
import { createApiKey } from "../../../src/index.ts";
import { type Devnet, type DevnetOptions, startDevnet } from "../../devnet/src/index.ts";
import { getBuiltCli } from "./built.ts";

/** How a command ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** An event that `--json` printed. */
export interface CliEvent extends Record<string, unknown> {
  version: number;
  command: string;
  event: "progress" | "item" | "result" | "warning" | "error";
}

interface RunOptions {
  env?: Readonly<Record<string, string>>;
  input?: string;
  cwd?: string;
}

/** A person at a terminal: a home folder, an account and the built command line. */
export interface Person {
  home: string;
  cwd: string;
  address: string;
  privateKey: string;
  apiKey: string;
  endpoints: Devnet["endpoints"];
  /** The environment of each command. */
  env: Record<string, string>;
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Runs a command with `--json`; returns its events, whose last one must be of the kind `expected`. */
  events(args: readonly string[], options?: RunOptions & { code?: number }): Promise<CliEvent[]>;
  /** Runs a command in a pseudo-terminal. */
  terminal(
    args: readonly string[],
    options?: RunOptions & { columns?: number; steps?: readonly { wait: string; send: string }[] },
  ): Promise<{ output: string; code: number; left: number }>;
}

/** The devnet of a file of tests. */
export interface CliRig {
  devnet: Devnet;
  /** Creates a person with an account of their own; `cli` is the path of another installation. */
  createPerson(options?: { cli?: string }): Promise<Person>;
}

/** Starts a devnet for all tests of a file. */
export function rigForTests(options: DevnetOptions = {}): () => CliRig {
  let rig: CliRig | undefined;
  let folder = "";
  beforeAll(async () => {
    const devnet = await startDevnet({ proofDelayMs: 0, unkind: true, ...options });
    folder = await mkdtemp(join(tmpdir(), "keeplight-cli-"));
    rig = {
      devnet,
      createPerson: async (options) => createPerson(devnet, await mkdtemp(join(folder, "person-")), options),
    };
  });
  afterAll(async () => {
    await rig?.devnet.close();
    await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (!rig) throw new Error("the devnet is there only while tests run");
    return rig;
  };
}

/** Commands derive keys by as many iterations as this process: see `test/support/few-iterations.mjs`. */
const iterations: Record<string, string> =
  Symbol.for("keeplight/test/few-iterations") in pbkdf2
    ? { NODE_OPTIONS: `--import=${new URL("../../../test/support/few-iterations.mjs", import.meta.url)}` }
    : {};

let people = 0;

async function createPerson(
  devnet: Devnet,
  folder: string,
  { cli = getBuiltCli() }: { cli?: string } = {},
): Promise<Person> {
  const home = join(folder, "home");
  const cwd = join(folder, "work");
  await mkdir(home);
  await mkdir(cwd);
  const { chain, endpoints, accounts } = devnet;
  const wallet = chain ? new Wallet(accounts[people++ % accounts.length]?.privateKey ?? "") : Wallet.createRandom();
  const { privateKey } = wallet;
  const apiKey = await createApiKey({ signer: wallet, endpoints });
  const config = join(folder, "config.json");
  const networks = chain ? { networks: { devnet: chain.network } } : {};
  await writeFile(config, JSON.stringify({ endpoints, pauseMs: 0, ...networks }));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    KEEPLIGHT_CONFIG: config,
    KEEPLIGHT_API_KEY: apiKey,
    KEEPLIGHT_PRIVATE_KEY: privateKey,
    TERM: "xterm-256color",
    ...iterations,
  };

  const person: Person = {
    home,
    cwd,
    address: wallet.address,
    privateKey,
    apiKey,
    endpoints,
    env,
    start: (args, options = {}) =>
      spawn(process.execPath, [cli, ...args], {
        cwd: options.cwd ?? cwd,
        env: { ...env, ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
      }),
    run: (args, options = {}) => finish(person.start(args, options), options.input),
    async events(args, { code = 0, ...options } = {}) {
      const end = args.includes("--") ? args.indexOf("--") : args.length;
      const ended = await person.run([...args.slice(0, end), "--json", ...args.slice(end)], options);
      if (ended.code !== code) throw new Error(`exit code ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
      return parseEvents(ended.stdout);
    },
    async terminal(args, { columns = 80, steps = [], ...options } = {}) {
      const argv = [process.execPath, cli, ...args];
      return runInTerminal({ argv, env: { ...env, ...options.env }, cwd: options.cwd ?? cwd, columns, steps });
    },
  };
  return person;
}

/** A command for a pseudo-terminal. Each step waits for what is to be seen, and then types something. */
interface TerminalJob {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  columns: number;
  steps: readonly { wait: string; send: string }[];
}

/** Runs a command in a pseudo-terminal; returns what was to be seen, its exit code, and how many steps were left. */
export async function runInTerminal(job: TerminalJob): Promise<{ output: string; code: number; left: number }> {
  const helper = spawn(findPython(), [fileURLToPath(new URL("./terminal.py", import.meta.url))]);
  const { stdout, stderr } = await finish(helper, JSON.stringify({ ...job, rows: 30 }));
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Waits for a process; its standard input is closed after `input`. */
export async function finish(child: ChildProcess, input = ""): Promise<Ended> {
  const closed = once(child, "close");
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const [code] = await closed;
  return { code, stdout, stderr };
}

export function parseEvents(stdout: string): CliEvent[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function findPython(): string {
  if (spawnSync("python3", ["-c", "import pty"]).status === 0) return "python3";
  throw new Error("These tests run commands in a pseudo-terminal of python3. Please install python3.");
}
