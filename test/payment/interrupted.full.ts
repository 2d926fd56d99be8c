import { expect, test } from "vitest";
import { chainForTests } from "./chain-tools.ts";
import {
  countCalls,
  createRig,
  expectPaidOnce,
  type Interrupt,
  payToTheEnd,
  payWithCut,
  type Variant,
} from "./cut-rig.ts";
import { Broken } from "./rpc-proxy.ts";

const chain = chainForTests();
/** Every 54th call is interrupted, KEEPLIGHT_STRIDE=1 interrupts each. */
const STRIDE = Number(process.env["KEEPLIGHT_STRIDE"] ?? 54);
/** How many payments run at once. */
const PARALLEL = 6;

const variants: readonly Variant[] = (["native", "usdc", "usdt", "dai"] as const).flatMap((token) =>
  (["a private key", "a wallet", "a smart account"] as const).map((payerKind) => ({ token, payerKind })),
);
/** The payment with the fewest transactions, and the one with the most. */
const extremes = variants.filter(
  ({ token, payerKind }) => (token === "native" || token === "usdt") && payerKind !== "a smart account",
);

const interruptions: Readonly<Record<string, Interrupt>> = {
  "that is aborted before": async ({ method, forward, abort }) => {
    abort();
    // A transaction that the user confirms after the abort is sent nevertheless.
    if (!/eth_sendTransaction|wallet_sendCalls/.test(method)) throw new Broken();
    return forward();
  },
  "that is aborted after": async ({ forward, abort }) => {
    const result = await forward();
    abort();
    return result;
  },
  "that loses the request of": async () => {
    throw new Broken();
  },
  "that loses the response of": async ({ forward }) => {
    await forward();
    throw new Broken();
  },
  "that is refused with too many requests at": async ({ tooMany }) => {
    throw tooMany;
  },
  "whose node is too busy from": async ({ kill, tooMany }) => {
    kill(tooMany);
    throw tooMany;
  },
  "whose node or wallet dies before": async ({ kill }) => {
    kill(new Broken());
    throw new Broken();
  },
  "whose node or wallet dies after": async ({ forward, kill }) => {
    await forward();
    kill(new Broken());
    throw new Broken();
  },
};

/** The codes that each interruption causes at some call. Nothing else may be met. */
const codesOf = (name: string, { payerKind }: Variant): string[] => {
  if (name.includes("aborted")) return ["ABORTED"];
  // Only what a wallet was requested to do is not repeated.
  const fromWallet = payerKind !== "a private key" ? ["PAYMENT_REJECTED", "PAYMENT_UNKNOWN"] : [];
  const fromNode = name.includes("dies") ? ["NETWORK"] : name.includes("too busy") ? ["RPC_REFUSED"] : [];
  return [...fromNode, ...fromWallet].sort();
};

let runs = 0;

const cuts = Object.keys(interruptions).flatMap((name) => variants.map((variant) => ({ ...variant, name })));

test.each(cuts)(
  "a payment in $token by $payerKind $name any of its calls, then resumed, pays once",
  async ({ name, ...variant }) => {
    const tools = chain();
    const interrupt = interruptions[name] as Interrupt;
    const total = await countCalls(tools, variant);
    const positions = Array.from({ length: total }, (_, at) => at + 1).filter((nth) => (nth + runs) % STRIDE === 0);
    const met = new Set<string>();
    const queue = positions.values();
    const worker = async () => {
      for (const nth of queue) {
        for (const code of await payWithCut(tools, variant, interrupt, nth, `call ${nth} of ${total}`)) met.add(code);
        runs += 1;
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    console.log(`${positions.length} of ${total} calls, ${runs} payments in all; met ${[...met].join(", ")}`);
    const possible = codesOf(name, variant);
    expect([...met].filter((code) => !possible.includes(code))).toEqual([]);
    if (STRIDE === 1) expect([...met].sort()).toEqual(possible);
  },
  1_200_000,
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
    const total = variant.token === "native" ? 4 : 10;
    for (const [name, misbehave] of Object.entries(misbehaviours)) {
      for (let nth = 1; nth <= total; nth++) {
        const rig = await createRig(tools, variant);
        let count = 0;
        const controller = new AbortController();
        const onProgress = () => (++count === nth ? misbehave(() => controller.abort()) : undefined);
        const what = `${name} at event ${nth} of ${total}`;
        const codes = await expectPaidOnce(tools, rig, variant, what, () =>
          payToTheEnd(
            () => rig.pay({ signal: controller.signal, onProgress }),
            () => rig.pay(),
          ),
        );
        // Only an abort before the last event has any effect.
        expect(codes, what).toEqual(name === "aborts" && nth < total ? ["ABORTED"] : []);
      }
    }
  },
  600_000,
);
