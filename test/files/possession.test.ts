import { expect, test } from "vitest";
import { listPossessionProofs, requestPossessionProof, upload } from "../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

const devnet = devnetForTests({ proofDelayMs: 20 });
const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

test("a proof of possession is requested, and listed once the network has it", async () => {
  const { endpoints } = devnet();
  const own = { apiKey: await getApiKey(devnet(), account(devnet(), 0)), endpoints };
  const [{ Hash }] = await upload(new Uint8Array(10), own);
  expect(await listPossessionProofs(Hash, { endpoints })).toEqual([]);
  await requestPossessionProof(Hash, own);
  const read = async () => (await listPossessionProofs(Hash, { endpoints })).map(({ dealStatus }) => dealStatus);
  await expect.poll(read).toEqual(["completed"]);
  const [proof] = await listPossessionProofs(Hash, { endpoints });
  expect(proof).toMatchObject({ createdAt: expect.any(String), transactionDetails: { RootCID: Hash } });
  const other = { apiKey: await getApiKey(devnet(), account(devnet(), 1)), endpoints };
  expect(await failure(requestPossessionProof(Hash, other))).toMatchObject({ details: { status: 404 } });
});

test.each([
  ["Success", 200, undefined],
  ['"Success"', 200, undefined],
  ["<html>busy</html>", 200, "INVALID_RESPONSE"],
  ["Success", 503, "HTTP_STATUS"],
])("a request that is answered by %j with %i", async (text, status, code) => {
  const { url, requests } = await createServer((_, response) =>
    response.writeHead(status, status === 503 ? { "retry-after": "0" } : {}).end(text),
  );
  const call = requestPossessionProof(cid, { apiKey: "key", endpoints: endpointsAt(url) });
  if (code === undefined) expect(await call).toBeUndefined();
  else expect((await failure(call)).code).toBe(code);
  // It has effects, although it is a GET.
  expect(requests).toHaveLength(1);
});

test("rows of another kind fail nothing", async () => {
  const { url } = await createServer((_, response) =>
    response.end(JSON.stringify([{ dealStatus: 5, createdAt: {}, extra: 1 }, null, "x"])),
  );
  const listed = await listPossessionProofs(cid, { endpoints: endpointsAt(url) });
  expect(listed).toEqual([{ dealStatus: expect.any(String), createdAt: null, extra: 1 }]);
});
