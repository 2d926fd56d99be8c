import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { kavachGenerate, kavachShardKey } from "../../src/keys/shards/generate.ts";
import { kavachRecoverKey } from "../../src/keys/shards/recover.ts";
import type { KeyShard } from "../../src/keys/shards/schemes.ts";
import { choose } from "../kavach/shard-tools.ts";

interface IncumbentResponse {
  generated: { masterKey: string; keyShards: KeyShard[] }[];
  sharded: { isShardable: boolean; keyShards: KeyShard[] }[];
  recovered: { masterKey: string | null; error: string | null }[];
}

function incumbent(request: {
  generate?: number;
  shardKey?: string[];
  recover?: KeyShard[][];
}): Promise<IncumbentResponse> {
  const script = fileURLToPath(new URL("./shards.cjs", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [script], { maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error) reject(error);
      else resolve(JSON.parse(stdout));
    });
    child.stdin?.end(JSON.stringify({ generate: 0, shardKey: [], recover: [], ...request }));
  });
}

it("keeplight recovers 50 keys that the incumbent generates, from every triple", async () => {
  const { generated } = await incumbent({ generate: 50 });
  expect(generated).toHaveLength(50);
  for (const { masterKey, keyShards } of generated) {
    for (const triple of choose(keyShards, 3)) expect((await kavachRecoverKey(triple)).masterKey).toBe(masterKey);
    expect(await kavachRecoverKey(keyShards)).toEqual({ masterKey, faultyShards: [] });
  }
});

it("the incumbent recovers 50 keys that keeplight generates or splits, from each triple in turn", async () => {
  const generated = await Promise.all(Array.from({ length: 25 }, () => kavachGenerate()));
  const keys = await Promise.all(Array.from({ length: 25 }, async () => (await kavachGenerate()).masterKey));
  const split = await Promise.all(
    keys.map(async (masterKey) => ({ masterKey, keyShards: (await kavachShardKey(masterKey)).keyShards })),
  );
  const made = [...generated, ...split];
  // It starts its WebAssembly again for every call, so all ten triples of all keys would take half a minute.
  const triples = made.map(({ keyShards }, position) => choose(keyShards, 3)[position % 10] ?? []);
  const { recovered } = await incumbent({ recover: triples });
  expect(recovered).toEqual(made.map(({ masterKey }) => ({ masterKey, error: null })));
});

it("keeplight recovers 50 keys that the incumbent splits one degree too high, from all five shards", async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, async () => (await kavachGenerate()).masterKey));
  const { sharded } = await incumbent({ shardKey: keys });
  for (const [position, { isShardable, keyShards }] of sharded.entries()) {
    expect(isShardable).toBe(true);
    expect(await kavachRecoverKey(keyShards)).toEqual({ masterKey: keys[position], faultyShards: [] });
  }
  expect(sharded).toHaveLength(50);
});
