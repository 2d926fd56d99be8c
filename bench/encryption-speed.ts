import { encryptChunks, prepareEncryption } from "../src/formats/crypto/encrypt.ts";

const MIB = 1024 * 1024;
const data = new Uint8Array(256 * MIB);

async function* chunks(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += MIB) yield data.subarray(at, at + MIB);
}

/** Returns the MiB per second of encrypting `data`. */
async function measureSpeed(encrypt: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await encrypt();
  return (data.length / MIB / (performance.now() - started)) * 1000;
}

async function encryptInChunks(): Promise<void> {
  for await (const _ of encryptChunks(chunks(), await prepareEncryption("ab".repeat(32))));
}

async function encryptWhole(): Promise<void> {
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  await crypto.subtle.encrypt({ name: "AES-GCM", iv: crypto.getRandomValues(new Uint8Array(12)) }, key, data);
}

/** Measures MiB per second in a page: this package's encryption, and WebCrypto on the whole input. Medians of three. */
export async function measureEncryption(): Promise<{ inChunks: number; whole: number }> {
  for (let at = 0; at < data.length; at += 65536) crypto.getRandomValues(data.subarray(at, at + 65536));
  const inChunks: number[] = [];
  const whole: number[] = [];
  for (let round = 0; round < 3; round++) {
    whole.push(await measureSpeed(encryptWhole));
    inChunks.push(await measureSpeed(encryptInChunks));
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[1] ?? Number.NaN;
  return { inChunks: median(inChunks), whole: median(whole) };
}
