import { hexlify, randomBytes, toBeHex } from "ethers";
import type { TestChain } from "./chain-tools.ts";

/** What a feed answers. */
export interface Answer {
  /** US dollars for one coin. */
  usd: number;
  /** Default 8. */
  decimals?: number;
  /** Seconds between its update and the latest block. Default 60. */
  age?: number;
}

const word = (value: bigint): string => toBeHex(BigInt.asUintN(256, value), 32).slice(2);

/** Creates a contract that answers like a Chainlink feed. Returns its address. */
export async function createFeed(tools: TestChain, { usd, decimals = 8, age = 60 }: Answer): Promise<string> {
  const { timestamp } = await tools.rpc<{ timestamp: string }>("eth_getBlockByNumber", "latest", false);
  // In steps of 10^-6, so that a number with a fraction is exact.
  const answer = (BigInt(Math.round(usd * 1e6)) * 10n ** BigInt(decimals)) / 10n ** 6n;
  const updatedAt = BigInt(timestamp) - BigInt(age);
  // decimals() returns one word; everything else five, of which the second is the answer and the fourth the time.
  const five = `7f${word(answer)}6020527f${word(updatedAt)}60605260a06000f3`;
  const one = `5b7f${word(BigInt(decimals))}60005260206000f3`;
  const start = "60003560e01c63313ce56714";
  const target = (start.length + five.length) / 2 + 3;
  return createContract(tools, `0x${start}60${target.toString(16).padStart(2, "0")}57${five}${one}`);
}

/** Creates a contract with this code. Returns its address. */
export async function createContract(tools: TestChain, code: string): Promise<string> {
  const address = hexlify(randomBytes(20));
  await tools.rpc("anvil_setCode", address, code);
  return address;
}

/** Code that returns a word of these bytes for each of five, whatever is called. */
export function returning(byte: string): string {
  const store = [0, 32, 64, 96, 128].map((at) => `7f${byte.repeat(32)}60${at.toString(16).padStart(2, "0")}52`);
  return `0x${store.join("")}60a06000f3`;
}
