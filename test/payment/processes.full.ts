import { id } from "ethers";
import { expect, test } from "vitest";
import { chainForTests, type TestChain } from "./chain-tools.ts";
import { bundlePayments, type ChildPayment, createFolder, payAndKill, payInChild } from "./child-rig.ts";
import { createRandom } from "./random.ts";

const chain = chainForTests();
/** KEEPLIGHT_ORDERS=200 runs as many. */
const ORDERS = Number(process.env["KEEPLIGHT_ORDERS"] ?? 15);
const RECEIVED = id("ReceivedPayment(address,address,uint256,uint256,uint256,bytes)");
const tokens = ["native", "usdc"] as const;

async function createPayment(tools: TestChain, nth: number, folder: string): Promise<ChildPayment> {
  const token = tokens[nth % 2] ?? "native";
  const { privateKey } = await tools.payer(token);
  return { folder, network: tools.network, token, amount: 1000, privateKey, orderId: `order ${nth}` };
}

test(`${ORDERS} payments whose process is killed at a random moment and runs again are made once`, async () => {
  const tools = chain();
  const folder = await createFolder();
  const script = await bundlePayments(folder);
  const random = createRandom(11);
  let killed = 0;
  for (let nth = 0; nth < ORDERS; nth++) {
    const payment = await createPayment(tools, nth, folder);
    const before = await countPayments(tools);
    const moments = [random() * 400, ...(random() < 0.3 ? [random() * 200] : [])];
    for (const moment of moments) if (await payAndKill(script, payment, moment)) killed += 1;
    const { hash, error } = await payInChild(script, payment);
    expect([error, hash?.length], `order ${nth}, killed after ${moments}`).toEqual([undefined, 66]);
    expect(await countPayments(tools), `order ${nth}, killed after ${moments}`).toBe(before + 1);
  }
  console.log(`${killed} kills`);
  expect(killed).toBeGreaterThan(0);
}, 1_800_000);

test(`${ORDERS} orders by two processes at once are paid once each, and both report the same hash`, async () => {
  const tools = chain();
  const folder = await createFolder();
  const script = await bundlePayments(folder);
  for (let nth = 0; nth < ORDERS; nth++) {
    const payment = await createPayment(tools, nth, folder);
    const before = await countPayments(tools);
    const [one, two] = await Promise.all([payInChild(script, payment), payInChild(script, payment)]);
    expect([one?.error, two?.error], `order ${nth}`).toEqual([undefined, undefined]);
    expect(one?.hash, `order ${nth}`).toBe(two?.hash);
    expect(await countPayments(tools), `order ${nth}`).toBe(before + 1);
  }
}, 1_800_000);

/** How many payments the contract received from anyone. */
async function countPayments({ rpc, network }: TestChain): Promise<number> {
  const logs = await rpc<{ topics: string[] }[]>("eth_getLogs", { address: network.contract, fromBlock: "0x0" });
  return logs.filter(({ topics: [topic] }) => topic === RECEIVED).length;
}
