import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { id, zeroPadValue } from "ethers";
import { expect, onTestFinished } from "vitest";
import type { PaymentToken } from "../../../src/base/config/networks.ts";
import { isKeeplightError, type KeeplightError } from "../../../src/base/errors/base.ts";
import { isUnfinished } from "../../../src/base/errors/unfinished.ts";
import { openJournal, payWithToken } from "../../../src/index.ts";
import type { PayOptions, UnfinishedPayment } from "../../../src/payment/index.ts";
import { approveDirectly, type Payer, type TestChain } from "../chain-tools.ts";
import type { SmartCall, WalletRequest } from "../smart-account.ts";

/** Every order has the same amount: what a mebibyte costs in USDC. */
export const AMOUNT = 3_906n;

/** Deeper than any reorganisation that a failure has to survive. */
export const FINALITY = 64;

export const markOf = (orderId: string): string => createHash("sha256").update(orderId).digest("hex");

/** What a call reported to its caller. */
export interface Told {
  orderId: string;
  /** Of the payment, if it was reported as paid. */
  hash?: string | undefined;
  /** Of the error. */
  code?: string | undefined;
  /** In this process only. */
  error?: KeeplightError | undefined;
}

/** A payment that the contract received. */
export interface MadePayment {
  hash: string;
  /** Call data of its transaction. */
  input: string;
}

/** What calls take besides the options of today. */
export type AttackOptions = Partial<Omit<PayOptions, "orderId" | "token" | "amount">> & {
  searchBlocks?: number;
  /** Of a journal, which is opened again for each call. */
  folder?: string | undefined;
  amount?: bigint;
};

export type Attack = Awaited<ReturnType<typeof createAttack>>;

let created = 0;

/** A payer with funds, and a record of what every call for its orders reported. */
export async function createAttack(tools: TestChain, token: PaymentToken = "usdc") {
  await tools.rpc("evm_setAutomine", true);
  const payer = await tools.payer(token);
  await tools.rpc("anvil_impersonateAccount", payer.address);
  if (token !== "native") await approveDirectly(tools, payer, token, 100n * AMOUNT);
  onTestFinished(() => release(tools));
  const told: Told[] = [];
  const prefix = `attack ${++created}`;

  /** Calls once, and records what it reports: nothing may be reported as paid that is not in the chain. */
  async function record(orderId: string, paying: Promise<{ hash: string }>): Promise<Told> {
    const report = await paying.then(
      ({ hash }): Told => ({ orderId, hash }),
      (error): Told => {
        if (!isKeeplightError(error)) throw error;
        return { orderId, code: error.code, error };
      },
    );
    await note(report);
    return report;
  }

  async function note(report: Told): Promise<void> {
    told.push(report);
    if (report.hash === undefined) return;
    const receipt = await tools.rpc<{ status: string } | null>("eth_getTransactionReceipt", report.hash);
    expect(receipt?.status, `${report.orderId} was reported as paid by ${report.hash}`).toBe("0x1");
  }

  async function pay(orderId: string | undefined, { folder, ...options }: AttackOptions = {}): Promise<Told> {
    const journal = folder === undefined ? undefined : await openJournal({ folder });
    const own = options.signer ? {} : { privateKey: payer.privateKey };
    const common = { network: tools.network, token, amount: AMOUNT, pollMs: 5, missingMs: 50, waitMs: 2_000 };
    const paying = payWithToken({ ...common, ...own, journal, ...options, orderId } as PayOptions);
    return record(orderId ?? "no order", paying);
  }

  /** Continues what an error left unfinished. */
  async function resume({ orderId, error }: Told, options: Parameters<UnfinishedPayment["resume"]>[0] = {}) {
    expect([error?.code, isUnfinished(error)]).toEqual([error?.code, true]);
    return record(orderId, (error as UnfinishedPayment).resume(options));
  }

  /** Sends what a wallet was requested to send; returns the hash. */
  const submit = ({ to, data, value }: SmartCall): Promise<string> =>
    tools.rpc("eth_sendTransaction", { from: payer.address, to, data, value });

  /** A wallet that sends as `send` says, and does everything else on the chain; counts its prompts. */
  function createWallet(send: (call: SmartCall, nth: number) => Promise<unknown>) {
    const wallet = {
      prompts: 0,
      request: async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
        if (method === "eth_requestAccounts" || method === "eth_accounts") return [payer.address];
        if (method.startsWith("wallet_")) throw Object.assign(new Error("not supported"), { code: -32_601 });
        if (method !== "eth_sendTransaction") return tools.rpc(method, ...(params as unknown[]));
        return send((params as [SmartCall])[0], wallet.prompts++);
      },
    };
    return wallet;
  }

  return {
    tools,
    payer,
    token,
    told,
    note,
    pay,
    resume,
    submit,
    createWallet,
    orderId: (name: string | number = "order") => `${prefix}: ${name}`,
    judge: (orderIds: readonly string[]) => judge(tools, payer, token, told, orderIds),
  };
}

/** Reads the payments of a payer that are in the chain now, by the contract's events. */
export async function readPayments({ rpc, network }: TestChain, { address }: Payer): Promise<MadePayment[]> {
  const topics = [id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)"), zeroPadValue(address, 32)];
  const filter = { address: network.contract, topics, fromBlock: "0x0" };
  const logs = await rpc<{ transactionHash: string }[]>("eth_getLogs", filter);
  const read = async (hash: string): Promise<MadePayment> => {
    const { input } = await rpc<{ input: string }>("eth_getTransactionByHash", hash);
    return { hash, input };
  };
  return Promise.all(logs.map(({ transactionHash }) => read(transactionHash)));
}

/** Compares what the callers were told with the chain. Returns what must not be. */
export async function judge(
  tools: TestChain,
  payer: Payer,
  token: PaymentToken,
  told: readonly Told[],
  orderIds: readonly string[],
): Promise<string[]> {
  const made = await readPayments(tools, payer);
  const bad: string[] = [];
  if (made.length > orderIds.length) bad.push(`paid ${made.length} times for ${orderIds.length} orders`);
  const payersOf = new Map<string, string>();
  for (const orderId of orderIds) {
    const marked = made.filter(({ input }) => input.includes(markOf(orderId)));
    if (marked.length > 1) bad.push(`paid twice: ${orderId}`);
    const { hash } = told.findLast((report) => report.orderId === orderId && report.hash !== undefined) ?? {};
    if (hash === undefined) continue;
    const isPaid = (token === "native" ? made : marked).some((payment) => payment.hash === hash);
    if (!isPaid) bad.push(`falsely reported as paid: ${orderId}`);
    if (payersOf.has(hash)) bad.push(`one payment for two orders: ${orderId}, ${payersOf.get(hash)}`);
    payersOf.set(hash, orderId);
  }
  const isMarked = ({ input }: MadePayment) => orderIds.some((orderId) => input.includes(markOf(orderId)));
  if (token !== "native" && !made.every(isMarked)) bad.push("paid without the mark of an order");
  return bad;
}

/** Checks that every order is paid once, and that its last call reported that. */
export async function expectPaidOnce(attack: Attack, orderIds: readonly string[]): Promise<void> {
  const last = (orderId: string) => attack.told.findLast((report) => report.orderId === orderId);
  const ends = orderIds.map((orderId) => last(orderId)?.code ?? "paid");
  const count = await attack.tools.paid(attack.payer.address);
  expect([await attack.judge(orderIds), count, ends]).toEqual([[], orderIds.length, orderIds.map(() => "paid")]);
}

/** Mines a block every few milliseconds while something runs. */
export async function whileMining<T>({ rpc }: TestChain, running: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = running.finally(() => {
    isOver = true;
  });
  const mining = (async () => {
    while (!isOver) {
      await rpc("anvil_mine", "0x1");
      await sleep(4);
    }
  })();
  const [result] = await Promise.all([ended, mining]);
  return result;
}

export const mine = ({ rpc }: TestChain, blocks: number): Promise<unknown> =>
  rpc("anvil_mine", `0x${blocks.toString(16)}`);

/** Mines what is pending, and each transaction at once from now on. */
export async function release(tools: TestChain): Promise<void> {
  await tools.rpc("evm_setAutomine", true);
  await mine(tools, 1);
}

/** From now on transactions are pending until a block is mined. */
export const hold = ({ rpc }: TestChain): Promise<unknown> => rpc("evm_setAutomine", false);

/** Replaces the latest blocks by empty ones: what was signed for them is pending again. */
export async function reorganise({ rpc }: TestChain, depth: number): Promise<void> {
  const latest = Number(await rpc<string>("eth_blockNumber"));
  const removed: string[] = [];
  for (let block = latest - depth + 1; block <= latest; block++) {
    const { transactions } = await rpc<{ transactions: string[] }>(
      "eth_getBlockByNumber",
      `0x${block.toString(16)}`,
      false,
    );
    // Of an account that the node impersonates there are no signed bytes.
    for (const hash of transactions)
      removed.push(
        ...(await rpc<string>("eth_getRawTransactionByHash", hash)
          .then((raw) => [raw])
          .catch(() => [])),
      );
  }
  await rpc("anvil_reorg", depth, []);
  // Nodes put what a reorganisation removes back among the pending ones.
  for (const raw of removed) await rpc("eth_sendRawTransaction", raw).catch(() => undefined);
}

/**
 * Returns what undoes all blocks from now on and mines so many empty ones: their transactions are neither mined nor
 * pending. anvil forgets what is older than some blocks, but not its snapshots.
 */
export async function beforeReorganisation(tools: TestChain): Promise<(blocks: number) => Promise<void>> {
  const snapshot = await tools.rpc("evm_snapshot");
  return async (blocks) => {
    await tools.rpc("evm_revert", snapshot);
    await mine(tools, blocks);
  };
}
