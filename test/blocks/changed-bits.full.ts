import { expect, test } from "vitest";
import { openFile } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { changeBit, pick, problems } from "./faulty-reads.ts";
import { type StandInOptions, startGateway, type Way } from "./stand-in.ts";
import { makeBytes, shapes, storeFile } from "./trees.ts";

const CHANGES = Number(process.env["KEEPLIGHT_CHANGES"] ?? 120);
const READS = Number(process.env["KEEPLIGHT_READS"] ?? 30);

const content = makeBytes(900_000);
const stored = Object.values(shapes).map((shape) => storeFile(content, shape));
const ways: Way[][] = [["raw"], ["car"], ["raw", "range"], ["car", "range"]];

test(`${CHANGES} random bits that a gateway changes are noticed, or change nothing`, async () => {
  let refused = 0;
  for (let count = 0; count < CHANGES; count++) {
    const { cid, blocks } = await pick(stored);
    // The first responses lead to the bytes, later ones have them.
    let left = Math.floor(Math.random() * 4);
    const change: StandInOptions["change"] = (bytes, request) => (left-- === 0 ? changeBit(bytes, request) : bytes);
    const gateway = await startGateway(blocks, { ways: pick(ways), change });
    const from = Math.random() < 0.5 ? 0 : Math.floor(Math.random() * content.length);
    const to = from === 0 ? content.length : from + 50_000;
    const endpoints = { gateway: gateway.url };
    const read = openFile(cid, { endpoints }).then((file) => file.read(from, to));
    const bytes = await read.catch(() => undefined);
    if (bytes) expect(Buffer.compare(bytes, content.subarray(from, to))).toBe(0);
    else refused++;
    expect(bytes !== undefined || ["CID_MISMATCH", "INVALID_RESPONSE"].includes((await failure(read)).code)).toBe(true);
    await gateway.close();
  }
  console.log(`${refused} of ${CHANGES} reads were refused; in the others, nothing read was changed`);
  expect(refused).toBeGreaterThan(CHANGES / 4);
}, 1_800_000);

test(`${READS} of ${READS} reads are right with one or two of three gateways down, slow or faulty`, async () => {
  for (let count = 0; count < READS; count++) {
    const { cid, blocks } = await pick(stored);
    const bad = 1 + (count % 2);
    const options = [0, 1, 2].map((at): StandInOptions => ({ ways: pick(ways), ...(at < bad ? pick(problems) : {}) }));
    const gateways = await Promise.all(options.sort(() => Math.random() - 0.5).map((one) => startGateway(blocks, one)));
    const file = await openFile(cid, { endpoints: { gateway: gateways.map(({ url }) => url) } });
    expect(Buffer.compare(await file.read(0, file.size), content), `read ${count}`).toBe(0);
    const good = options.flatMap((one, at) => (one.change || one.intercept ? [] : [at]));
    for (const at of good) expect(file.gateways()[at]?.failed).toBe(0);
    await Promise.all(gateways.map(({ close }) => close()));
  }
}, 1_800_000);
