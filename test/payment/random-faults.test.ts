import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { PaymentToken } from "../../src/config/networks.ts";
import { isKeeplightError, type KeeplightError } from "../../src/errors/base.ts";
import { UnfinishedError } from "../../src/errors/unfinished.ts";
import { type Payment, payWithToken, type ResumePaymentOptions } from "../../src/payment/pay.ts";
import { chainForTests, type Payer, type TestChain, through } from "./chain-tools.ts";
import { randomFrom } from "./random.ts";
import { Broken, createRpcProxy, NodeError, type RpcCall, type RpcProxy } from "./rpc-proxy.ts";

const SEED = Number(process.env["FAULTS_SEED"] ?? 20_261_121);
const RUNS = 100;
const AMOUNT = 1000n;
const SEND = "eth_sendRawTransaction";
const tokens: readonly PaymentToken[] = ["usdc", "usdt", "dai", "native"];

const chain = chainForTests();

/** What happens to the chain behind the payment's back, once. */
type ChainFault = "none" | "drop" | "reorganise" | "cancel" | "speed-up" | "slow";
const chainFaults: readonly ChainFault[] = ["none", "none", "drop", "reorganise", "cancel", "speed-up", "slow"];

/** Codes that a payment through such a node may end a run with. */
const expectedCodes = new Set([
  "NETWORK",
  "TIMEOUT",
  "ABORTED",
  "RPC_REFUSED",
  "HTTP_STATUS",
  "PAYMENT_DROPPED",
  "PAYMENT_REPLACED",
  "PAYMENT_REORGANISED",
  "PAYMENT_TIMEOUT",
  "PAYMENT_REVERTED",
  "APPROVAL_FAILED",
  "INSUFFICIENT_FUNDS",
]);

/** A node that breaks before it forwards, after it did, answers errors, forgets or lags: at random, for some time. */
function faultyNode(random: () => number, faults: { left: number }) {
  return async (call: RpcCall): Promise<unknown> => {
    const isAboutSent = call.method === SEND || /Receipt|ByHash/.test(call.method);
    if (faults.left === 0 || random() > (isAboutSent ? 0.5 : 0.03)) return call.forward();
    faults.left -= 1;
    const dice = random();
    if (dice < 0.3) throw new Broken();
    if (dice < 0.6) {
      await call.forward();
      throw new Broken();
    }
    if (dice < 0.75) throw new NodeError(-32_005, "limit exceeded");
    if (dice < 0.9 && call.method !== SEND && isAboutSent) return null;
    await sleep(20);
    return call.forward();
  };
}

/** Does the fault to the transaction that the payer has in the chain's waiting room, if there is one. */
async function disturb({ rpc, network }: TestChain, payer: Payer, fault: ChainFault): Promise<boolean> {
  const pending = await rpc<{ transactions: PendingTransaction[] }>("eth_getBlockByNumber", "pending", true);
  const own = pending.transactions.find(({ from }) => from.toLowerCase() === payer.address);
  if (!own) return false;
  if (fault === "drop") await rpc("anvil_dropTransaction", own.hash);
  if (fault === "cancel" || fault === "speed-up") {
    const same = { to: own.to, data: own.input, value: BigInt(own.value) };
    const { chainId } = network;
    const gas = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n, gasLimit: 300_000n, type: 2 };
    const fields = {
      ...(fault === "cancel" ? { to: payer.address } : same),
      ...gas,
      chainId,
      nonce: Number(own.nonce),
    };
    await rpc(SEND, await payer.wallet.signTransaction(fields));
  }
  return true;
}

interface PendingTransaction {
  hash: string;
  from: string;
  to: string;
  nonce: string;
  value: string;
  input: string;
}

/** Mines every now and then until the payment is over, with one fault on the way. */
async function keepMining(
  tools: TestChain,
  payer: Payer,
  fault: ChainFault,
  over: () => boolean,
  random: () => number,
) {
  const step = random() < 0.5 ? 1 : 2;
  let met = 0;
  let isDone = fault === "none" || fault === "slow";
  while (!over()) {
    await sleep(fault === "slow" ? 30 : 12);
    if (!isDone && (await disturb(tools, payer, met + 1 === step ? fault : "none"))) {
      met += 1;
      isDone = met === step;
      await tools.rpc("anvil_mine", "0x1");
      if (isDone && fault === "reorganise") {
        await sleep(30);
        await tools.rpc("anvil_reorg", 1, []);
      }
    }
    await tools.rpc("anvil_mine", "0x1");
  }
}

interface Outcome {
  payment?: Payment;
  error?: KeeplightError;
  /** Codes of the errors on the way. */
  codes: string[];
}

/**
 * Pays; resumes as often as there is something to resume, sometimes twice at once; and pays anew after an error that
 * says that nothing was sent.
 */
async function payStubbornly(pay: () => Promise<Payment>, random: () => number): Promise<Outcome> {
  const codes: string[] = [];
  let attempt = pay;
  for (let tries = 0; ; tries++) {
    try {
      return { payment: await attempt(), codes };
    } catch (error) {
      if (!isKeeplightError(error)) throw error;
      codes.push(error.code);
      const isOver = error.details["hash"] !== undefined && !(error instanceof UnfinishedError);
      if (isOver || tries === 8 || error.code === "PAYMENT_REPLACED") return { error, codes };
      attempt = error instanceof UnfinishedError ? resumeOf(error, random() < 0.3) : pay;
    }
  }
}

function resumeOf(error: UnfinishedError<Payment, ResumePaymentOptions>, twice: boolean): () => Promise<Payment> {
  if (!twice) return () => error.resume();
  return async () => {
    const [one, other] = await Promise.allSettled([error.resume(), error.resume()]);
    expect(other.status).toBe(one.status);
    if (one.status === "rejected") throw one.reason;
    return one.value;
  };
}

async function oneRun(tools: TestChain, payer: Payer, token: PaymentToken, proxy: RpcProxy, random: () => number) {
  const fault = chainFaults[Math.floor(random() * chainFaults.length)] ?? "none";
  proxy.handle(faultyNode(random, { left: Math.floor(random() * 11) }));
  const abortAfterMs = random() < 0.2 ? Math.floor(random() * 150) : undefined;
  let signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
  const before = { paid: await tools.paid(payer.address), held: await tools.balance(token, tools.network.contract) };
  let over = false;
  const outcome = payStubbornly(() => {
    const given = { signal };
    signal = undefined;
    return payWithToken({
      ...given,
      network: through(tools.network, proxy.url),
      token,
      amount: AMOUNT,
      privateKey: payer.privateKey,
      // A chain that is reorganised by two blocks takes back what has fewer.
      confirmations: fault === "reorganise" || random() < 0.3 ? 3 : 1,
      pollMs: 3,
      waitMs: random() < 0.1 ? 20 : 150,
      timeoutMs: 1_000,
    });
  }, random).finally(() => {
    over = true;
  });
  await Promise.all([outcome, keepMining(tools, payer, fault, () => over, random)]);
  const { payment, error, codes } = await outcome;
  await tools.rpc("anvil_mine", "0x2");
  const paid = (await tools.paid(payer.address)) - before.paid;
  const received = (await tools.balance(token, tools.network.contract)) - before.held;
  return { fault, payment, error, codes, paid, received };
}

test(`${RUNS} payments through faults at random (seed ${SEED}) are each made once, or end with an error of their own`, async () => {
  const tools = chain();
  const random = randomFrom(SEED);
  // One for each run: what a run that failed leaves in the waiting room must not get into another run's sums.
  const runs: { token: PaymentToken; payer: Payer }[] = [];
  while (runs.length < RUNS) {
    const token = tokens[runs.length % tokens.length] ?? "native";
    runs.push({ token, payer: await tools.payer(token) });
  }
  const proxy = await createRpcProxy(tools.chain.rpc);
  await tools.rpc("evm_setAutomine", false);
  const tally: Record<string, number> = {};
  const count = (what: string) => {
    tally[what] = (tally[what] ?? 0) + 1;
  };
  const started = performance.now();
  for (const [run, { token, payer }] of runs.entries()) {
    const { fault, payment, error, codes, paid, received } = await oneRun(tools, payer, token, proxy, random);
    const what = `run ${run}: ${token}, ${fault}, ${codes.join(" ")}`;
    expect(received, what).toBe(BigInt(paid) * AMOUNT);
    expect(
      codes.filter((code) => !expectedCodes.has(code)),
      what,
    ).toEqual([]);
    if (payment) expect(paid, what).toBe(1);
    else expect(paid, what).toBeLessThanOrEqual(1);
    if (paid === 1 && !payment) expect(error, what).toBeInstanceOf(UnfinishedError);
    count(payment ? "paid" : `failed with ${error?.code}`);
    for (const code of codes) count(`on the way ${code}`);
  }
  console.info(`seed ${SEED}: ${JSON.stringify(tally)} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  expect(tally["paid"]).toBeGreaterThan(RUNS / 2);
}, 150_000);
