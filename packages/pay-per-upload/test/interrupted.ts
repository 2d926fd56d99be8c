import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Interface, JsonRpcProvider, Wallet } from "ethers";
import {
  createRecoveryIdentity,
  decrypt,
  type Endpoints,
  isKeeplightError,
  openJournal,
  type UploadedFile,
  upload,
  uploadEncrypted,
} from "../../../src/index.ts";
import type { Devnet, Fault } from "../../devnet/src/index.ts";
import { openRecoveryKit } from "../../recovery/src/index.ts";
import { getUploadPrice, payPerUpload, renewUpload, type UploadNetwork } from "../src/index.ts";

/** What is interrupted. */
export const interruptedKinds = ["plain", "encrypted", "renewal"] as const;
export type InterruptedKind = (typeof interruptedKinds)[number];

/** What a child process does. */
export interface ChildJob {
  kind: "plain" | "encrypted";
  path: string;
  journal: string;
  kit: { recovery: string; recoveryTo: string };
  privateKey: string;
  endpoints: Endpoints;
  network: UploadNetwork;
}

type Action = Fault["action"];

/** What happens to the request that pays. */
export const actions: Readonly<Record<string, Action>> = {
  reset: { kind: "reset" },
  "reset in the body": { kind: "reset", afterBytes: 5_000 },
  hang: { kind: "hang" },
  "no body of the response": { kind: "cut", atByte: 0 },
  "half of the response": { kind: "cut", atByte: 40 },
  "500, and nothing done": { kind: "respond", status: 500 },
  "503, and nothing done": { kind: "respond", status: 503, text: "<html><title>busy</title></html>" },
  "403, and nothing done": { kind: "respond", status: 403, json: { error: "no" } },
  "402 without a word": { kind: "respond", status: 402, json: {} },
  "paid, stored, then 500": { kind: "respond", status: 500, served: true },
  "paid, stored, then 402": { kind: "respond", status: 402, json: {}, served: true },
  "paid, stored, then nonsense": { kind: "respond", status: 200, text: "<html>", served: true },
  "paid, stored, then an empty object": { kind: "respond", status: 200, json: {}, served: true },
  early: { kind: "settle", how: "early" },
  "early, nothing stored": { kind: "settle", how: "early-and-fail" },
  "settlement fails": { kind: "settle", how: "fail" },
  "settled late": { kind: "settle", how: "late", delayMs: 120 },
  "settled very late": { kind: "settle", how: "late", delayMs: 900 },
  twice: { kind: "settle", how: "twice" },
  "slow settlement": { kind: "settle", how: "early", delayMs: 300 },
};

/** One interrupted call. */
export interface Trouble {
  kind: InterruptedKind;
  /** When a child process is killed after it has started, in milliseconds. Only of uploads. */
  killAfterMs?: number | undefined;
  action?: string | undefined;
  /** How long the call looks for its payment. */
  waitMs: number;
  /** How often the fault happens. */
  times: number;
}

/** What was found after a call was interrupted and done again until it succeeded. */
export interface Ending {
  /** How often the chain shows a payment by this payer, of those that the interrupted call was to make. */
  payments: number;
  /** What it paid, in prices of one. */
  paid: number;
  /** Codes of the errors before it succeeded. */
  codes: string[];
  isDone: boolean;
  isKilled: boolean;
}

const token = new Interface([
  "function mint(address to, uint256 amount)",
  "function balanceOf(address) view returns (uint256)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
]);

/** Runs calls that are interrupted, each by a payer of its own. */
export function createRunner(devnet: Devnet, script: string) {
  const { chain, endpoints } = devnet;
  if (!chain) throw new Error("The devnet has no chain");
  const { uploadNetwork: network } = chain;
  const provider = new JsonRpcProvider(chain.rpc, undefined, { cacheTimeout: -1, batchMaxCount: 1 });

  let funding: Promise<unknown> = Promise.resolve();

  async function createPayer(): Promise<Wallet> {
    const wallet = new Wallet(Wallet.createRandom().privateKey);
    const funded = funding.then(() => fund(wallet));
    funding = funded.catch(() => undefined);
    await funded;
    return wallet;
  }

  async function fund(wallet: Wallet): Promise<void> {
    // The last one is the devnet's own.
    const [, from] = (await provider.send("eth_accounts", [])) as string[];
    const data = token.encodeFunctionData("mint", [wallet.address, FUNDS]);
    await provider.send("eth_sendTransaction", [{ from, to: network.usdc, data, gasPrice: "0x12a05f200" }]);
    while ((await readBalance(wallet.address)) !== FUNDS) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async function readBalance(address: string): Promise<bigint> {
    return BigInt(await provider.call({ to: network.usdc, data: token.encodeFunctionData("balanceOf", [address]) }));
  }

  async function countPayments(address: string): Promise<number> {
    const topics = token.encodeFilterTopics("AuthorizationUsed", [address]);
    return (await provider.getLogs({ address: network.usdc, topics, fromBlock: 0 })).length;
  }

  async function run(trouble: Trouble): Promise<Ending> {
    const folder = await mkdtemp(join(tmpdir(), "keeplight-paid-"));
    const signer = await createPayer();
    const path = join(folder, "file.bin");
    const content = crypto.getRandomValues(new Uint8Array(20_000));
    await writeFile(path, content);
    const journalFolder = join(folder, "journal");
    const { identity, recipient } = await createRecoveryIdentity();
    const kit = { recovery: recipient, recoveryTo: join(folder, "kit") };
    const terms = { signer, maxAmount: 100_000, network, waitMs: trouble.waitMs };
    const payment = payPerUpload(terms);
    const owner = { signer, endpoints, pauseMs: 0, retryMs: 0 };
    const codes: string[] = [];
    let isKilled = false;
    let completed: UploadedFile | undefined;

    /** Does the call, again until it succeeds; returns what it returns. */
    async function insist<T>(call: () => Promise<T>): Promise<T | undefined> {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        try {
          return await call();
        } catch (error) {
          if (!isKeeplightError(error)) throw error;
          codes.push(error.code);
          // What may be settled late is, by then.
          await new Promise((resolve) => setTimeout(resolve, tries * 200));
        }
      }
      return undefined;
    }

    async function isStored(file: UploadedFile | undefined): Promise<boolean> {
      if (!file) return false;
      const response = await fetch(`${endpoints.gateway}/ipfs/${file.Hash}`);
      if (!response.ok) return false;
      const bytes = trouble.kind === "plain" ? await response.arrayBuffer() : (await decrypt(file.Hash, owner)).slice();
      return Buffer.from(bytes as ArrayBuffer).equals(Buffer.from(content));
    }

    /** What a process has stored that was killed once its upload was complete, before it could report it. */
    async function findCompleted(): Promise<UploadedFile | undefined> {
      if ((await countPayments(signer.address)) === 0) return undefined;
      const { entries } = await openRecoveryKit(kit.recoveryTo, { identity });
      const [{ cid = "", size = 0 } = {}] = entries;
      // As it is stored: with salt, iv and tag.
      return { Name: "", Hash: cid, Size: String((size ?? 0) + 44) };
    }

    const plain = async () => (await upload(path, { endpoints, payPerUpload: payment, timeoutMs: REQUEST_MS }))[0];

    async function encrypted(): Promise<UploadedFile | undefined> {
      const journal = await openJournal({ folder: journalFolder });
      const [open] = await journal.list();
      if (open) {
        const { result } = await journal.resume(open.id, { ...owner, payPerUpload: payment, timeoutMs: REQUEST_MS });
        return (result as [UploadedFile])[0];
      }
      completed ??= isKilled ? await findCompleted() : undefined;
      if (completed) return completed;
      return (await uploadEncrypted(path, { ...owner, payPerUpload: payment, journal, timeoutMs: REQUEST_MS }))[0];
    }

    try {
      let remove = () => {};
      const strike = () => {
        const action = trouble.action === undefined ? undefined : actions[trouble.action];
        if (!action) return;
        const target = trouble.kind === "renewal" ? "/api/renew" : "/api/upload";
        // The first request without a payment only asks what it costs; a settlement counts those with one only.
        const after = action.kind === "settle" ? 0 : 1;
        const path = new RegExp(`^${target}$`);
        remove = devnet.faults.add({ service: "x402", method: "POST", path, after, times: trouble.times, action });
      };
      if (trouble.kind === "renewal") {
        const { receipt } = (await plain()) ?? {};
        if (!receipt) throw new Error("There is no receipt");
        const before = await readBalance(signer.address);
        strike();
        const renewed = await insist(() =>
          renewUpload(receipt, { ...terms, endpoints, timeoutMs: REQUEST_MS }).finally(remove),
        );
        const { amount } = await getUploadPrice(content.length, { endpoints });
        return {
          payments: (await countPayments(signer.address)) - 1,
          paid: Number(before - (await readBalance(signer.address))) / Number(amount),
          codes,
          isDone: (renewed?.expiresAt ?? 0) > (receipt.expiresAt ?? 0),
          isKilled,
        };
      }
      if (trouble.killAfterMs === undefined) strike();
      else {
        await mkdir(journalFolder, { mode: 0o700 });
        const { kind } = trouble;
        await mkdir(kit.recoveryTo);
        const { privateKey } = signer;
        const job: ChildJob = { kind, path, journal: journalFolder, kit, privateKey, endpoints, network };
        completed = await runAndKill(script, job, trouble.killAfterMs);
        isKilled = completed === undefined;
      }
      const file = await insist(() => (trouble.kind === "plain" ? plain() : encrypted()).finally(remove));
      const size = Number(file?.Size ?? content.length);
      const { amount } = await getUploadPrice(size, { endpoints });
      return {
        payments: await countPayments(signer.address),
        paid: Number(FUNDS - (await readBalance(signer.address))) / Number(amount),
        codes,
        isDone: await isStored(file),
        isKilled,
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return { run, close: () => provider.destroy() };
}

const FUNDS = 1_000_000n;
const MAX_TRIES = 8;

/** For how long a request waits for one that hangs: more than one takes on a busy machine. */
const REQUEST_MS = 2_500;

/** Runs a job in a child process and kills that; returns what it had stored if it was done. */
async function runAndKill(script: string, job: ChildJob, killAfterMs: number): Promise<UploadedFile | undefined> {
  const child: ChildProcess = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
  const exited = once(child, "exit");
  let stored: UploadedFile | undefined;
  const started = new Promise<void>((resolve) => {
    child.on("message", (message: "started" | { file: UploadedFile }) => {
      if (message === "started") resolve();
      else stored = message.file;
    });
  });
  child.send(job);
  await Promise.race([started, exited]);
  const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  await exited;
  clearTimeout(timer);
  return stored;
}
