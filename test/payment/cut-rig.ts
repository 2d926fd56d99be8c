import { expect } from "vitest";
import { queued } from "../../src/base/async/queue.ts";
import type { PaymentToken } from "../../src/base/config/networks.ts";
import { isKeeplightError } from "../../src/base/errors/base.ts";
import { UnfinishedError } from "../../src/base/errors/unfinished.ts";
import type { PayerOptions, Payment, PaymentProgress, UnfinishedPayment } from "../../src/payment/index.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import { approveDirectly, type Payer, type TestChain, waitUntilMined, withRpc } from "./chain-tools.ts";
import { createRpcProxy, forwardTo, NodeError, Reply } from "./rpc-proxy.ts";
import { createCallsWallet, toSmartAccount, type WalletRequest } from "./smart-account.ts";

const AMOUNT = 777n;

/** What is paid, and by whom. */
export interface Variant {
  token: PaymentToken;
  payerKind: "a private key" | "a wallet" | "a smart account";
}

/** A call to the node or the wallet, and what can happen to it. */
interface Cut {
  method: string;
  forward(): Promise<unknown>;
  abort(): void;
  /** From now on every call to the node or the wallet fails like this, until the payment is continued. */
  kill(failure: Error): void;
  /** How the node or the wallet refuses too many requests. */
  tooMany: Error;
}

export type Interrupt = (cut: Cut) => Promise<unknown>;

type Forward = Pick<Cut, "method" | "forward">;

/** A payer with funds, and a node or a wallet whose calls can be intercepted. */
export interface Rig {
  payer: Payer;
  /** How many transactions the payer had made before. */
  made: number;
  /** Whether other accounts send its transactions. */
  isSmart: boolean;
  onCall(call: Forward): Promise<unknown>;
  tooMany: Error;
  pay(options?: { signal?: AbortSignal; onProgress?: (now: PaymentProgress) => void }): Promise<Payment>;
}

/** How a payment ended, and what went wrong before. */
export interface Ending {
  payment: Payment | undefined;
  codes: string[];
}

/** With USDT, the payer has an allowance that must be reset first. */
export async function createRig(tools: TestChain, { token, payerKind }: Variant): Promise<Rig> {
  const isWallet = payerKind !== "a private key";
  const isSmart = payerKind === "a smart account";
  // All payers are funded by one account.
  const payer = await queued("payers", undefined, () => tools.payer(token));
  await tools.rpc("anvil_impersonateAccount", payer.address);
  if (token === "usdt") await approveDirectly(tools, payer, token, 7n);
  const intercept = ({ method, forward }: Forward) =>
    rig.onCall({ method, forward: () => forwardWhenMined(tools, method, forward) });
  const proxy = await createRpcProxy(tools.chain.rpc, intercept);
  const network = withRpc(tools.network, isWallet ? "http://127.0.0.1:9" : proxy.url);
  if (isSmart) await toSmartAccount(tools, payer);
  // Approves and pays in one transaction (EIP-5792).
  const smart = createCallsWallet(tools, payer, { atomic: "supported", calls: "at once" });
  const isOwn = ({ method }: WalletRequest) => isSmart && /wallet_|eth_sendTransaction/.test(method);
  // One account sends the transactions of all smart accounts.
  const bundled = (request: WalletRequest) => queued("bundler", undefined, () => smart.request(request));
  const plain = async ({ method, params = [] }: WalletRequest): Promise<unknown> =>
    method === "eth_requestAccounts" ? [payer.address] : forwardTo(tools.chain.rpc, method, params);
  const wallet = {
    request: (request: WalletRequest): Promise<unknown> =>
      intercept({ method: request.method, forward: () => (isOwn(request) ? bundled(request) : plain(request)) }),
  };
  const payerOptions: PayerOptions = isWallet ? { signer: wallet } : { privateKey: payer.privateKey };
  const rig: Rig = {
    payer,
    made: token === "usdt" ? 1 : 0,
    isSmart,
    onCall: ({ forward }) => forward(),
    tooMany: isWallet
      ? new NodeError(-32_005, "Request is being rate limited.")
      : new Reply({ error: { code: -32_005, message: "too many requests" } }, 429),
    pay: (options = {}) =>
      payWithToken({ ...payerOptions, network, token, amount: AMOUNT, pollMs: 1, missingMs: 50, ...options }),
  };
  return rig;
}

/** Delays the response to a transaction until it is mined: without polling, every payment makes the same calls. */
async function forwardWhenMined(tools: TestChain, method: string, forward: () => Promise<unknown>): Promise<unknown> {
  const result = await forward();
  if (!method.startsWith("eth_send")) return result;
  await waitUntilMined(tools, result);
  return result;
}

/** Counts the calls of an undisturbed payment. */
export async function countCalls(tools: TestChain, variant: Variant): Promise<number> {
  const rig = await createRig(tools, variant);
  let total = 0;
  rig.onCall = ({ forward }) => {
    total += 1;
    return forward();
  };
  await expectPaidOnce(tools, rig, variant, "undisturbed", async () => ({ payment: await rig.pay(), codes: [] }));
  expect(total).toBeGreaterThan(10);
  return total;
}

/** Interrupts the `nth` call of a payment, and continues it to its end. Returns the codes of its errors. */
export async function payWithCut(
  tools: TestChain,
  variant: Variant,
  interrupt: Interrupt,
  nth: number,
  what: string,
): Promise<string[]> {
  const rig = await createRig(tools, variant);
  const controller = new AbortController();
  let count = 0;
  let failure: Error | undefined;
  let isUnsent = false;
  rig.onCall = async (call) => {
    count += 1;
    if (failure) throw failure;
    if (count !== nth) return call.forward();
    // A wallet that fails may have sent it nevertheless: only the user knows.
    isUnsent = /eth_sendTransaction|wallet_sendCalls/.test(call.method);
    const forward = () => {
      isUnsent = false;
      return call.forward();
    };
    const kill = (error: Error) => {
      failure = error;
    };
    return interrupt({ ...call, forward, kill, abort: () => controller.abort(), tooMany: rig.tooMany });
  };
  const revive = () => {
    failure = undefined;
  };
  const pay = () =>
    payToTheEnd(
      () => rig.pay({ signal: controller.signal }),
      () => rig.pay(),
      revive,
    );
  const codes = await expectPaidOnce(tools, rig, variant, what, pay, () => isUnsent);
  expect(count, what).toBeGreaterThanOrEqual(nth);
  return codes;
}

/** Pays as documented: resumes an unfinished payment, twice at once, and pays again after other errors. */
export async function payToTheEnd(
  first: () => Promise<Payment>,
  again: () => Promise<Payment>,
  revive: () => void = () => undefined,
): Promise<Ending> {
  const unfinished: UnfinishedPayment[] = [];
  const codes: string[] = [];
  let payment: Payment | undefined;
  let attempt = first;
  while (!payment && codes.length < 5) {
    try {
      payment = await attempt();
    } catch (error) {
      if (!isKeeplightError(error)) throw error;
      revive();
      codes.push(error.code);
      attempt = again;
      if (!(error instanceof UnfinishedError)) continue;
      unfinished.push(error);
      attempt = async () => {
        const [one, other] = await Promise.all([error.resume(), error.resume()]);
        expect(other).toEqual(one);
        return one;
      };
    }
  }
  // A completed payment stays complete, even if the caller aborts.
  for (const error of payment ? unfinished : []) {
    expect((await error.resume({ signal: AbortSignal.abort() })).hash).toBe(payment?.hash);
  }
  return { payment, codes };
}

/**
 * Checks on the chain that a payer pays exactly once, and sends nothing besides what the payment lists; or, if its wallet
 * failed before it sent anything, that the outcome is unknown and nothing is paid.
 */
export async function expectPaidOnce(
  tools: TestChain,
  { payer, made, isSmart }: Rig,
  { token }: Variant,
  what: string,
  pay: () => Promise<Ending>,
  isUnsent = () => false,
): Promise<string[]> {
  const before = await tools.balance(token, payer.address);
  const { payment, codes } = await pay();
  const end = `${what}: ${codes.join(" ")}`;
  const sent = Number(await tools.rpc<string>("eth_getTransactionCount", payer.address, "latest"));
  const paid = await tools.paid(payer.address);
  if (!payment && isUnsent()) {
    expect([paid, codes.at(-1)], end).toEqual([0, "PAYMENT_UNKNOWN"]);
    return codes;
  }
  const spent = before - (await tools.balance(token, payer.address));
  const fees = token === "native" && !isSmart ? (payment?.fee ?? 0n) : 0n;
  const listed = isSmart ? 0 : (payment?.transactions.length ?? 0);
  expect([paid, spent - fees], end).toEqual([1, AMOUNT]);
  // A wallet is asked for an approval again if its response was lost, and may have made it.
  const isApproval = !isSmart && token !== "native";
  expect([0, ...(isApproval ? [1] : [])], end).toContain(sent - made - listed);
  return codes;
}
