import { id } from "ethers";
import { expect, test } from "vitest";
import { chainForTests, type TestChain } from "./chain-tools.ts";
import { bundlePayments, type ChildPayment, createFolder, payAndKill, payInChild } from "./child-rig.ts";
import { createRandom } from "./random.ts";

const chain = chainForTests();
/** KEEPLIGHT_ORDERS=300 kills more than 500 processes. */
const ORDERS = Number(process.env["KEEPLIGHT_ORDERS"] ?? 9);
const RECEIVED = id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)");
const tokens = ["native", "usdc"] as const;

async function createPayment(tools: TestChain, nth: number, folder: string): Promise<ChildPayment> {
  const token = tokens[nth % 2] ?? "native";
  const { privateKey } = await tools.payer(token);
  return { folder, network: tools.network, token, amount: 1000, privateKey, orderId: `order ${nth}` };
}

test(`${ORDERS} payments by one to three processes at once, most killed at random moments, are made once each`, async () => {
  const tools = chain();
  const folder = await createFolder();
  const script = await bundlePayments(folder);
  const random = createRandom(11);
  let killed = 0;
  for (let nth = 0; nth < ORDERS; nth++) {
    const payment = await createPayment(tools, nth, folder);
    const before = await countPayments(tools);
    const processes = Array.from({ length: 1 + (nth % 3) });
    const rounds = nth % 4 === 3 ? 0 : random() < 0.3 ? 2 : 1;
    const moments = Array.from({ length: rounds }, () => processes.map(() => random() * 400));
    for (const round of moments) {
      const kills = await Promise.all(round.map((moment) => payAndKill(script, payment, moment)));
      killed += kills.filter(Boolean).length;
    }
    const told = await Promise.all(processes.map(() => payInChild(script, payment)));
    const which = `order ${nth}, killed after ${JSON.stringify(moments)}`;
    expect([...new Set(told.map(({ error }) => error))], which).toEqual([undefined]);
    expect(new Set(told.map(({ hash }) => hash)).size, which).toBe(1);
    expect(await countPayments(tools), which).toBe(before + 1);
  }
  console.log(`${killed} kills`);
  expect(killed).toBeGreaterThan(0);
}, 3_600_000);

/** How many payments the contract received from anyone. */
async function countPayments({ rpc, network }: TestChain): Promise<number> {
  const logs = await rpc<{ topics: string[] }[]>("eth_getLogs", { address: network.contract, fromBlock: "0x0" });
  return logs.filter(({ topics: [topic] }) => topic === RECEIVED).length;
}
