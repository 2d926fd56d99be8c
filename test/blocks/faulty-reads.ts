import { expect } from "vitest";
import { decrypt, download, encryptBytes } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { type StandInOptions, startGateway, type Way } from "./stand-in.ts";
import { makeBytes, shapes, storeFile } from "./trees.ts";

const key = "5f".repeat(32);
const content = makeBytes(900_000);
const encrypted = await encryptBytes(content, key);
const stored = await Promise.all(
  Object.values(shapes).map(async (shape) => ({
    plain: await storeFile(content, shape),
    encrypted: await storeFile(encrypted, shape),
  })),
);

/** What honest gateways send. */
const ways: Way[][] = [["raw", "whole"], ["car", "whole"], ["raw"], ["car", "range"], ["raw", "range", "whole"]];

/** Deriving a key takes long: every fifth read decrypts. */
const DECRYPT_EVERY = 5;

export function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T;
}

/** Changes one random bit. In an archive, of a block: nothing depends on its header. */
export const changeBit: NonNullable<StandInOptions["change"]> = (bytes, { query }) => {
  const changed = Uint8Array.from(bytes);
  const first = query["format"] === "car" ? Math.min(changed.length - 1, 200) : 0;
  const at = first + Math.floor(Math.random() * (changed.length - first));
  changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
  return changed;
};

/** Sends the start of whatever is requested, and then nothing more. */
const stall: NonNullable<StandInOptions["intercept"]> = (_, response) => {
  response.writeHead(200, { "Content-Length": 900_000 });
  return response.write(content.subarray(0, 300_000)) || true;
};

/** Ways in which a gateway is down, slow or faulty. */
export const problems: StandInOptions[] = [
  { ways: ["raw", "whole"], change: changeBit },
  { intercept: (_, response) => !!response.destroy() },
  { intercept: () => true },
  { intercept: stall },
  { intercept: (_, response) => !!response.writeHead(500).end() },
  { ways: ["raw", "whole"], change: (bytes) => bytes.subarray(0, bytes.length / 2) },
];

/** Downloads or decrypts a file from three gateways, one or two of which are bad. */
export async function readFromThree(count: number): Promise<void> {
  const decrypts = count % DECRYPT_EVERY === 0;
  const { cid, blocks } = pick(stored)[decrypts ? "encrypted" : "plain"];
  const bad = 1 + (count % 2);
  const options = [0, 1, 2].map(
    (at): StandInOptions => ({ ways: pick(ways), ...(at < bad ? problems[(count + at) % problems.length] : {}) }),
  );
  options.sort(() => Math.random() - 0.5);
  const gateways = await Promise.all(options.map((one) => startGateway(blocks, one)));
  const endpoints = { gateway: gateways.map(({ url }) => url) };
  let failed: number[] = [];
  const read = {
    endpoints,
    verifyCid: true,
    onDownloaded: (report: { gateways: { failed: number }[] }) => (failed = report.gateways.map((one) => one.failed)),
  };
  const bytes = decrypts ? await decrypt(cid, { key, ...read }) : await download(cid, read);
  expect(Buffer.compare(bytes, content), `read ${count}`).toBe(0);
  const good = options.flatMap((one, at) => (one.change || one.intercept ? [] : [at]));
  expect(good.map((at) => failed[at])).toEqual(good.map(() => 0));
  await Promise.all(gateways.map(({ close }) => close()));
}

/** Downloads or decrypts a file from one gateway that changes a bit; returns whether that was noticed. */
export async function readChanged(count: number): Promise<boolean> {
  const decrypts = count % DECRYPT_EVERY === 0;
  const { cid, blocks } = pick(stored)[decrypts ? "encrypted" : "plain"];
  // The file itself, or a block that leads to it.
  const ofBlock = Math.random() < 0.2;
  const change: StandInOptions["change"] = (bytes, request) =>
    (request.method === "POST") === ofBlock ? bytes : changeBit(bytes, request);
  const gateway = await startGateway(blocks, {
    ways: pick([
      ["raw", "whole"],
      ["car", "whole"],
    ]),
    change,
  });
  const read = { endpoints: { gateway: gateway.url } };
  const call = decrypts ? decrypt(cid, { key, ...read }) : download(cid, read);
  const bytes = await call.catch(() => undefined);
  if (bytes) expect(Buffer.compare(bytes, content), `read ${count}`).toBe(0);
  else expect(["CID_MISMATCH", "INVALID_RESPONSE"]).toContain((await failure(call)).code);
  await gateway.close();
  return bytes === undefined;
}

/** Runs `read` so many times, several at once: most of them wait. */
export async function repeat<T>(times: number, read: (count: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < times; from += 10) {
    const counts = Array.from({ length: Math.min(10, times - from) }, (_, at) => from + at);
    results.push(...(await Promise.all(counts.map(read))));
  }
  return results;
}
