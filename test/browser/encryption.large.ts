import { expect, test } from "vitest";
import { encryptPieces, prepareEncryption } from "../../src/crypto/encrypt.ts";

const MIB = 1024 * 1024;
const ROUNDS = 3;
const bytes = new Uint8Array(256 * MIB);

/** MiB per second. */
async function pace(size: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (size / MIB / (performance.now() - began)) * 1000;
}

async function* inPieces(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += MIB) yield bytes.subarray(at % bytes.length, (at % bytes.length) + MIB);
}

async function encryptAtOnce(): Promise<void> {
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  expect((await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, bytes)).byteLength).toBe(bytes.length + 16);
}

async function encryptStreamed(size: number): Promise<void> {
  let got = 0;
  for await (const piece of encryptPieces(inPieces(size), await prepareEncryption("ab".repeat(32))))
    got += piece.length;
  expect(got).toBe(size + 44);
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test("1 GiB is encrypted piece by piece no slower than WebCrypto encrypts 256 MiB at once", async () => {
  for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  const atOnce: number[] = [];
  const streamed: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    atOnce.push(await pace(bytes.length, encryptAtOnce));
    streamed.push(await pace(1024 * MIB, () => encryptStreamed(1024 * MIB)));
  }
  const ratio = median(streamed) / median(atOnce);
  console.log(
    `in pieces ${median(streamed).toFixed(0)} MiB/s, at once ${median(atOnce).toFixed(0)} MiB/s: ${ratio.toFixed(2)}`,
  );
  expect(ratio).toBeGreaterThanOrEqual(1);
});
