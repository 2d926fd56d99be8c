import { expect, test } from "vitest";
import { chainForTests } from "../chain-tools.ts";
import { createRandom } from "../random.ts";
import { createRpcProxy } from "../rpc-proxy.ts";
import { judge, markOf, readPayments } from "./attack-rig.ts";
import { carryOutRun, planRun } from "./order-runs.ts";
import { type PayServer, serversForTests } from "./pay-servers.ts";

// KEEPLIGHT_ORDER_RUNS=1000 KEEPLIGHT_ORDER_SEED=7 npx vitest run --config vitest.full.config.ts test/payment/attacks
const RUNS = Number(process.env["KEEPLIGHT_ORDER_RUNS"] ?? 12);
const SEED = Number(process.env["KEEPLIGHT_ORDER_SEED"] ?? 20_261_126);

/** Errors that name the one decision that only a person can take. */
const decisions = /^(PAYMENT_UNKNOWN|ORDER_UNCERTAIN|PAYMENT_REJECTED)$/;

/** Nobody but the wallet can send again what a reorganisation removed: its user decides whether to give it up. */
const walletDecisions = /^PAYMENT_(DROPPED|REORGANISED)$/;

const chain = chainForTests();
const servers = serversForTests(0);

test(`${RUNS} runs of orders with all faults (seed ${SEED}) pay each once, or end with a decision to take`, async () => {
  const tools = chain();
  const [node, wallet] = await Promise.all([createRpcProxy(tools.chain.rpc), createRpcProxy(tools.chain.rpc)]);
  const alive: PayServer[] = [];
  const server = async (at: number): Promise<PayServer> => {
    const known = alive[at];
    if (known?.child.connected) return known;
    const started = await servers.start();
    alive[at] = started;
    return started;
  };
  const tally: Record<string, Record<string, number>> = {};
  const count = (row: string, column: string) => {
    tally[row] ??= {};
    tally[row][column] = (tally[row][column] ?? 0) + 1;
  };
  const bad: string[] = [];
  for (let at = 0; at < RUNS; at++) {
    // Each run can be repeated alone.
    const random = createRandom(SEED + at);
    const plan = planRun(random);
    const { attack, told, orderIds, ends } = await carryOutRun({ tools, node, wallet, server, random }, plan);
    const row = `${plan.token}, ${plan.isWallet ? "wallet" : "key"}`;
    const verdicts = await judge(tools, attack.payer, plan.token, told, orderIds);
    const made = await readPayments(tools, attack.payer);
    for (const end of ends) {
      count(row, end?.hash === undefined ? String(end?.code) : "paid");
      if (end?.hash !== undefined) continue;
      const code = String(end?.code);
      if (!decisions.test(code) && !(plan.isWallet && walletDecisions.test(code))) verdicts.push(`dead end: ${code}`);
      if (made.some(({ input }) => input.includes(markOf(end?.orderId ?? "")))) verdicts.push("paid, and not reported");
    }
    for (const verdict of verdicts) count(row, verdict.replace(/:.*/, ""));
    if (verdicts.length === 0) continue;
    const codes = told.map(({ hash, code }) => code ?? hash?.slice(0, 10));
    bad.push(`seed ${SEED + at}: ${verdicts.join("; ")} (${codes.join(" ")}) ${JSON.stringify(plan)}`);
  }
  console.table(tally);
  expect(bad, bad.join("\n")).toEqual([]);
}, 7_200_000);
