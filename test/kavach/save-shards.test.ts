import { expect, test } from "vitest";
import { type FiveShards, type KeyShard, kavachGenerate, kavachSaveShards } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { cid, owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { replaceAt } from "./shard-tools.ts";

const { keyShards } = await kavachGenerate();

test.each<[string, unknown]>([
  ["four", keyShards.slice(1)],
  ["six", [...keyShards, keyShards[0]]],
  ["none", []],
  ["nothing", undefined],
  ["an object", { ...keyShards }],
  ["one that is null", replaceAt<unknown>(keyShards, 4, () => null)],
])("%s instead of five shards is refused before anything is sent", async (_, bad) => {
  const server = await createServer(() => undefined);
  const options = { ...owner, endpoints: endpointsAt(server.url), keyShards: bad as FiveShards };
  expect(await failure(kavachSaveShards(cid, options))).toMatchObject({
    code: "INVALID_SHARDS",
    message: "keyShards must be an array of 5 objects",
  });
  expect(server.requests).toEqual([]);
});

test.each<[string, number, unknown]>([
  ["one without an index", 2, replaceAt(keyShards, 2, ({ key }) => ({ key }) as KeyShard)],
  ["one that is no hex", 0, replaceAt(keyShards, 0, (shard) => ({ ...shard, key: "zz".repeat(32) }))],
])("%s among the five shards is reported before anything is sent", async (_, position, bad) => {
  const server = await createServer(() => undefined);
  const options = { ...owner, endpoints: endpointsAt(server.url), keyShards: bad as FiveShards };
  const error = await failure(kavachSaveShards(cid, options));
  expect(error.code).toBe("INVALID_SHARDS");
  expect(error.message).toContain(`keyShards[${position}]: `);
  expect(server.requests).toEqual([]);
});

test("only key and index are sent to a node, and each node receives its own", async () => {
  const server = await createServer((_, response) => sendJson(response, { message: "success" }));
  const marked = keyShards.map((shard, index) => ({ ...shard, masterKey: `secret ${index}` }));
  await kavachSaveShards(cid, { ...owner, endpoints: endpointsAt(server.url), pauseMs: 0, keyShards: marked as never });
  const payloads = server.requests.map(({ body }) => JSON.parse(body.toString()).payload);
  expect(payloads).toEqual(keyShards);
});
