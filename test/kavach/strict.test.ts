import { createHash } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { commitToKey, decrypt, type KeyReport, kavachRecoverKey } from "../../src/index.ts";
import { createRig, type Rig } from "../attacks/rig.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";

const devnet = devnetForTests();
let owner: Rig["people"]["owner"];
let file: Rig["other"];
beforeAll(async () => {
  const rig = await createRig(devnet());
  owner = rig.people.owner;
  file = rig.other;
});
afterEach(() => devnet().faults.clear());

const lie = (node: number) => devnet().faults.add({ service: "keyNodes", node, action: { kind: "wrong-shard" } });
const listQueried = (from: number) => {
  const requests = devnet().requests().slice(from);
  return requests.filter(({ path }) => path.startsWith("/api/retrieveSharedKey")).map(({ node }) => node);
};

describe("decrypt, strict", () => {
  test("queries four nodes, and no fifth if they agree", async () => {
    const before = devnet().requests().length;
    const bytes = await decrypt(file.cid, { ...owner, strict: true });
    expect(new TextDecoder().decode(bytes)).toBe(file.text);
    expect(new Set(listQueried(before)).size).toBe(4);
    expect(listQueried(before)).toHaveLength(4);
  });

  test.each([1, 2, 3, 4, 5])("excludes and names faulty node %i if it was queried", async (node) => {
    lie(node);
    const before = devnet().requests().length;
    const reports: KeyReport[] = [];
    await decrypt(file.cid, { ...owner, strict: true, onKeyRecovered: (report) => reports.push(report) });
    const wasQueried = listQueried(before).includes(node);
    expect(listQueried(before)).toHaveLength(wasQueried ? 5 : 4);
    expect(reports).toMatchObject([{ faultyNodes: wasQueried ? [node] : [] }]);
  });

  test("refuses a key if two nodes are faulty, or if only three respond", async () => {
    lie(1);
    lie(2);
    const details = { needed: 4, got: 5, reason: "fewer than 4 shards agree" };
    expect(await failure(decrypt(file.cid, { ...owner, strict: true }))).toMatchObject({
      code: "CANNOT_RECOVER_KEY",
      details,
    });
    devnet().faults.clear();
    for (const node of [1, 2]) devnet().stopNode(node);
    const error = await failure(decrypt(file.cid, { ...owner, strict: true }));
    for (const node of [1, 2]) devnet().startNode(node);
    expect(error).toMatchObject({ code: "NODES_FAILED", details: { needed: 4 } });
  });

  test.each([
    [{ strict: "yes" }, "strict"],
    [{ strict: true, threshold: 5 }, "threshold"],
    [{ commitment: "AB".repeat(32) }, "commitment"],
    [{ commitment: 5 }, "commitment"],
  ])("%j is refused before anything is sent", async (options, option) => {
    const before = devnet().requests().length;
    const error = await failure(decrypt(file.cid, { ...owner, ...(options as object) }));
    expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
    expect(devnet().requests()).toHaveLength(before);
  });
});

describe("a commitment", () => {
  test("is the SHA-256 that the documentation describes", async () => {
    const text = `keeplight key commitment v1\n${file.cid}\n${file.masterKey}`;
    expect(file.commitment).toBe(createHash("sha256").update(text).digest("hex"));
    expect(await commitToKey(file.cid.toUpperCase(), file.masterKey.toUpperCase())).toBe(file.commitment);
    expect(await failure(commitToKey("x", file.masterKey))).toMatchObject({ code: "INVALID_CID" });
    expect(await failure(commitToKey(file.cid, "x"))).toMatchObject({ code: "INVALID_KEY" });
  });

  test("finds the right key without trying others on the file", async () => {
    for (const node of [1, 2]) lie(node);
    const bytes = await decrypt(file.cid, { ...owner, commitment: file.commitment });
    expect(new TextDecoder().decode(bytes)).toBe(file.text);
  });

  test("of another key refuses the file's own, from the nodes or as an option", async () => {
    const commitment = await commitToKey(file.cid, "0".repeat(64));
    const mismatch = { code: "COMMITMENT_MISMATCH", details: { cid: file.cid } };
    expect(await failure(decrypt(file.cid, { ...owner, commitment }))).toMatchObject(mismatch);
    expect(await failure(decrypt(file.cid, { ...owner, commitment, strict: true }))).toMatchObject(mismatch);
    const { endpoints } = owner;
    expect(await failure(decrypt(file.cid, { key: file.masterKey, endpoints, commitment }))).toMatchObject(mismatch);
  });
});

describe("kavachRecoverKey, strict", () => {
  test("requires one shard more than the threshold, of its degree", async () => {
    const { shards, masterKey } = file;
    expect(await kavachRecoverKey(shards, { strict: true })).toEqual({ masterKey, faultyShards: [] });
    expect((await kavachRecoverKey(shards.slice(0, 4), { strict: true })).masterKey).toBe(masterKey);
    const error = await failure(kavachRecoverKey(shards.slice(0, 3), { strict: true }));
    expect(error).toMatchObject({ code: "CANNOT_RECOVER_KEY", details: { needed: 4, got: 3 } });
    // Without it, five points of a parabola are also accepted as those of a line with one coefficient too many.
    expect((await kavachRecoverKey(shards, { threshold: 2 })).masterKey).toBe(masterKey);
    expect(await failure(kavachRecoverKey(shards, { threshold: 2, strict: true }))).toMatchObject({
      code: "CANNOT_RECOVER_KEY",
    });
    expect(await failure(kavachRecoverKey(shards, { strict: 1 as never }))).toMatchObject({
      code: "INVALID_OPTION",
      details: { option: "strict" },
    });
  });
});
