import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { openFile } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import type { TestServer } from "../support/http-server.ts";
import { type StandInOptions, startGateway, type Way } from "./stand-in.ts";
import { makeBytes, shapes, storeFile } from "./trees.ts";

const content = makeBytes(600_000);
const stored = Object.values(shapes).map((shape) => storeFile(content, shape));

async function readAll(cid: string, gateways: readonly TestServer[]) {
  const file = await openFile(cid, { endpoints: { gateway: gateways.map(({ url }) => url) } });
  expect(Buffer.compare(await file.read(0, file.size), content)).toBe(0);
  return file.gateways();
}

/** Changes one bit of what is sent, never the same one. */
function flipBits(): StandInOptions["change"] {
  let position = 0;
  return (bytes) => {
    const changed = Uint8Array.from(bytes);
    position = (position * 31 + 7_919) % (changed.length * 8 || 1);
    const at = position >> 3;
    changed[at] = (changed[at] ?? 0) ^ (1 << (position & 7));
    return changed;
  };
}

describe.each<[string, Way[]]>([
  ["single blocks", ["raw"]],
  ["archives", ["car"]],
  ["ranges", ["raw", "range"]],
])("a gateway that changes bits of %s", (_, ways) => {
  test("is refused, in every shape", async () => {
    for (const { cid, blocks } of await Promise.all(stored)) {
      const gateway = await startGateway(blocks, { ways, change: flipBits() });
      const error = await failure(readAll(cid, [gateway]));
      expect(["CID_MISMATCH", "INVALID_RESPONSE", "RESPONSE_TOO_LARGE"]).toContain(error.code);
    }
  });

  test("is named, and another one is used instead", async () => {
    for (const { cid, blocks } of await Promise.all(stored)) {
      const faulty = await startGateway(blocks, { ways, change: flipBits() });
      const good = await startGateway(blocks, { ways });
      const [first, second] = await readAll(cid, [faulty, good]);
      // It may be right by chance: nothing depends on an archive's header.
      expect(first?.url).toBe(faulty.url);
      expect(first?.failed).toBeGreaterThan(0);
      expect(second).toMatchObject({ url: good.url, failed: 0 });
    }
  });
});

const ways: Way[] = ["raw", "car", "range"];

test.each<[string, StandInOptions["intercept"]]>([
  ["is down", (_, response) => !!response.destroy()],
  ["refuses", (_, response) => !!response.writeHead(402).end("pay first")],
  ["never responds", () => true],
  [
    "sends an endless block",
    (_, response) => {
      response.writeHead(200, { "Content-Type": "application/vnd.ipld.raw" });
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)));
      more();
      return true;
    },
  ],
  ["does not have the file", (_, response) => !!response.writeHead(404).end("not found")],
  ["sends its home page", (_, response) => !!response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Hello")],
])("of two gateways, one that %s delays nothing for long", async (_, intercept) => {
  const [first] = await Promise.all(stored);
  if (!first) throw new Error("nothing is stored");
  const bad = await startGateway(first.blocks, { intercept });
  const good = await startGateway(first.blocks, { ways });
  const [, second] = await readAll(first.cid, [bad, good]);
  expect(second?.failed).toBe(0);
  expect(second?.used).toBeGreaterThan(0);
});

test("if every gateway fails, the error names each", async () => {
  const [first] = await Promise.all(stored);
  if (!first) throw new Error("nothing is stored");
  const faulty = await startGateway(first.blocks, { ways, change: flipBits() });
  const down = await startGateway(first.blocks, { intercept: (_, response) => !!response.destroy() });
  const error = await failure(readAll(first.cid, [down, faulty]));
  expect([error.code, error.details["gateways"]]).toEqual([
    "CID_MISMATCH",
    [
      { url: down.url, code: "NETWORK" },
      { url: faulty.url, code: "CID_MISMATCH" },
    ],
  ]);
});

test("a refusal keeps its status though its page is large", async () => {
  const [first] = await Promise.all(stored);
  if (!first) throw new Error("nothing is stored");
  const page = "a".repeat(100_000);
  const gateway = await startGateway(first.blocks, {
    intercept: (_, response) => !!response.writeHead(402).end(page),
  });
  expect(await failure(readAll(first.cid, [gateway]))).toMatchObject({ code: "HTTP_STATUS", details: { status: 402 } });
});

/** Sections of an archive: their length, a content id, and the bytes of the block. */
const section = (...bytes: number[]) => Uint8Array.of(bytes.length, ...bytes);
const zeros = Array<number>(32).fill(0);
const otherBlocks: [string, Uint8Array][] = [
  ["other blocks", section(1, 0x55, 0x12, 0x20, ...zeros, 1, 2, 3)],
  ["blocks of unknown kinds", section(1, 0x55, 0xa0, 0xe4, 0x02, 0x20, ...zeros, 1, 2, 3)],
  ["empty blocks", section(1, 0x55, 0, 0)],
];

/** More than any reader has a reason to read. Then the archive ends, so that reading on is a failure and not a wait. */
const ENDLESS_BYTES = 40 * 1024 * 1024;

/** Sends an archive of the same block again and again, until nobody reads it, and returns whether all of it was read. */
async function sendEndless(response: ServerResponse, block: Uint8Array): Promise<boolean> {
  const many = Buffer.concat(Array<Uint8Array>(2_000).fill(block));
  response.writeHead(200, { "Content-Type": "application/vnd.ipld.car" });
  response.write(section(0xa0));
  const closed = once(response, "close");
  for (let sent = 0; sent < ENDLESS_BYTES && !response.destroyed; sent += many.length) {
    if (!response.write(many)) await Promise.race([once(response, "drain"), closed]);
  }
  if (response.destroyed) return false;
  response.end();
  return true;
}

describe.each(otherBlocks)("an archive of %s without end is not read on", (_, block) => {
  test("in place of a block", async () => {
    const { cid, blocks } = await storeFile(content);
    let isReadToItsEnd: Promise<boolean> | undefined;
    const gateway = await startGateway(blocks, {
      ways: [],
      intercept({ query }, response) {
        if (query["format"] !== "car") return !!response.writeHead(406).end();
        isReadToItsEnd = sendEndless(response, block);
        return true;
      },
    });
    expect((await failure(readAll(cid, [gateway]))).code).toBe("INVALID_RESPONSE");
    expect(await isReadToItsEnd).toBe(false);
  });

  test("in place of a part of a file", async () => {
    const { cid, blocks } = await storeFile(content);
    let isReadToItsEnd: Promise<boolean> | undefined;
    const gateway = await startGateway(blocks, {
      ways: ["car"],
      intercept({ query }, response) {
        if (!query["entity-bytes"]) return false;
        isReadToItsEnd = sendEndless(response, block);
        return true;
      },
    });
    expect(["CID_MISMATCH", "RESPONSE_TOO_LARGE"]).toContain((await failure(readAll(cid, [gateway]))).code);
    expect(await isReadToItsEnd).toBe(false);
  });
});
