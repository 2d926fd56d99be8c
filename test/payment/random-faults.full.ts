import { Interface, id, Wallet, zeroPadValue } from "ethers";
import { expect, test } from "vitest";
import type { PaymentNetwork, PaymentToken } from "../../src/base/config/networks.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { chainForTests, type Payer, type TestChain, withRpc } from "./chain-tools.ts";
import {
  createFaultyNode,
  type Fault,
  faults,
  finishCalmly,
  keepMining,
  type Outcome,
  payStubbornly,
  type Run,
} from "./fault-runs.ts";
import { createSigner, isSmart, isWalletKind, type SignerKind, signerKinds } from "./fault-signers.ts";
import { createRandom } from "./random.ts";
import { createRpcProxy, type RpcProxy } from "./rpc-proxy.ts";

const SEED = Number(process.env["FAULTS_SEED"] ?? 20_261_121);
/** By default one run of each fault. */
const RUNS = Number(process.env["KEEPLIGHT_RUNS"] ?? faults.length);
const AMOUNT = 1000n;
const tokens: readonly PaymentToken[] = ["usdc", "usdt", "dai", "native"];
const receiveToken = new Interface(["function receiveToken(uint256 amount, address token)"]);
const erc20 = new Interface(["function balanceOf(address owner) view returns (uint256)"]);

const chain = chainForTests();

/** Codes that this fault causes, and that at least one of its runs must throw. */
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
    const isPayment = sent.input.startsWith(data) && BigInt(sent.value) === value;
    (isPayment ? deeds.payments : deeds.strange).push(hash);
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

async function runOnce(tools: TestChain, run: Run, proxy: RpcProxy, random: () => number) {
  const { fault, token, payer } = run;
  const row = createRow(fault, tools, random);
  const address = token === "native" ? undefined : row.tokens[token]?.address;
  const node = createFaultyNode(run, tools.chain.rpc, random);
  proxy.handle(node.respond);
  const signer = await createSigner(tools, proxy, run, random);
  const before = {
    coins: await tools.balance("native", payer.address),
    tokens: address === undefined ? 0n : await getTokenBalance(tools, address, payer.address),
  };
  // By its mark a payment is recognised however it was sent.
  const isMarked = fault === "order called again" || fault === "repriced" || isSmart(run.signer);
  const isAborted = () => fault === "aborted again and again" && random() < 0.8;
  let isFirst = true;
  let over = false;
  const call = (nth = 0) =>
    payStubbornly({
      pay: () => {
        const aborts = (fault === "aborted" && isFirst) || isAborted();
        isFirst = false;
        return payWithToken({
          ...signer.options,
          signal: aborts ? AbortSignal.timeout(Math.floor(random() * 150)) : undefined,
          network: withRpc(row, proxy.url),
          token,
          amount: AMOUNT,
          orderId: isMarked ? `${payer.address} ${nth}` : undefined,
          // A reorganisation reverts transactions with fewer confirmations.
          confirmations: fault === "reorganised" || random() < 0.3 ? 3 : 1,
          pollMs: 3,
          missingMs: 50,
          waitMs: random() < 0.1 ? 20 : 150,
          timeoutMs: 1_000,
        });
      },
      revive: node.revive,
      isIdle: signer.isIdle,
      random,
    });
  const calls = fault === "two calls at once" ? [call(0), call(1)] : [call()];
  const paying = Promise.all(calls)
    .then((outcomes) => {
      node.heal();
      return Promise.all(outcomes.map(finishCalmly));
    })
    .finally(() => {
      over = true;
    });
  const [outcomes, struckByChain] = await Promise.all([paying, keepMining(tools, run, () => over)]);
  const isCalledAgain = fault === "order called again" && outcomes[0]?.payment !== undefined;
  const again = isCalledAgain ? (await call()).payment?.hash : outcomes[0]?.payment?.hash;
  await tools.rpc("anvil_mine", "0x2");
  const deeds = isSmart(run.signer)
    ? await readBundles(tools, payer, token)
    : await readActions(tools, payer, row.contract, address);
  return {
    outcomes,
    again,
    struck: struckByChain + node.struck + signer.struck(),
    deeds,
    events: await tools.paid(payer.address),
    coins: before.coins - (await tools.balance("native", payer.address)),
    tokens: address === undefined ? 0n : before.tokens - (await getTokenBalance(tools, address, payer.address)),
  };
}

/** Reads the payments of a smart account, whose transactions others send and pay for, by the contract's events. */
async function readBundles({ rpc, network }: TestChain, { address }: Payer, token: PaymentToken): Promise<Actions> {
  const topics = [id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)"), zeroPadValue(address, 32)];
  const logs = await rpc<{ transactionHash: string }[]>("eth_getLogs", {
    address: network.contract,
    topics,
    fromBlock: "0x0",
  });
  const payments = logs.map(({ transactionHash }) => transactionHash);
  return { payments, strange: [], coins: token === "native" ? AMOUNT * BigInt(payments.length) : 0n };
}

const isShort = ({ error }: Outcome) => error?.code === "PAYMENT_UNDERPAID" && error.details["hash"] !== undefined;

/** What a run must not do. */
type Verdict = "paid twice" | "falsely paid" | "lost" | "dead end" | "inconsistent";

/** Compares what the caller was told with the chain. */
function judge({ fault, token }: Run, done: Awaited<ReturnType<typeof runOnce>>): Verdict[] {
  const { outcomes, again, deeds, events, coins, tokens: moved } = done;
  const times = deeds.payments.length;
  const verdicts: Verdict[] = [];
  // The chain's transactions, its balances and the contract's events agree.
  const arrived = fault === "malicious token" ? 0n : BigInt(times) * AMOUNT;
  const agrees = deeds.strange.length === 0 && coins === deeds.coins && (token === "native" || moved === arrived);
  if (!agrees || events !== times) verdicts.push("inconsistent");
  const paid = outcomes.flatMap(({ payment }) => (payment ? [payment.hash] : []));
  const short = outcomes.filter(isShort).map(({ error }) => String(error?.details["hash"]));
  // Coins carry no mark: what another program signed is reported by its hash.
  const replaced = outcomes.flatMap(({ error }) =>
    fault === "repriced" ? String(error?.details["replacementHash"]) : [],
  );
  const reported = new Set([...paid, ...short]);
  if (times > outcomes.length) verdicts.push("paid twice");
  const isShared = reported.size < paid.length + short.length;
  if (isShared || [...reported].some((hash) => !deeds.payments.includes(hash))) verdicts.push("falsely paid");
  if (again !== outcomes[0]?.payment?.hash) verdicts.push("falsely paid");
  const open = outcomes.filter(({ error }) => error instanceof UnfinishedError && error.code !== "PAYMENT_REPLACED");
  // With a token that transfers too little there is no other end: its events and balances disagree.
  const isUnclear = fault === "malicious token" && open.length > 0;
  const found = new Set([...reported, ...replaced.filter((hash) => deeds.payments.includes(hash))]);
  if (times > found.size && !isUnclear) verdicts.push("lost");
  if (open.length > 0 && !fault.endsWith("token") && fault !== "wrong contract") verdicts.push("dead end");
  return verdicts;
}

function chooseSigner(fault: Fault, token: PaymentToken, random: () => number): SignerKind {
  const kinds = signerKinds.filter((kind) => {
    // Nothing shows coins that a smart account sends if its wallet reports no hash.
    if (isSmart(kind) && token === "native") return false;
    if (fault === "user rejects" || fault === "wallet fails") return isWalletKind(kind);
    // Of a smart account there is no transaction to cancel, reprice or drop.
    return !(isSmart(kind) && /^(dropped|cancelled|repriced|reorganised|wrong contract|malicious token)$/.test(fault));
  });
  return kinds[Math.floor(random() * kinds.length)] ?? "key";
}

/** What the runs of a fault should have shown and have not: that it struck, that its own code was met, a payment. */
function missing(fault: Fault, tally: Readonly<Record<string, number>>): string[] {
  const isStriking = /^(dro|reo|can|node|wallet|wrong chain)/.test(fault);
  const isPayable = !/^(wrong|fee|malicious|cancelled)/.test(fault);
  const code = own[fault];
  return [
    ...(isStriking && !tally[`${fault}: struck`] ? ["struck"] : []),
    ...(code !== undefined && !tally[`${fault}: met ${code}`] ? ["met"] : []),
    ...(isPayable && !tally[`${fault}: paid`] ? ["paid"] : []),
  ];
}

test(`${RUNS} payments with every fault (seed ${SEED}) are each made once, or end with an expected error`, async () => {
  const tools = chain();
  const random = createRandom(SEED);
  const proxy = await createRpcProxy(tools.chain.rpc);
  const tally: Record<string, number> = {};
  const count = (...what: string[]) => {
    const name = what.join(": ");
    tally[name] = (tally[name] ?? 0) + 1;
  };
  const bad: string[] = [];
  let at = 0;
  const runWith = async (fault: Fault) => {
    const isOdd = fault.endsWith("token");
    const token = isOdd ? "usdc" : (tokens[Math.floor(random() * tokens.length)] ?? "native");
    // One payer per run: a pending transaction of a failed run must not change the sums of another.
    await tools.rpc("evm_setAutomine", true);
    const payer = await tools.payer(isOdd ? undefined : token);
    await tools.rpc("evm_setAutomine", false);
    const signer = chooseSigner(fault, token, random);
    const run: Run = { fault, token, payer, signer, round: Math.floor(at / faults.length) };
    const done = await runOnce(tools, run, proxy, random);
    const codes = done.outcomes.flatMap((outcome) => outcome.codes);
    for (const verdict of judge(run, done)) {
      bad.push(`${verdict}: run ${at}, ${token}, ${fault}, ${signer}, ${codes.join(" ")}`);
      count(verdict);
    }
    if (done.struck > 0) count(fault, "struck");
    for (const { payment, error } of done.outcomes) {
      count(payment ? "paid" : "not paid");
      count(fault, payment ? "paid" : `ended with ${error?.code}`);
      count(signer, payment ? "paid" : "not paid");
    }
    for (const code of new Set(codes)) count(fault, `met ${code}`);
    at++;
  };
  while (at < RUNS) await runWith(faults[at % faults.length] ?? "none");
  // Block positions and random node failures are chance, which one run of a fault may miss: those run up to twice more.
  for (let more = 0; more < 2; more++) {
    for (const fault of faults.filter((fault) => missing(fault, tally).length > 0)) await runWith(fault);
  }
  const histogram = JSON.stringify(tally, undefined, 1);
  if (process.env["KEEPLIGHT_RUNS"]) console.log(histogram, bad);
  const [deadEnds, others] = [true, false].map((is) => bad.filter((what) => what.startsWith("dead end") === is));
  expect(others).toEqual([]);
  expect(deadEnds?.length, deadEnds?.join("\n")).toBeLessThanOrEqual(RUNS / 100);
  // Nearly all faults were injected and overcome.
  for (const what of ["struck", "met", "paid"]) {
    const missed = faults.filter((fault) => missing(fault, tally).includes(what));
    expect(missed.length, `${what}: ${missed.join()} ${histogram}`).toBeLessThanOrEqual(2);
  }
}, 3_600_000);
