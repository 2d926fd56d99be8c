import { Interface, Wallet } from "ethers";
import { expect, test } from "vitest";
import type { PaymentNetwork, PaymentToken } from "../../src/config/networks.ts";
import { UnfinishedError } from "../../src/errors/unfinished.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import type { PayerOptions } from "../../src/payment/types.ts";
import { chainForTests, type Payer, type TestChain, withRpc } from "./chain-tools.ts";
import {
  createFaultyNode,
  type Fault,
  faults,
  keepMining,
  type Outcome,
  payStubbornly,
  type Run,
} from "./fault-runs.ts";
import { createRandom } from "./random.ts";
import { createRpcProxy, type RpcProxy } from "./rpc-proxy.ts";

const SEED = Number(process.env["FAULTS_SEED"] ?? 20_261_121);
/** Six runs of each fault. */
const RUNS = 6 * faults.length;
const AMOUNT = 1000n;
const tokens: readonly PaymentToken[] = ["usdc", "usdt", "dai", "native"];
const receiveToken = new Interface(["function receiveToken(uint256 amount, address token)"]);
const erc20 = new Interface(["function balanceOf(address owner) view returns (uint256)"]);

const chain = chainForTests();

/** Codes that any run may throw, regardless of its fault. */
const usual = [
  "NETWORK",
  "TIMEOUT",
  "RPC_REFUSED",
  "PAYMENT_DROPPED",
  "PAYMENT_REPLACED",
  "PAYMENT_REORGANISED",
  "PAYMENT_TIMEOUT",
  "PAYMENT_UNKNOWN",
  "PAYMENT_REVERTED",
  "APPROVAL_FAILED",
];

/** Codes that only this fault causes, and that at least one of its runs must throw. */
const own: Readonly<Partial<Record<Fault, string>>> = {
  aborted: "ABORTED",
  "wrong chain": "WRONG_CHAIN",
  "wrong contract": "WRONG_CONTRACT",
  "fee-taking token": "PAYMENT_UNDERPAID",
  "malicious token": "PAYMENT_UNDERPAID",
  "user rejects": "PAYMENT_REJECTED",
};

/** A payer's transactions, read from the chain one by one. */
interface Actions {
  /** Hashes of transactions that paid `AMOUNT`. */
  payments: string[];
  /** Other successful transactions to the payment contract. */
  strange: string[];
  /** Coins that all transactions cost, gas included. */
  coins: bigint;
}

/** Reads a payer's transactions from the chain, without the code under test. */
async function readActions(
  { rpc }: TestChain,
  payer: Payer,
  contract: string,
  token: string | undefined,
): Promise<Actions> {
  const deeds: Actions = { payments: [], strange: [], coins: 0n };
  const count = Number(await rpc<string>("eth_getTransactionCount", payer.address, "latest"));
  const data = token === undefined ? "0x" : receiveToken.encodeFunctionData("receiveToken", [AMOUNT, token]);
  const value = token === undefined ? AMOUNT : 0n;
  for (let nonce = 0; nonce < count; nonce++) {
    const hash = await rpc<string>("ots_getTransactionBySenderAndNonce", payer.address, nonce);
    const sent = await rpc<{ to: string; input: string; value: string }>("eth_getTransactionByHash", hash);
    const receipt = await rpc<Record<string, string>>("eth_getTransactionReceipt", hash);
    const worked = receipt["status"] === "0x1";
    deeds.coins += BigInt(receipt["gasUsed"] ?? 0) * BigInt(receipt["effectiveGasPrice"] ?? 0);
    if (worked) deeds.coins += BigInt(sent.value);
    if (!worked || sent.to.toLowerCase() !== contract.toLowerCase()) continue;
    (sent.input === data && BigInt(sent.value) === value ? deeds.payments : deeds.strange).push(hash);
  }
  return deeds;
}

async function getTokenBalance({ rpc }: TestChain, token: string, owner: string): Promise<bigint> {
  const data = erc20.encodeFunctionData("balanceOf", [owner]);
  return BigInt(await rpc<string>("eth_call", { to: token, data }, "latest"));
}

/** Chooses token and network: most faults do not change the row. */
function createRow(fault: Fault, { network, chain, withToken }: TestChain, random: () => number): PaymentNetwork {
  if (fault === "fee-taking token") return withToken(chain.faultyTokens.feeTaking);
  if (fault === "malicious token")
    return withToken(chain.faultyTokens[random() < 0.5 ? "noTransfer" : "noTransferWithEvent"]);
  const elsewhere = random() < 0.5 ? Wallet.createRandom().address : (network.tokens.dai?.address ?? "");
  return fault === "wrong contract" ? { ...network, contract: elsewhere } : network;
}

/**
 * A wallet whose user rejects, or that fails: first before it sends in one round and after it sent in the next, later
 * at random.
 */
function createWallet({ rpc }: TestChain, proxy: RpcProxy, { payer, fault, round }: Run, random: () => number) {
  let rejections = 1 + Math.floor(random() * 3);
  return {
    struck: 0,
    async request({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> {
      if (method === "eth_requestAccounts") return [payer.address];
      const isSend = method === "eth_sendTransaction";
      if (isSend) await rpc("anvil_impersonateAccount", payer.address);
      const isFirst = this.struck === 0;
      const strikes = isSend && rejections > 0 && (isFirst || random() < 0.6);
      if (strikes) {
        rejections -= 1;
        this.struck += 1;
        if (fault === "user rejects") throw Object.assign(new Error("User rejected the request."), { code: 4001 });
        if (isFirst ? round % 2 === 0 : random() < 0.5) throw new Error("lost connection");
      }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const envelope = await (await fetch(proxy.url, { method: "POST", body, headers })).json();
      const { result, error } = envelope as { result: unknown; error?: { code: number; message: string } };
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      if (strikes) throw new Error("lost connection");
      return result;
    },
  };
}

async function runOnce(tools: TestChain, run: Run, proxy: RpcProxy, random: () => number) {
  const { fault, token, payer } = run;
  const row = createRow(fault, tools, random);
  const address = token === "native" ? undefined : row.tokens[token]?.address;
  const before = {
    coins: await tools.balance("native", payer.address),
    getTokenBalance: address === undefined ? 0n : await getTokenBalance(tools, address, payer.address),
  };
  const node = createFaultyNode(run, random);
  proxy.handle(node.respond);
  const wallet = createWallet(tools, proxy, run, random);
  const usesWallet = fault === "user rejects" || fault === "wallet fails";
  const who: PayerOptions = usesWallet ? { signer: wallet } : { privateKey: payer.privateKey };
  let signal = fault === "aborted" ? AbortSignal.timeout(Math.floor(random() * 150)) : undefined;
  let over = false;
  const call = () =>
    payStubbornly(
      () => {
        const shared = { signal };
        signal = undefined;
        return payWithToken({
          ...shared,
          ...who,
          network: withRpc(row, proxy.url),
          token,
          amount: AMOUNT,
          // A reorganisation reverts transactions with fewer confirmations.
          confirmations: fault === "reorganised" || random() < 0.3 ? 3 : 1,
          pollMs: 3,
          missingMs: 50,
          waitMs: random() < 0.1 ? 20 : 150,
          timeoutMs: 1_000,
        });
      },
      node.revive,
      random,
    );
  const calls = fault === "two calls at once" ? [call(), call()] : [call()];
  const paying = Promise.all(calls).finally(() => {
    over = true;
  });
  const [outcomes, struckByChain] = await Promise.all([paying, keepMining(tools, run, () => over)]);
  await tools.rpc("anvil_mine", "0x2");
  const deeds = await readActions(tools, payer, row.contract, address);
  return {
    outcomes,
    struck: struckByChain + node.struck + wallet.struck,
    deeds,
    events: await tools.paid(payer.address),
    coins: before.coins - (await tools.balance("native", payer.address)),
    tokens:
      address === undefined ? 0n : before.getTokenBalance - (await getTokenBalance(tools, address, payer.address)),
  };
}

const isShort = ({ error }: Outcome) => error?.code === "PAYMENT_UNDERPAID" && error.details["hash"] !== undefined;

test(`${RUNS} payments withRpc every fault (seed ${SEED}) are each made once, or end with an expected error`, async () => {
  const tools = chain();
  const random = createRandom(SEED);
  // One payer per run: a pending transaction of a failed run must not change the sums of another.
  const runs: Run[] = [];
  while (runs.length < RUNS) {
    const fault = faults[runs.length % faults.length] ?? "none";
    const isOdd = fault.endsWith("token");
    const token = isOdd ? "usdc" : (tokens[Math.floor(random() * tokens.length)] ?? "native");
    const round = Math.floor(runs.length / faults.length);
    runs.push({ fault, token, payer: await tools.payer(isOdd ? undefined : token), round });
  }
  const proxy = await createRpcProxy(tools.chain.rpc);
  await tools.rpc("evm_setAutomine", false);
  const tally: Record<string, number> = {};
  const count = (...what: string[]) => {
    const name = what.join(": ");
    tally[name] = (tally[name] ?? 0) + 1;
  };
  for (const [at, run] of runs.entries()) {
    const { fault, token } = run;
    const { outcomes, struck, deeds, events, coins, tokens: moved } = await runOnce(tools, run, proxy, random);
    const codes = outcomes.flatMap((outcome) => outcome.codes);
    const what = `run ${at}: ${token}, ${fault}, ${codes.join(" ")}`;
    // The chain's transactions, its balances and the contract's events agree.
    const times = deeds.payments.length;
    expect(deeds.strange, what).toEqual([]);
    expect(coins, what).toBe(deeds.coins);
    if (token !== "native") expect(moved, what).toBe(fault === "malicious token" ? 0n : BigInt(times) * AMOUNT);
    expect(events, what).toBe(times);
    // The callers' results agree: no call paid twice, and every reported payment exists.
    const paid = outcomes.flatMap(({ payment }) => (payment ? [payment.hash] : []));
    const reported = new Set([...paid, ...outcomes.filter(isShort).map(({ error }) => String(error?.details["hash"]))]);
    expect(deeds.payments, what).toEqual(expect.arrayContaining([...reported]));
    expect(reported.size, what).toBe(paid.length + outcomes.filter(isShort).length);
    const unknown = outcomes.filter(({ error }) => error instanceof UnfinishedError).length;
    expect(times, what).toBeLessThanOrEqual(reported.size + unknown);
    const known = [...usual, own[fault] ?? ""];
    expect(
      codes.filter((code) => !known.includes(code)),
      what,
    ).toEqual([]);
    if (struck > 0) count(fault, "struck");
    for (const { payment, error } of outcomes) count(fault, payment ? "paid" : `ended with ${error?.code}`);
    for (const code of new Set(codes)) count(fault, `met ${code}`);
  }
  const histogram = JSON.stringify(tally, undefined, 1);
  const needStrike = faults.filter((fault) => /^(dro|reo|can|sent|node|person|wallet|wrong chain)/.test(fault));
  const neverStruck = needStrike.filter((fault) => tally[`${fault}: struck`] === undefined);
  const neverMet = Object.entries(own).filter(([fault, code]) => tally[`${fault}: met ${code}`] === undefined);
  const payable = faults.filter((fault) => !/^(wrong|fee|malicious|cancelled)/.test(fault));
  const neverPaid = payable.filter((fault) => tally[`${fault}: paid`] === undefined);
  // Block positions and random node failures are chance: all six runs of a fault may miss it. Nearly all faults were
  // injected and overcome.
  for (const missed of [neverStruck, neverMet, neverPaid]) expect(missed.length, histogram).toBeLessThanOrEqual(2);
}, 300_000);
