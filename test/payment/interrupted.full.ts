import { expect, test } from "vitest";
import type { PaymentToken } from "../../src/config/networks.ts";
import { isKeeplightError } from "../../src/errors/base.ts";
import { UnfinishedError } from "../../src/errors/unfinished.ts";
import { payWithToken } from "../../src/payment/pay.ts";
import type { PayerOptions, Payment, PaymentProgress, UnfinishedPayment } from "../../src/payment/types.ts";
import { approveDirectly, chainForTests, type Payer, type TestChain, waitUntilMined, withRpc } from "./chain-tools.ts";
import { Broken, createRpcProxy, forwardTo, type RpcCall } from "./rpc-proxy.ts";

const chain = chainForTests();
const AMOUNT = 777n;
const cases = (["native", "usdc", "usdt", "dai"] as const).flatMap((token) =>
  (["a private key", "a wallet"] as const).map((payerKind) => ({ token, payerKind })),
);
type Case = (typeof cases)[number];
/** The payment with the fewest transactions, and the one with the most. */
const extremes = cases.filter(({ token }) => token === "native" || token === "usdt");

/** Pays through nodes or a wallet whose calls can be intercepted. */
interface Rig {
  /** Called for every request to the node or the wallet. */
  onCall: (call: Pick<RpcCall, "method" | "forward">) => Promise<unknown>;
  /** Creates a payer with funds; with USDT also an allowance that must be reset first. */
  payer(): Promise<{ payer: Payer; transactionsBefore: number }>;
  pay(payer: Payer, options?: { signal?: AbortSignal; onProgress?: (now: PaymentProgress) => void }): Promise<Payment>;
}

async function createRig(tools: TestChain, { token, payerKind }: Case): Promise<Rig> {
  const rig: Rig = {
    onCall: ({ forward }) => forward(),
    async payer() {
      const payer = await tools.payer(token);
      await tools.rpc("anvil_impersonateAccount", payer.address);
      if (token === "usdt") await approveDirectly(tools, payer, token, 7n);
      return { payer, transactionsBefore: token === "usdt" ? 1 : 0 };
    },
    pay: (payer, options = {}) =>
      payWithToken({ ...payerOptions(payer), network, token, amount: AMOUNT, pollMs: 1, missingMs: 50, ...options }),
  };
  const proxy = await createRpcProxy(tools.chain.rpc, ({ method, forward }) =>
    rig.onCall({ method, forward: () => forwardWhenMined(tools, method, forward) }),
  );
  const network = withRpc(tools.network, payerKind === "a wallet" ? "http://127.0.0.1:9" : proxy.url);
  const createWallet = (address: string) => ({
    request: ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
      const send = async () =>
        method === "eth_requestAccounts" ? [address] : forwardTo(tools.chain.rpc, method, params);
      return rig.onCall({ method, forward: () => forwardWhenMined(tools, method, send) });
    },
  });
  const payerOptions = ({ address, privateKey }: Payer): PayerOptions =>
    payerKind === "a private key" ? { privateKey } : { signer: createWallet(address) };
  return rig;
}

/** Delays the response to a transaction until it is mined: without polling, every payment makes the same calls. */
async function forwardWhenMined(tools: TestChain, method: string, forward: () => Promise<unknown>): Promise<unknown> {
  const result = await forward();
  if (!method.startsWith("eth_send")) return result;
  await waitUntilMined(tools, result);
  return result;
}

/** Pays as documented: resumes an unfinished payment, twice at once, and pays again after other errors. */
async function payToTheEnd(first: () => Promise<Payment>, again: () => Promise<Payment>) {
  const expectUnfinished: UnfinishedPayment[] = [];
  const codes: string[] = [];
  let payment: Payment | undefined;
  let attempt = first;
  while (!payment && codes.length < 5) {
    try {
      payment = await attempt();
    } catch (error) {
      if (!isKeeplightError(error)) throw error;
      codes.push(error.code);
      attempt = again;
      if (!(error instanceof UnfinishedError)) continue;
      expectUnfinished.push(error);
      attempt = async () => {
        const [one, other] = await Promise.all([error.resume(), error.resume()]);
        expect(other).toEqual(one);
        return one;
      };
    }
  }
  // A completed payment stays complete, even if the caller aborts.
  for (const error of expectUnfinished) {
    expect((await error.resume({ signal: AbortSignal.abort() })).hash).toBe(payment?.hash);
  }
  return { payment, codes };
}

/** Checks on the chain that a payer paid exactly once, and sent nothing besides what the payment lists. */
async function expectPaidOnce(
  tools: TestChain,
  token: PaymentToken,
  { payer, transactionsBefore }: Awaited<ReturnType<Rig["payer"]>>,
  before: bigint,
  payment: Payment | undefined,
  what: string,
): Promise<void> {
  const spent = before - (await tools.balance(token, payer.address));
  const fees = token === "native" ? (payment?.fee ?? 0n) : 0n;
  const sent = Number(await tools.rpc<string>("eth_getTransactionCount", payer.address, "latest"));
  expect([await tools.paid(payer.address), spent - fees, sent - transactionsBefore], what).toEqual([
    1,
    AMOUNT,
    payment?.transactions.length,
  ]);
}

/** Ways to interrupt a call. */
const interruptions = {
  "aborted before": async ({ method, forward }, abort) => {
    abort();
    // A transaction that the user confirms after the abort is sent nevertheless.
    if (method !== "eth_sendTransaction") throw new Broken();
    return forward();
  },
  "aborted after": async ({ forward }, abort) => {
    const result = await forward();
    abort();
    return result;
  },
  "losing the response of": async ({ forward }) => {
    await forward();
    throw new Broken();
  },
} satisfies Record<string, (call: Pick<RpcCall, "method" | "forward">, abort: () => void) => Promise<unknown>>;

/** Pays with a new payer, and checks that it paid once. */
async function payOnce(
  tools: TestChain,
  rig: Rig,
  { token }: Case,
  what: string,
  pay: (payer: Payer) => Promise<{ payment: Payment | undefined; codes: string[] }>,
): Promise<string[]> {
  const made = await rig.payer();
  const before = await tools.balance(token, made.payer.address);
  const { payment, codes } = await pay(made.payer);
  await expectPaidOnce(tools, token, made, before, payment, `${what}: ${codes.join(" ")}`);
  return codes;
}

/** Aborts every call of every case after it took effect; interrupts the shortest and the longest in other ways too. */
const cuts = (Object.keys(interruptions) as (keyof typeof interruptions)[]).flatMap((name) =>
  (name === "aborted after" ? cases : extremes).map((variant) => ({ ...variant, name })),
);

test.each(cuts)(
  "a payment in $token by $payerKind $name any of its calls, then resumed, pays once",
  async ({ name, ...variant }) => {
    const tools = chain();
    const rig = await createRig(tools, variant);
    let total = 0;
    rig.onCall = ({ forward }) => {
      total += 1;
      return forward();
    };
    await payOnce(tools, rig, variant, "undisturbed", async (payer) => ({ payment: await rig.pay(payer), codes: [] }));
    expect(total).toBeGreaterThan(10);
    const met: string[] = [];
    for (let nth = 1; nth <= total; nth++) {
      let count = 0;
      const controller = new AbortController();
      rig.onCall = (call) => (++count === nth ? interruptions[name](call, () => controller.abort()) : call.forward());
      const codes = await payOnce(tools, rig, variant, `call ${nth} of ${total}`, (payer) =>
        payToTheEnd(
          () => rig.pay(payer, { signal: controller.signal }),
          () => rig.pay(payer),
        ),
      );
      expect(count).toBeGreaterThanOrEqual(nth);
      met.push(...codes);
    }
    // Only what a wallet was requested to do is not repeated.
    const lost = variant.payerKind === "a wallet" ? ["PAYMENT_REJECTED", "PAYMENT_UNKNOWN"] : [];
    if (name === "losing the response of") expect([...new Set(met)].sort()).toEqual(lost);
    else expect(met).toContain("ABORTED");
  },
  600_000,
);

/** Side effects of a listener. */
const misbehaviours: Readonly<Record<string, (abort: () => void) => unknown>> = {
  throws: () => {
    throw new Error("a bug in a page");
  },
  rejects: () => Promise.reject(new Error("a bug in a page")),
  aborts: (abort) => abort(),
};

test.each(extremes)(
  "a payment in $token by $payerKind whose listener fails or aborts at any event pays once, and resolves",
  async (variant) => {
    const tools = chain();
    const rig = await createRig(tools, variant);
    const total = variant.token === "native" ? 4 : 10;
    for (const [name, misbehave] of Object.entries(misbehaviours)) {
      for (let nth = 1; nth <= total; nth++) {
        let count = 0;
        const controller = new AbortController();
        const onProgress = () => (++count === nth ? misbehave(() => controller.abort()) : undefined);
        const codes = await payOnce(tools, rig, variant, `${name} at event ${nth} of ${total}`, (payer) =>
          payToTheEnd(
            () => rig.pay(payer, { signal: controller.signal, onProgress }),
            () => rig.pay(payer),
          ),
        );
        // Only an abort before the last event has any effect.
        expect(codes, `${name} at event ${nth}`).toEqual(name === "aborts" && nth < total ? ["ABORTED"] : []);
      }
    }
  },
  600_000,
);
