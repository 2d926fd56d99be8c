import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decrypt, encryptBytes, type KeyReport, kavachGenerate, type Progress } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { endpointsAt } from "../support/http-server.ts";
import { answers, createKeyNetwork, down } from "../support/net-nodes.ts";
import { interopVectors } from "../support/vectors.ts";
import { lie } from "./shard-tools.ts";

const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const owner = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token" };
const plain = new TextEncoder().encode("the very bytes");
const { masterKey, keyShards } = await kavachGenerate();
const file = await encryptBytes(plain, masterKey);

const optionsFor = (url: string) => ({ endpoints: endpointsAt(url), ...owner, pauseMs: 0, retryMs: 0 });
const lying = (node: number) => answers({ payload: lie(keyShards[node - 1] as (typeof keyShards)[number]) });

const RUNS = 200;
const AT_ONCE = 4;

test("one lying node: 200 of 200 files open, and it is named whenever it was asked", { timeout: 60_000 }, async () => {
  let opened = 0;
  let named = 0;
  let unharmed = 0;
  async function open(run: number): Promise<void> {
    const liar = (run % 5) + 1;
    const network = await createKeyNetwork(keyShards, file);
    network.behave({ [liar]: lying(liar) });
    let report: KeyReport | undefined;
    const bytes = await decrypt(cid, { ...optionsFor(network.url), onKeyRecovered: (heard) => (report = heard) });
    if (Buffer.compare(bytes, plain) === 0) opened++;
    const asked = network.asked();
    expect([...(report?.nodes ?? [])].sort()).toEqual([...asked].sort());
    if (asked.includes(liar)) {
      expect(report).toMatchObject({ faultyNodes: [liar], failures: [] });
      expect(asked).toHaveLength(5);
      named++;
    } else {
      expect(report).toMatchObject({ faultyNodes: [], failures: [] });
      unharmed++;
    }
    await network.close();
  }
  const runs = Array.from({ length: RUNS }, (_, run) => run);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let run = runs.shift(); run !== undefined; run = runs.shift()) await open(run);
    }),
  );
  expect(opened).toBe(RUNS);
  expect(named + unharmed).toBe(RUNS);
  // 120 by chance, with a deviation of 7.
  expect(named).toBeGreaterThan(70);
});

describe("one lying node", () => {
  test("and one that is down: the file opens", async () => {
    for (const liar of [1, 5]) {
      const network = await createKeyNetwork(keyShards, file);
      network.behave({ [liar]: lying(liar), 3: down });
      expect(await decrypt(cid, optionsFor(network.url))).toEqual(plain);
    }
  });

  test.each([
    ["a copy of another's shard", keyShards[0]],
    ["a shard of the other scheme", { key: "ab".repeat(32), index: "07" }],
    ["garbage", { key: "zz", index: "" }],
    ["nothing", null],
  ])("that gives %s: the file opens", async (_, payload) => {
    const network = await createKeyNetwork(keyShards, file);
    network.behave({ 2: answers({ payload }) });
    for (let run = 0; run < 4; run++) expect(await decrypt(cid, optionsFor(network.url))).toEqual(plain);
  });

  test("costs another download at most, and progress never falls", async () => {
    const network = await createKeyNetwork(keyShards, file);
    network.behave({ 2: lying(2) });
    const fractions: number[] = [];
    const onProgress = ({ fraction }: Progress) => void fractions.push(fraction);
    // Of ten runs at least one asks the liar, but for one time in ten thousand; that one passes, too.
    for (let run = 0; run < 10; run++) {
      const [before, heard] = [network.fetched(), fractions.length];
      await decrypt(cid, { ...optionsFor(network.url), onProgress });
      expect(network.fetched() - before).toBeLessThanOrEqual(2);
      const told = fractions.slice(heard);
      expect(told).toEqual([...told].sort((a, b) => a - b));
      expect(told.filter((fraction) => fraction === 1)).toEqual([1]);
    }
  });
});

test("too many faultyNodes: one clear error, and no file", async () => {
  const network = await createKeyNetwork(keyShards, file);
  network.behave({ 1: lying(1), 3: lying(3), 5: lying(5) });
  const folder = await scratch();
  const error = await failure(decrypt(cid, { ...optionsFor(network.url), to: join(folder, "plain") }));
  expect(error).toMatchObject({
    code: "CANNOT_DECRYPT",
    message: "Decryption failed: wrong key, or the file is damaged",
  });
  expect(await readdir(folder)).toEqual([]);
});

test("shards that cannot be combined at all: 'can't recover Key'", async () => {
  const same = keyShards.map(() => keyShards[0] as (typeof keyShards)[number]);
  const network = await createKeyNetwork(same, file);
  expect(await failure(decrypt(cid, optionsFor(network.url)))).toMatchObject({
    code: "CANNOT_RECOVER_KEY",
    message: "can't recover Key",
  });
  expect(network.fetched()).toBe(0);
});

describe("files of older clients", () => {
  test.each(interopVectors.sharded.map((vector, at) => [at, vector] as const))(
    "whose key was split one coefficient too high open: vector %d",
    async (_, { key, keyShards: shards }) => {
      const network = await createKeyNetwork(shards, await encryptBytes(plain, key));
      const reports: KeyReport[] = [];
      const options = { ...optionsFor(network.url), onKeyRecovered: (report: KeyReport) => void reports.push(report) };
      expect(await decrypt(cid, options)).toEqual(plain);
      expect(reports).toMatchObject([{ faultyNodes: [], failures: [] }]);
      network.behave({ 4: down });
      expect(await decrypt(cid, options)).toEqual(plain);
    },
  );

  test.each(interopVectors.files.map((vector) => [vector.label, vector] as const))(
    "open from their own shards and bytes: %s",
    async (_, { keyShards: shards, ciphertext, plaintext }) => {
      const network = await createKeyNetwork(shards, Buffer.from(ciphertext, "base64"));
      network.behave({ 1: down, 2: down });
      expect(Buffer.from(await decrypt(cid, optionsFor(network.url))).toString("base64")).toBe(plaintext);
    },
  );
});
