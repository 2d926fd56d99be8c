import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { isKeeplightError, type KeeplightError } from "../../src/base/errors/base.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { Payment, UnfinishedPayment } from "../../src/payment/index.ts";
import type { Payer, TestChain } from "./chain-tools.ts";
import type { SignerKind } from "./fault-signers.ts";
import { nodeFaults } from "./node-faults.ts";
import { Broken, NodeError, type RpcCall } from "./rpc-proxy.ts";

/** The faults that are injected into payments. In most runs the node also fails at random. */
export const faults = [
  "none",
  "slow chain",
  "dropped",
  "reorganised",
  "cancelled",
  "repriced",
  "node dies before accepting it",
  "node dies after accepting it",
  "node dies while polling",
  "aborted",
  "wrong chain",
  "wrong contract",
  "fee-taking token",
  "malicious token",
  "user rejects",
  "wallet fails",
  "two calls at once",
  "aborted again and again",
  "slow signer",
  "order called again",
  ...Object.keys(nodeFaults),
];

export type Fault = string;

/** One payment and its fault. */
export interface Run {
  fault: Fault;
  token: PaymentToken;
  payer: Payer;
  signer: SignerKind;
  /** How many earlier runs had this fault. */
  round: number;
}

const isSend = (method: string) => method === "eth_sendRawTransaction" || method === "eth_sendTransaction";
const isAboutSent = (method: string) => isSend(method) || /Receipt|ByHash/.test(method);

/** A node that fails by its fault, and at random. */
export interface FaultyNode {
  respond(call: RpcCall): Promise<unknown>;
  /** Called before each attempt: who resumes provides a working node. */
  revive(): void;
  /** Ends all faults. */
  heal(): void;
  /** How often the fault was injected. */
  struck: number;
}

/** Which transaction of a payment the fault affects: the first, in every other round the second, if there is one. */
const getFaultyStep = ({ round }: Run) => 1 + (round % 2);

/** Creates the node of one payment. */
export function createFaultyNode(run: Run, upstream: string, random: () => number): FaultyNode {
  const { fault } = run;
  const special = nodeFaults[fault];
  let left = Math.floor(random() * 11);
  let specialLeft = special?.lasts ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 6);
  let isHealed = false;
  let toStrike = getFaultyStep(run);
  let isDead = false;
  const hasOverrides = random() < 0.5;

  /** Breaks the connection before or after forwarding, refuses, returns nothing, or lags. */
  async function atRandom({ method, forward }: RpcCall): Promise<unknown> {
    if (left === 0 || random() > (isAboutSent(method) ? 0.5 : 0.03)) return forward();
    left -= 1;
    const dice = random();
    if (dice < 0.3) throw new Broken();
    if (dice < 0.6) {
      await forward();
      throw new Broken();
    }
    if (dice < 0.75) throw new NodeError(-32_005, "limit exceeded");
    if (dice < 0.9 && !isSend(method) && isAboutSent(method)) return null;
    await sleep(20);
    return forward();
  }

  const node: FaultyNode = {
    struck: 0,
    revive: () => {
      isDead = false;
    },
    heal: () => {
      isHealed = true;
    },
    async respond(call) {
      if (isHealed) return call.forward();
      if (special?.concerns(call) && specialLeft > 0 && (special.lasts || random() < 0.4)) {
        specialLeft -= 1;
        node.struck += 1;
        return special.respond(call, upstream);
      }
      if (isDead) throw new Broken();
      if (fault === "wrong chain" && call.method === "eth_chainId") {
        node.struck += 1;
        return "0x89";
      }
      if (fault.endsWith("token") && call.method === "eth_call" && call.params.length > 2 && !hasOverrides) {
        throw new NodeError(-32_602, "too many arguments, want at most 2");
      }
      if (!fault.startsWith("node dies") || !isSend(call.method) || --toStrike !== 0) return atRandom(call);
      node.struck += 1;
      isDead = true;
      if (fault === "node dies before accepting it") throw new Broken();
      const result = await call.forward();
      if (fault === "node dies after accepting it") throw new Broken();
      return result;
    },
  };
  return node;
}

interface PendingTransaction {
  hash: string;
  from: string;
  to: string;
  nonce: string;
  value: string;
  input: string;
}

/** Injects the fault into the payer's pending transaction, if there is one. */
async function disturb({ rpc, network }: TestChain, payer: Payer, fault: Fault): Promise<boolean> {
  const pending = await rpc<{ transactions: PendingTransaction[] }>("eth_getBlockByNumber", "pending", true);
  const own = pending.transactions.find(({ from }) => from.toLowerCase() === payer.address);
  if (!own) return false;
  if (fault === "dropped") await rpc("anvil_dropTransaction", own.hash);
  if (fault === "cancelled" || fault === "repriced") {
    const same = { to: own.to, data: own.input, value: BigInt(own.value) };
    const fields = {
      ...(fault === "cancelled" ? { to: payer.address } : same),
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 12n,
      gasLimit: 300_000n,
      type: 2,
      chainId: network.chain_id,
      nonce: Number(own.nonce),
    };
    await rpc("eth_sendRawTransaction", await payer.wallet.signTransaction(fields));
  }
  return true;
}

const chainFaults: readonly Fault[] = ["dropped", "reorganised", "cancelled", "repriced"];

/** Mines at intervals until the payment is over. Returns how often a fault of the chain was injected. */
export async function keepMining(tools: TestChain, run: Run, over: () => boolean): Promise<number> {
  const { payer, fault } = run;
  const step = getFaultyStep(run);
  let met = 0;
  let struck = 0;
  while (!over()) {
    await sleep(fault === "slow chain" ? 30 : 12);
    const isDue = struck === 0 && chainFaults.includes(fault);
    if (isDue && (await disturb(tools, payer, met + 1 === step ? fault : "none"))) {
      met += 1;
      if (met === step) struck = 1;
      await tools.rpc("anvil_mine", "0x1");
      if (met === step && fault === "reorganised") {
        await sleep(30);
        await tools.rpc("anvil_reorg", 1, []);
      }
    }
    await tools.rpc("anvil_mine", "0x1");
  }
  return struck;
}

/** How a payment ended, after all resumes. */
export interface Outcome {
  payment: Payment | undefined;
  /** The last error, if there is no payment. */
  error: KeeplightError | undefined;
  /** Codes of all errors before the end. */
  codes: string[];
  /** See {@link StubbornPayer}, if there is no payment. */
  isIdle?: () => Promise<boolean>;
}

/** Errors that another attempt cannot fix. */
const finalCodes = new Set(["WRONG_CHAIN", "WRONG_CONTRACT", "PAYMENT_UNDERPAID", "PAYMENT_REPLACED"]);

/** How a payer who follows the documentation acts. */
export interface StubbornPayer {
  pay(): Promise<Payment>;
  /** Called before each try. */
  revive(): void;
  /** Whether the user knows that nothing is under way. */
  isIdle(): Promise<boolean>;
  random(): number;
}

/**
 * Pays; resumes after each unfinished error, sometimes twice at once; pays again after an error by which nothing was
 * sent; gives up what a wallet certainly did not send. At the end resumes the first and the last error once more: neither
 * may pay again.
 */
export async function payStubbornly({ pay, revive, isIdle, random }: StubbornPayer): Promise<Outcome> {
  const codes: string[] = [];
  const resumable: UnfinishedPayment[] = [];
  /** How many of them are of payments that ended before the last one was made. */
  let ended = 0;
  let outcome: Outcome = { payment: undefined, error: undefined, codes };
  let attempt = pay;
  for (let tries = 0; tries < 9; tries++) {
    revive();
    const { payment, error } = await settle(attempt());
    outcome = { payment, error, codes };
    if (!error) break;
    codes.push(error.code);
    if (error instanceof UnfinishedError) resumable.push(error);
    const isOver = error.details["hash"] !== undefined && !(error instanceof UnfinishedError);
    const isStuck = codes.filter((code) => code === error.code).length === 3;
    if (isOver || isStuck || finalCodes.has(error.code)) break;
    attempt = error instanceof UnfinishedError ? prepareResume(error, random() < 0.3) : pay;
    if (attempt === pay) ended = resumable.length;
  }
  for (const error of new Set([...resumable.slice(0, 1), ...resumable.slice(-1)])) {
    revive();
    const late = await settle(error.resume({ waitMs: 100 }));
    // Without an order id, a payment that ended is another one, and its error stays.
    const isOther = resumable.indexOf(error) < ended && !late.payment;
    if (outcome.payment)
      expect(isOther || (late.payment?.hash ?? late.error?.code)).toBe(isOther || outcome.payment.hash);
    else outcome = { payment: late.payment, error: late.payment ? undefined : (late.error ?? outcome.error), codes };
  }
  return outcome.payment ? outcome : { ...outcome, isIdle };
}

/** Ends what is open by a healthy node, as its user would: waits, and gives up what the wallet certainly did not send. */
export async function finishCalmly(outcome: Outcome): Promise<Outcome> {
  if (outcome.payment) return outcome;
  const { codes, isIdle } = outcome;
  let { error } = outcome;
  for (let tries = 0; tries < 4 && error instanceof UnfinishedError && error.code !== "PAYMENT_REPLACED"; tries++) {
    const mayGiveUp = tries > 0 && (await isIdle?.()) === true;
    const changes = { waitMs: 3_000, timeoutMs: 5_000, ...(mayGiveUp ? { action: "give-up" as const } : {}) };
    const late = await settle((error as UnfinishedPayment).resume(changes));
    if (late.payment) return { payment: late.payment, error: undefined, codes };
    error = late.error;
    if (error) codes.push(error.code);
  }
  return { payment: undefined, error, codes };
}

function prepareResume(error: UnfinishedPayment, twice: boolean): () => Promise<Payment> {
  if (!twice) return () => error.resume();
  return async () => {
    const [one, other] = await Promise.all([settle(error.resume()), settle(error.resume())]);
    expect(other).toEqual(one);
    if (one.payment) return one.payment;
    throw one.error;
  };
}

async function settle(paying: Promise<Payment>): Promise<{ payment?: Payment; error?: KeeplightError }> {
  try {
    return { payment: await paying };
  } catch (error) {
    if (!isKeeplightError(error)) throw error;
    return { error };
  }
}
