import { expect, test } from "vitest";
import { resolveOptions } from "../../src/base/operation.ts";
import { keyNodeSchema, openKeyNodes } from "../../src/keys/nodes/node-client.ts";
import { checkUnknownCids } from "../../src/storage/upload/check-unknown-cids.ts";
import { failure } from "../support/failure.ts";
import { address, cid, keyShards } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";

const other = "1".padStart(64, "2");

/** Checks an unknown content id under which node 3 has `shard`, and the others have nothing. */
async function check(shard: unknown): Promise<void> {
  const server = await createServer(({ path }, response) =>
    sendJson(response, { payload: path.endsWith("/3") ? shard : null }),
  );
  const options = { endpoints: endpointsAt(server.url), pauseMs: 0, attempts: 1 };
  const auth = { address, token: async () => "jwt:token", renew: async () => undefined };
  const file = { name: "a.txt", cid, expected: undefined, keyShards, vouched: true };
  const nodes = openKeyNodes(resolveOptions(keyNodeSchema, options));
  const confirming = { nodes, auth, call: nodes.call, cidVersion: 1 as const, strict: false };
  return checkUnknownCids([file], confirming);
}

test.each([
  ["another key and index", { key: other, index: other }],
  ["another key with the same index", { ...keyShards[2], key: other }],
  ["the same value with another index", { ...keyShards[2], index: other }],
])("a shard under an unknown content id with %s is not overwritten", async (_, shard) => {
  expect(await failure(check(shard))).toMatchObject({
    code: "CID_MISMATCH",
    details: { problem: "another key exists under it" },
  });
});

test("the own shard under an unknown content id may be saved again", async () => {
  await expect(check(keyShards[2])).resolves.toBeUndefined();
});
