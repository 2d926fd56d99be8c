import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type Incumbent, startIncumbent } from "../../../test/interop/incumbent.ts";
import { getJwtThroughIncumbent } from "../../../test/interop/stage.ts";
import { createServer, type RecordedRequest } from "../../../test/support/http-server.ts";
import { createTree, encodeCar } from "../../devnet/test/car.ts";
import * as lighthouse from "../src/index.ts";
import { pointAt, rejection, setCompatStage, shapeOf } from "./stage.ts";

// A file in another storage class is billed to another quota: each upload names the same class as the incumbent's does.

const stage = setCompatStage();
const drop = lighthouse.default as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;

const CLASSES = [undefined, {}, "lifetime", "annual", "walrus"] as const;
const CALLS: [string, (options: unknown) => Promise<[string, ...unknown[]]>][] = [
  ["upload", async (options) => ["upload", stage().single, stage().apiKey, options]],
  ["upload of a folder", async (options) => ["upload", stage().folder, stage().apiKey, options]],
  ["uploadText", async (options) => ["uploadText", "text", stage().apiKey, "text.txt", options]],
  ["uploadBuffer", async (options) => ["uploadBuffer", Buffer.from("bytes"), stage().apiKey, options]],
  ["uploadCAR", async (options) => ["uploadCAR", await createCar(), stage().apiKey, options]],
  ["uploadEncrypted", async (options) => ["uploadEncrypted", stage().single, ...(await owner()), options]],
  ["uploadEncrypted of a folder", async (options) => ["uploadEncrypted", stage().folder, ...(await owner()), options]],
  ["textUploadEncrypted", async (options) => ["textUploadEncrypted", "text", ...(await owner()), "text.txt", options]],
];

async function owner(): Promise<[string, string, string]> {
  const { apiKey, owner: someone, incumbent } = stage();
  return [apiKey, someone.address, await getJwtThroughIncumbent(incumbent, someone)];
}

async function createCar(): Promise<string> {
  const { root, blocks } = await createTree({ file: stage().contents["a.txt"] }, 262_144);
  const path = join(dirname(stage().single), "a.car");
  await writeFile(path, encodeCar([root], blocks));
  return path;
}

/** Two upload nodes that forward to the devnet's: the usual one, and the one of `walrus`. */
async function createNodes() {
  const { endpoints } = stage().devnet;
  const forward = () =>
    createServer(async ({ path, query, headers, body }, response) => {
      const { authorization = "", "content-type": type = "", encryption } = headers;
      const passed = { authorization, "content-type": type, ...(encryption ? { encryption: String(encryption) } : {}) };
      const url = `${endpoints.upload}${path}?${new URLSearchParams(query)}`;
      const { status, ...stored } = await fetch(url, {
        method: "POST",
        headers: passed,
        body: new Uint8Array(body),
      }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
      response.writeHead(status, { "content-type": "application/json" }).end(stored.text);
    });
  const [upload, walrus] = await Promise.all([forward(), forward()]);
  return { upload, walrus };
}

let nodes: Awaited<ReturnType<typeof createNodes>>;
let incumbent: Incumbent;

beforeEach(async () => {
  nodes = await createNodes();
  const endpoints = { ...stage().devnet.endpoints, upload: nodes.upload.url, walrusUpload: nodes.walrus.url };
  pointAt(endpoints);
  incumbent = await startIncumbent(endpoints);
  return () => incumbent.stop();
});

/** What each node has received since the last call, without what every client sends in its own way. */
function takeRequests() {
  const describe = ({ method, path, query, headers }: RecordedRequest) => ({
    method,
    path,
    version: query["cid-version"],
    authorization: headers.authorization,
    storage: headers["x-storage-type"],
    encryption: headers["encryption"],
    mimeType: headers["mime-type"],
    form: headers["content-type"]?.split(";")[0],
  });
  return {
    upload: nodes.upload.requests.splice(0).map(describe),
    walrus: nodes.walrus.requests.splice(0).map(describe),
  };
}

test.each(CALLS)("%s sends the storage class that the incumbent sends, to the same node", async (_, toCall) => {
  for (const storageType of CLASSES) {
    const headers = typeof storageType === "object" ? storageType : { storageType };
    const options = storageType === undefined ? {} : { headers };
    const [name, ...args] = await toCall(options);
    const theirs = await incumbent.call(name, ...args);
    const expected = takeRequests();
    const ours = await drop[name]?.(...args);
    expect(shapeOf(ours)).toEqual(shapeOf(theirs));
    const sent = takeRequests();
    expect(sent).toEqual(expected);
    const all = [...sent.upload, ...sent.walrus];
    expect(all.map(({ storage }) => storage)).toEqual([typeof storageType === "string" ? storageType : undefined]);
  }
});

test("a page's loose files go to the usual node, whatever their class", async () => {
  const files = [new File(["one"], "one.txt"), new File(["two"], "two.txt")];
  const options = { headers: { storageType: "walrus" } };
  // The incumbent, too, takes what has a window for a page.
  vi.stubGlobal("window", {});
  onTestFinished(() => void vi.unstubAllGlobals());
  await drop["upload"]?.(files, stage().apiKey, options);
  await drop["upload"]?.(files.slice(0, 1), stage().apiKey, options);
  const { upload, walrus } = takeRequests();
  expect([upload, walrus].map((requests) => requests.map(({ storage }) => storage))).toEqual([["walrus"], ["walrus"]]);
});

test("a storage class that no header can carry is refused before anything is sent", async () => {
  for (const [, toCall] of CALLS) {
    const [name, ...args] = await toCall({ headers: { storageType: "annual\r\nX-Other: 1" } });
    const { cause } = (await rejection(drop[name]?.(...args) as Promise<unknown>)) as Error;
    expect(cause).toMatchObject({ code: "INVALID_OPTION", details: { option: "headers.storageType" } });
  }
  expect(takeRequests()).toEqual({ upload: [], walrus: [] });
});
