import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commitToKey,
  type DownloadOptions,
  type DownloadReport,
  decrypt,
  download,
  encryptBytes,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { type StandInOptions, startGateway, type Way } from "./stand-in.ts";
import { makeBytes, shapes, storeFile, storeFolder, type Tree } from "./trees.ts";

const key = "5f".repeat(32);
const content = makeBytes(1_100_000);
const encrypted = await encryptBytes(content, key);
const names = Object.keys(shapes);

/** Downloads, or decrypts, and returns the bytes and the report. */
async function fetchFile(
  call: "download" | "decrypt",
  { cid }: Tree,
  gateway: string | readonly string[],
  more: Pick<DownloadOptions, "verifyCid" | "chunkProfile"> = {},
) {
  let report: DownloadReport | undefined;
  const onDownloaded = (received: DownloadReport) => {
    report = received;
  };
  const options = { endpoints: { gateway }, onDownloaded, ...more };
  const bytes = await (call === "download" ? download(cid, options) : decrypt(cid, { key, ...options }));
  return { isRight: Buffer.compare(bytes, content) === 0, report };
}

const calls = [
  ["download", content],
  ["decrypt", encrypted],
] as const;

/** Deriving a key takes long: what does not depend on the way to split a file is decrypted in one shape. */
const cases = [
  ...names.map((name) => ["download", name, content] as const),
  ["decrypt", "256 KiB, version 0", encrypted] as const,
];

const html: NonNullable<StandInOptions["intercept"]> = ({ method }, response) =>
  method === "GET" && !!response.writeHead(501, { "Content-Type": "text/html" }).end("<title>Not here</title>");

describe.each(cases)("%s of a file split as %s", (call, name, stored) => {
  test("verifies it by its blocks, and requests it once", async () => {
    const file = await storeFile(stored, shapes[name]);
    const gateway = await startGateway(file.blocks, { ways: ["raw", "whole"] });
    const { isRight, report } = await fetchFile(call, file, gateway.url);
    expect(isRight).toBe(true);
    const gateways = [expect.objectContaining({ url: gateway.url, failed: 0 })];
    expect(report).toEqual({ verified: true, by: "blocks", gateways });
    expect(gateway.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(gateway.requests.filter(({ headers }) => headers.range)).toEqual([]);
  });

  test("refuses a changed bit, unless verifyCid is false", async () => {
    const file = await storeFile(stored, shapes[name]);
    const change: StandInOptions["change"] = (bytes, { method }) => {
      const changed = Uint8Array.from(bytes);
      if (method === "POST") changed[577_777] = (changed[577_777] ?? 0) ^ 1;
      return changed;
    };
    const gateway = await startGateway(file.blocks, { ways: ["raw", "car", "range", "whole"], change });
    const error = await failure(fetchFile(call, file, gateway.url));
    expect(error).toMatchObject({ code: "CID_MISMATCH", details: { expected: file.cid, url: gateway.url } });
    const { from = 0, to = 0 } = error.details as { from?: number; to?: number };
    expect([from <= 577_777, 577_777 < to]).toEqual([true, true]);
    if (call === "download")
      expect((await fetchFile(call, file, gateway.url, { verifyCid: false })).isRight).toBe(false);
  });
});

test.each([
  ["256 KiB, version 1", "profile"],
  ["256 KiB, version 0", "profile"],
  ["1 MiB, 1,024 links", "profile"],
  ["rabin", undefined],
  ["trickle", undefined],
])("without blocks, a file split as %s is verified by: %s", async (name, by) => {
  const file = await storeFile(content, shapes[name]);
  for (const options of [{ ways: ["whole"] }, { ways: ["whole"], intercept: html }] satisfies StandInOptions[]) {
    const gateway = await startGateway(file.blocks, options);
    const call = fetchFile("download", file, gateway.url);
    if (by) {
      const { isRight, report } = await call;
      expect([isRight, report?.verified, report?.by]).toEqual([true, true, by]);
      continue;
    }
    const error = await failure(call);
    expect(error).toMatchObject({ code: "NOT_VERIFIED", details: { cid: file.cid, url: gateway.url } });
    expect(error.details["tried"]).toMatchObject([
      { profile: "1-262144-174" },
      { profile: "1-1048576-1024" },
      { profile: "0-262144-174" },
    ]);
    expect(error.message).toContain("verifyCid: false accepts them");
    expect(error.cause).toBeInstanceOf(Error);
    const { isRight, report } = await fetchFile("download", file, gateway.url, { verifyCid: false });
    expect([isRight, report?.verified, report?.by]).toEqual([true, false, undefined]);
  }
});

describe("a gateway that refuses blocks and sends other bytes", () => {
  const forged = makeBytes(1_100_000, 2);
  const outputs = [{}, { as: "blob" }, { as: "stream" }, { to: true }] as const;

  test.each(["256 KiB, version 0", "1 MiB, 1,024 links", "rabin"])("is refused by download, %s", async (name) => {
    const file = await storeFile(content, shapes[name]);
    const { url } = await startGateway(file.blocks, { ways: ["whole"], change: () => forged });
    for (const { to, ...output } of outputs as readonly { to?: true }[]) {
      const path = join(await scratch(), "file");
      const options = { endpoints: { gateway: url }, ...output, ...(to ? { to: path } : {}) };
      expect((await failure(download(file.cid, options as DownloadOptions))).code).toBe("NOT_VERIFIED");
      expect(existsSync(path)).toBe(false);
    }
  });

  test.each([{}, { commitment: true }, { strict: true }])(
    "is refused by decrypt though the key opens what it sends, with %o",
    async ({ commitment, ...options }) => {
      const file = await storeFile(encrypted);
      const other = await encryptBytes(forged, key);
      const { url } = await startGateway(file.blocks, { ways: ["whole"], change: () => other });
      const committed = commitment ? { commitment: await commitToKey(file.cid, key) } : {};
      const call = decrypt(file.cid, { key, endpoints: { gateway: url }, ...committed, ...options });
      expect((await failure(call)).code).toBe("NOT_VERIFIED");
    },
  );

  test("does no harm beside another gateway", async () => {
    const file = await storeFile(content);
    const liar = await startGateway(file.blocks, { ways: ["whole"], change: () => forged });
    const honest = await startGateway(file.blocks, { ways: ["whole"] });
    const { isRight, report } = await fetchFile("download", file, [liar.url, honest.url]);
    expect([isRight, report?.by]).toEqual([true, "profile"]);
    expect(report?.gateways).toMatchObject([{ url: liar.url, used: 0, code: "NOT_VERIFIED" }, { failed: 0 }]);
  });
});

describe("without blocks, a chunk profile", () => {
  test("proves a file that was split in that way", async () => {
    const file = await storeFile(content, shapes["three levels of small blocks"]);
    const { url: gateway } = await startGateway(file.blocks, { ways: ["whole"] });
    const options = { endpoints: { gateway } };
    expect((await failure(download(file.cid, options))).code).toBe("NOT_VERIFIED");
    const bytes = await download(file.cid, { ...options, chunkProfile: "1-16384-8" });
    expect(Buffer.compare(bytes, content)).toBe(0);
  });

  test("that is another one does no harm", async () => {
    const file = await storeFile(content);
    const { url: gateway } = await startGateway(file.blocks, { ways: ["whole"] });
    expect(await download(file.cid, { endpoints: { gateway }, chunkProfile: "0-1024-2" })).toHaveLength(content.length);
  });

  test.each(["", "1", "2-262144-174", "1-262144-1", "1-1023-174", "1-2097153-174", "1-262144-99999", "01-4096-2", 1])(
    "%j is refused before anything is sent",
    async (chunkProfile) => {
      const file = await storeFile(content);
      const { url: gateway, requests } = await startGateway(file.blocks);
      const call = download(file.cid, { endpoints: { gateway }, chunkProfile: chunkProfile as string });
      expect(await failure(call)).toMatchObject({ code: "INVALID_OPTION", details: { option: "chunkProfile" } });
      expect(requests).toEqual([]);
    },
  );
});

describe.each(calls)("%s", (call, stored) => {
  test("refuses a file that is shorter or longer than its blocks", async () => {
    const file = await storeFile(stored);
    for (const size of [1, 262_144, stored.length - 1, stored.length + 1]) {
      const whole = new Uint8Array(size);
      whole.set(stored.subarray(0, size));
      const change: StandInOptions["change"] = (bytes, { method }) => (method === "POST" ? whole : bytes);
      const gateway = await startGateway(file.blocks, { ways: ["raw", "whole"], change });
      expect((await failure(fetchFile(call, file, gateway.url))).code, `${size} bytes`).toBe("CID_MISMATCH");
    }
  });

  test("continues by blocks where a gateway broke off", async () => {
    const file = await storeFile(stored);
    let broken = 0;
    const gateway = await startGateway(file.blocks, {
      ways: ["raw", "range", "whole"],
      intercept({ method }, response) {
        if (method !== "POST") return false;
        broken++;
        response.writeHead(200, { "Content-Length": stored.length });
        response.write(stored.subarray(0, 600_000), () => setImmediate(() => response.destroy()));
        return true;
      },
    });
    expect((await fetchFile(call, file, gateway.url)).isRight).toBe(true);
    expect(broken).toBe(1);
  });

  test("reads a file from a gateway that sends only blocks", async () => {
    const file = await storeFile(stored);
    const gateway = await startGateway(file.blocks, { ways: ["car"] });
    const { isRight, report } = await fetchFile(call, file, gateway.url);
    expect([isRight, report?.by]).toEqual([true, "blocks"]);
  });
});

test.each([0, 1, 1000, 262_144, 262_145])("a file of %i bytes is verified, in one block or several", async (size) => {
  const bytes = content.subarray(0, size);
  for (const shape of [
    { ...shapes["1 MiB, 1,024 links"], reduceSingleLeafToSelf: true },
    shapes["256 KiB, version 0"],
  ]) {
    const { cid, blocks } = await storeFile(bytes, shape);
    const good = await startGateway(blocks, { ways: ["raw", "whole"] });
    let report: DownloadReport | undefined;
    const onDownloaded = (received: DownloadReport) => {
      report = received;
      throw new Error("it has no place to go");
    };
    const downloaded = await download(cid, { endpoints: { gateway: good.url }, onDownloaded });
    expect([Buffer.compare(downloaded, bytes), report?.by]).toEqual([0, "blocks"]);
    const change: StandInOptions["change"] = (sent) => (sent.length > 0 ? sent.map((byte) => byte ^ 128) : sent);
    const faulty = await startGateway(blocks, { ways: ["whole"], change });
    const call = download(cid, { endpoints: { gateway: faulty.url } });
    if (size === 0) expect(await call).toHaveLength(0);
    else if (cid.startsWith("bafkrei")) expect((await failure(call)).code).toBe("CID_MISMATCH");
    else expect((await failure(call)).code).toBe("NOT_VERIFIED");
  }
});

test("a page instead of a file is refused if the content id is a folder's, unless verifyCid is false", async () => {
  const { cid, blocks } = await storeFolder({ "a.txt": new Uint8Array(5) });
  const intercept: StandInOptions["intercept"] = ({ method }, response) =>
    method === "POST" && !!response.end("a page");
  const gateway = await startGateway(blocks, { intercept });
  const endpoints = { gateway: gateway.url };
  const error = await failure(download(cid, { endpoints }));
  expect([error.code, error.message]).toEqual(["UNSUPPORTED", `${cid} is not a file`]);
  expect(await download(cid, { endpoints, verifyCid: false })).toHaveLength(6);
});

const bad: [string, StandInOptions][] = [
  ["is down", { intercept: (_, response) => !!response.destroy() }],
  ["refuses", { intercept: (_, response) => !!response.writeHead(402).end("pay first") }],
  ["never responds", { intercept: () => true }],
  ["sends other bytes and blocks", { ways: ["raw", "whole"], change: (bytes) => bytes.map((byte) => byte ^ 1) }],
  ["has no file", { intercept: (_, response) => !!response.writeHead(404).end() }],
];
const good: [string, Way[]][] = [
  ["blocks and whole files", ["raw", "whole"]],
  ["blocks", ["raw"]],
  ["archives and ranges", ["car", "range"]],
  ["whole files", ["whole"]],
];

describe.each(bad)("of two gateways, one that %s", (_, options) => {
  test.each(good)("does no harm while the other one sends %s", async (_, ways) => {
    const file = await storeFile(content);
    const first = await startGateway(file.blocks, options);
    const second = await startGateway(file.blocks, { ways });
    const to = join(await scratch(), "file");
    const endpoints = { gateway: [first.url, second.url] };
    let report: DownloadReport | undefined;
    await download(file.cid, { endpoints, to, onDownloaded: (received) => (report = received) });
    expect(Buffer.compare(await readFile(to), content)).toBe(0);
    expect(report?.verified).toBe(true);
    expect(report?.gateways[1]).toMatchObject({ url: second.url, failed: 0 });
  });
});

test.each(good)(
  "of two gateways, one that claims more bytes than an array holds does no harm while the other one sends %s",
  async (_, ways) => {
    for (const [call, stored] of calls) {
      const file = await storeFile(stored);
      const first = await startGateway(file.blocks, {
        intercept: ({ method }, response) =>
          method === "POST" && !!response.writeHead(200, { "Content-Length": 2 ** 40 }).write(stored.subarray(0, 1000)),
      });
      const second = await startGateway(file.blocks, { ways });
      const { isRight, report } = await fetchFile(call, file, [first.url, second.url]);
      expect([isRight, report?.verified]).toEqual([true, true]);
      expect(report?.gateways).toMatchObject([{ code: "RESPONSE_TOO_LARGE" }, { failed: 0 }]);
    }
  },
);

test.each([1, 2])("of %i gateways, one that sends of all blocks only the first does no harm", async (count) => {
  for (const [call, stored] of calls) {
    const { cid, blocks } = await storeFile(stored, shapes["three levels of small blocks"]);
    const ways: Way[][] = count === 1 ? [["raw", "whole"]] : [["raw"], ["whole"]];
    const intercept: StandInOptions["intercept"] = ({ method, path }, response) =>
      method === "GET" && path !== `/ipfs/${cid}` && !!response.writeHead(404).end();
    const gateways = await Promise.all(ways.map((each) => startGateway(blocks, { ways: each, intercept })));
    const urls = gateways.map(({ url }) => url);
    const { isRight, report } = await fetchFile(call, { cid, blocks }, urls, { chunkProfile: "1-16384-8" });
    expect([isRight, report?.by]).toEqual([true, "profile"]);
    expect((await failure(fetchFile(call, { cid, blocks }, urls))).code).toBe("NOT_VERIFIED");
  }
});

test("without blocks, the next gateway starts over where one broke off", async () => {
  for (const [call, stored] of calls) {
    const file = await storeFile(stored);
    const first = await startGateway(file.blocks, {
      intercept({ method }, response) {
        if (method !== "POST") return !!response.writeHead(404).end();
        response.writeHead(200, { "Content-Length": stored.length });
        response.write(stored.subarray(0, 500_000), () => setImmediate(() => response.destroy()));
        return true;
      },
    });
    const second = await startGateway(file.blocks, { ways: ["whole"] });
    const { isRight, report } = await fetchFile(call, file, [first.url, second.url]);
    expect([isRight, report?.by]).toEqual([true, "profile"]);
    expect(report?.gateways).toMatchObject([
      { url: first.url, used: 0 },
      { url: second.url, failed: 0 },
    ]);
  }
});

test.each([401, 402, 403])("a refusal with %i says that the gateway requires a plan", async (status) => {
  const { cid, blocks } = await storeFile(content);
  const gateway = await startGateway(blocks, {
    intercept: (_, response) => !!response.writeHead(status).end("No plan"),
  });
  const error = await failure(download(cid, { endpoints: { gateway: gateway.url } }));
  const advice = `${gateway.url} requires a plan or a key: use another gateway, endpoints: { gateway: [...] }`;
  expect(error).toMatchObject({ code: "HTTP_STATUS", details: { status, serverMessage: "No plan", advice } });
  expect(String(error)).toContain(`No plan (${advice})`);
});

test("a gateway that is silent for longer than others are waited for is used if they cannot help", async () => {
  const file = await storeFile(content);
  let requests = 0;
  const slow = await startGateway(file.blocks, {
    ways: ["whole"],
    // Its first response never arrives, so that nothing depends on how long it takes.
    intercept: ({ method }) => method === "POST" && ++requests === 1,
  });
  const down = await startGateway(file.blocks, { intercept: (_, response) => !!response.writeHead(404).end() });
  const { isRight, report } = await fetchFile("download", file, [slow.url, down.url]);
  expect([isRight, report?.by, requests]).toEqual([true, "profile", 2]);
});

test("an abort while the only gateway's blocks are awaited, which has refused the file, is an abort", async () => {
  const { cid, blocks } = await storeFile(content);
  const controller = new AbortController();
  let requests = 0;
  const gateway = await startGateway(blocks, {
    // The blocks never arrive.
    intercept({ method }, response) {
      requests += 1;
      if (requests > 1) setTimeout(() => controller.abort(), 50);
      return method !== "POST" || !!response.writeHead(404).end();
    },
  });
  const call = download(cid, { endpoints: { gateway: gateway.url }, signal: controller.signal });
  expect((await failure(call)).code).toBe("ABORTED");
});

test("an error of the caller ends a download: no gateway has failed, and no other one is requested", async () => {
  const file = await storeFile(content);
  const first = await startGateway(file.blocks, { ways: ["raw", "whole"] });
  const second = await startGateway(file.blocks, { ways: ["raw", "whole"] });
  const stop = new Error("enough");
  const onProgress = () => {
    throw stop;
  };
  const call = download(file.cid, { endpoints: { gateway: [first.url, second.url] }, onProgress });
  await expect(call).rejects.toBe(stop);
  expect(second.requests.filter(({ method }) => method === "POST")).toEqual([]);
});
