import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decrypt, encryptBytes, type KeyReport, kavachGenerate, type Progress } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid as cid, owner } from "../support/fixtures.ts";
import { endpointsAt } from "../support/http-server.ts";
import { createKeyNetwork, down, respondWith } from "../support/net-nodes.ts";
import { pacings } from "../support/pacings.ts";
import { interopVectors } from "../support/vectors.ts";
import { corruptShard } from "./shard-tools.ts";

const plain = new TextEncoder().encode("the plaintext");
const { masterKey, keyShards } = await kavachGenerate();
const file = await encryptBytes(plain, masterKey);

describe.each(pacings)("pacing: %s", (pacing) => {
  const optionsFor = (url: string) => ({ endpoints: endpointsAt(url), ...owner, pacing, pauseMs: 0, retryMs: 0 });
  const corrupt = (node: number) =>
    respondWith({ payload: corruptShard(keyShards[node - 1] as (typeof keyShards)[number]) });

  const RUNS = Number(process.env["KEEPLIGHT_RUNS"] ?? 40);
  const AT_ONCE = 4;

  test(`one faulty node: ${RUNS} of ${RUNS} files open, and it is reported whenever it was queried`, {
    timeout: 300_000,
  }, async () => {
    let opened = 0;
    let reported = 0;
    let notQueried = 0;
    async function open(run: number): Promise<void> {
      const faulty = (run % 5) + 1;
      const network = await createKeyNetwork(keyShards, file);
      network.setHandlers({ [faulty]: corrupt(faulty) });
      let report: KeyReport | undefined;
      const bytes = await decrypt(cid, {
        ...optionsFor(network.url),
        verifyCid: false,
        onKeyRecovered: (received) => (report = received),
      });
      if (Buffer.compare(bytes, plain) === 0) opened++;
      const queried = network.requestedNodes();
      const responded = [...(report?.nodes ?? [])];
      // Of nodes that are queried at once, the last may be too late.
      if (pacing === "parallel") expect(queried).toEqual(expect.arrayContaining(responded));
      else expect(responded.sort()).toEqual([...queried].sort());
      if (responded.includes(faulty)) {
        expect(report).toMatchObject({ faultyNodes: [faulty], failures: [] });
        // Of nodes that are queried at once, four are enough to find the faulty one: the fifth request may be too late.
        expect(queried.length).toBeGreaterThanOrEqual(pacing === "parallel" ? 4 : 5);
        reported++;
      } else {
        expect(report).toMatchObject({ faultyNodes: [], failures: [] });
        notQueried++;
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
    expect(reported + notQueried).toBe(RUNS);
    // One after another, 0.6 of them are expected, with a standard deviation of 4 of 80.
    expect(reported).toBeGreaterThan(0.3 * RUNS);
  });

  describe("one faulty node", () => {
    test("and one node that is down: the file opens", async () => {
      for (const faulty of [1, 5]) {
        const network = await createKeyNetwork(keyShards, file);
        network.setHandlers({ [faulty]: corrupt(faulty), 3: down });
        expect(await decrypt(cid, { ...optionsFor(network.url), verifyCid: false })).toEqual(plain);
      }
    });

    test.each([
      ["a copy of another's shard", keyShards[0]],
      ["a shard of the other scheme", { key: "ab".repeat(32), index: "07" }],
      ["garbage", { key: "zz", index: "" }],
      ["nothing", null],
    ])("that returns %s: the file opens", async (_, payload) => {
      const network = await createKeyNetwork(keyShards, file);
      network.setHandlers({ 2: respondWith({ payload }) });
      for (let run = 0; run < 4; run++)
        expect(await decrypt(cid, { ...optionsFor(network.url), verifyCid: false })).toEqual(plain);
    });

    test("causes one more download at most, and progress never decreases", async () => {
      const network = await createKeyNetwork(keyShards, file);
      network.setHandlers({ 2: corrupt(2) });
      const fractions: number[] = [];
      const onProgress = ({ fraction }: Progress) => void fractions.push(fraction);
      // At least one of ten runs queries the faulty node, except once in ten thousand times; that passes, too.
      for (let run = 0; run < 10; run++) {
        const [before, reports] = [network.countDownloads(), fractions.length];
        await decrypt(cid, { verifyCid: false, ...optionsFor(network.url), onProgress });
        expect(network.countDownloads() - before).toBeLessThanOrEqual(2);
        const reported = fractions.slice(reports);
        expect(reported).toEqual([...reported].sort((a, b) => a - b));
        expect(reported.filter((fraction) => fraction === 1)).toEqual([1]);
      }
    });
  });

  test("too many faulty nodes cause one clear error, and no file", async () => {
    const network = await createKeyNetwork(keyShards, file);
    network.setHandlers({ 1: corrupt(1), 3: corrupt(3), 5: corrupt(5) });
    const folder = await scratch();
    const error = await failure(
      decrypt(cid, { verifyCid: false, ...optionsFor(network.url), to: join(folder, "plain") }),
    );
    expect(error).toMatchObject({
      code: "CANNOT_DECRYPT",
      message: "Decryption failed: wrong key, or the file is damaged",
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('shards that cannot be combined cause "can\'t recover Key"', async () => {
    const same = keyShards.map(() => keyShards[0] as (typeof keyShards)[number]);
    const network = await createKeyNetwork(same, file);
    expect(await failure(decrypt(cid, { ...optionsFor(network.url), verifyCid: false }))).toMatchObject({
      code: "CANNOT_RECOVER_KEY",
      message: "can't recover Key",
    });
  });

  describe("files of older clients", () => {
    test.each(interopVectors.sharded.map((vector, at) => [at, vector] as const))(
      "whose key was split one coefficient too high open: vector %d",
      async (_, { key, keyShards: shards }) => {
        const network = await createKeyNetwork(shards, await encryptBytes(plain, key));
        const reports: KeyReport[] = [];
        const options = {
          ...optionsFor(network.url),
          onKeyRecovered: (report: KeyReport) => void reports.push(report),
        };
        expect(await decrypt(cid, { ...options, verifyCid: false })).toEqual(plain);
        expect(reports).toMatchObject([{ faultyNodes: [], failures: [] }]);
        network.setHandlers({ 4: down });
        expect(await decrypt(cid, { ...options, verifyCid: false })).toEqual(plain);
      },
    );

    test.each(interopVectors.files.map((vector) => [vector.label, vector] as const))(
      "open from their own shards and bytes: %s",
      async (_, { keyShards: shards, ciphertext, plaintext }) => {
        const network = await createKeyNetwork(shards, Buffer.from(ciphertext, "base64"));
        network.setHandlers({ 1: down, 2: down });
        expect(
          Buffer.from(await decrypt(cid, { ...optionsFor(network.url), verifyCid: false })).toString("base64"),
        ).toBe(plaintext);
      },
    );
  });
});
