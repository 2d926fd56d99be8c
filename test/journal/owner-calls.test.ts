import { expect, test } from "vitest";
import {
  isUnfinished,
  type Journal,
  kavachInspect,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  openJournal,
} from "../../src/index.ts";
import { samples } from "../access-conditions/samples.ts";
import { as, saveKey } from "../kavach/saved-keys.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests();
const friend = () => account(devnet(), 1).address;

/** Makes a call that fails at node 3, and opens its journal as another process does. */
async function interrupt<T>(call: (journal: Journal) => Promise<T>) {
  const folder = await scratch();
  devnet().stopNode(3);
  const error = await failure(call(await openJournal({ folder })));
  devnet().startNode(3);
  if (!isUnfinished<T>(error)) throw error;
  return { error, journal: await openJournal({ folder }) };
}

const owner = () => ({ ...as(devnet(), 0), attempts: 1 });

/** How each node responds to an account that requests its shard. */
async function statesFor(n: number, cid: string): Promise<string[]> {
  const { nodes } = await kavachInspect(cid, as(devnet(), n));
  return nodes.map(({ state }) => state);
}

const calls = {
  share: (cid: string, journal: Journal) => kavachShare(cid, { ...owner(), shareTo: friend(), journal }),
  revoke: (cid: string, journal: Journal) => kavachRevoke(cid, { ...owner(), revokeTo: friend(), journal }),
  conditions: (cid: string, journal: Journal) =>
    kavachSetAccessConditions(cid, { ...owner(), conditions: [samples.native], journal }),
  transfer: (cid: string, journal: Journal) =>
    kavachTransferOwnership(cid, { ...owner(), newOwner: friend(), journal }),
};

test.each(Object.entries(calls))("an interrupted %s is listed, and completed from its journal", async (kind, call) => {
  const { cid } = await saveKey(devnet());
  const { error, journal } = await interrupt((opened) => call(cid, opened));
  const [operation] = await journal.list();
  expect(operation).toMatchObject({ kind, cids: [cid], names: [], nodesDone: [1, 2, 4, 5] });
  const [report] = await journal.resumeAll(owner());
  expect(report).toMatchObject({ kind, result: { nodes: [1, 2, 3, 4, 5] } });
  expect(await journal.list()).toEqual([]);
  expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
});

test("an interrupted save of shards and an interrupted repair are completed from their journal", async () => {
  const { cid } = await saveKey(devnet());
  const { keyShards } = await saveKey(devnet());
  const saved = await interrupt((journal) => kavachSaveShards(cid, { ...owner(), keyShards, journal }));
  expect(await saved.journal.list()).toMatchObject([{ kind: "save", nodesDone: [1, 2] }]);
  expect(await saved.journal.resumeAll(owner())).toMatchObject([{ kind: "save", result: { nodes: [1, 2, 3, 4, 5] } }]);

  const lost = await saveKey(devnet(), { lost: [2, 4] });
  const undo = devnet().faults.add({
    service: "keyNodes",
    node: 4,
    path: "/api/setSharedKey",
    action: { kind: "respond", status: 500 },
  });
  const folder = await scratch();
  const first = await openJournal({ folder });
  expect(isUnfinished(await failure(kavachRepair(lost.cid, { ...owner(), journal: first })))).toBe(true);
  undo();
  const journal = await openJournal({ folder });
  expect(await journal.list()).toMatchObject([{ kind: "repair", cids: [lost.cid], nodesDone: [2] }]);
  expect(await journal.resumeAll(owner())).toMatchObject([{ kind: "repair" }]);
  expect(await kavachInspect(lost.cid, owner())).toMatchObject({ healthy: true });
  expect(await journal.list()).toEqual([]);
});

test("a revoke that is completed from its journal shuts the person out", async () => {
  const { cid } = await saveKey(devnet(), { shareTo: [friend()] });
  const { journal } = await interrupt((opened) => calls.revoke(cid, opened));
  expect(await statesFor(1, cid)).toEqual(["refused", "refused", "holds", "refused", "refused"]);
  await journal.resumeAll(owner());
  expect(await statesFor(1, cid)).toEqual(Array(5).fill("refused"));
});

test("resuming the error completes the operation, also after an attempt that failed", async () => {
  const { cid } = await saveKey(devnet());
  const { error, journal } = await interrupt((opened) => calls.share(cid, opened));
  expect(await failure(error.resume({ signal: AbortSignal.abort() }))).toMatchObject({ code: "ABORTED" });
  expect(await journal.list()).toHaveLength(1);
  expect(await error.resume()).toEqual({ nodes: [1, 2, 3, 4, 5] });
  expect(await journal.list()).toEqual([]);
});

test("a completed call, and one that every node denies, leave nothing open", async () => {
  const { cid } = await saveKey(devnet());
  const journal = await openJournal({ folder: await scratch() });
  await calls.share(cid, journal);
  const denied = kavachShare(cid, { ...as(devnet(), 2), shareTo: friend(), journal });
  expect(await failure(denied)).toMatchObject({ code: "NODE_REFUSED" });
  expect(await journal.list()).toEqual([]);
});

test("an interrupted transfer is over once the file was transferred back, and hands over nothing more", async () => {
  const { cid } = await saveKey(devnet());
  const { error, journal } = await interrupt((opened) => calls.transfer(cid, opened));
  await kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: account(devnet(), 0).address });
  expect(await statesFor(0, cid)).toEqual(Array(5).fill("holds"));
  expect(await journal.resumeAll(owner())).toMatchObject([{ error: { code: "OPERATION_UNDONE" } }]);
  expect(await failure(error.resume() as Promise<unknown>)).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
  expect(await journal.list()).toEqual([]);
  expect(await statesFor(0, cid)).toEqual(Array(5).fill("holds"));
});

test("an interrupted transfer is completed if the network still names the old owner, who may open the file anyway", async () => {
  const { cid } = await saveKey(devnet(), { shareTo: [account(devnet(), 0).address] });
  const keepSharing = { ...owner(), newOwner: friend(), resetSharedTo: false };
  const { journal } = await interrupt((opened) => kavachTransferOwnership(cid, { ...keepSharing, journal: opened }));
  expect(await statesFor(0, cid)).toEqual(Array(5).fill("holds"));
  const stop = devnet().attacks.add({ kind: "misreport-access", cid, owner: account(devnet(), 0).address });
  expect(await journal.resumeAll(owner())).toMatchObject([{ kind: "transfer", result: { nodes: [1, 2, 3, 4, 5] } }]);
  stop();
  const asFriend = { ...as(devnet(), 1), newOwner: friend() };
  expect(await kavachTransferOwnership(cid, asFriend)).toEqual({ nodes: [1, 2, 3, 4, 5] });
});

test("an interrupted transfer of a file that was transferred back is over, though a node has lost the file since", async () => {
  const { cid } = await saveKey(devnet());
  const { journal } = await interrupt((opened) => calls.transfer(cid, opened));
  await kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: account(devnet(), 0).address });
  const path = "/api/retrieveSharedKey";
  const undo = devnet().faults.add({
    service: "keyNodes",
    node: 2,
    path,
    action: { kind: "respond", json: { payload: null } },
  });
  expect(await journal.resumeAll(owner())).toMatchObject([{ error: { code: "OPERATION_UNDONE" } }]);
  undo();
  expect(await statesFor(0, cid)).toEqual(Array(5).fill("holds"));
});

// All but node 3 had carried it out.
test.each([[[1, 2, 4, 5]], [[5]]])(
  "an interrupted transfer stays open while nodes %j fail, which would show that it was transferred back",
  async (nodes) => {
    const { cid } = await saveKey(devnet());
    const { journal } = await interrupt((opened) => calls.transfer(cid, opened));
    await kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: account(devnet(), 0).address });
    const path = "/api/retrieveSharedKey";
    const action = { kind: "respond", status: 500, text: "" } as const;
    const mend = nodes.map((node) => devnet().faults.add({ service: "keyNodes", node, path, action }));
    expect(await journal.resumeAll(owner())).toMatchObject([{ error: { details: { status: 500 } } }]);
    for (const undo of mend) undo();
    expect(await statesFor(0, cid)).toEqual(Array(5).fill("holds"));
    expect(await journal.resumeAll(owner())).toMatchObject([{ error: { code: "OPERATION_UNDONE" } }]);
    expect(await journal.list()).toEqual([]);
  },
);

test("a signer that rejects while an interrupted transfer is looked up is asked once, and hands over nothing", async () => {
  const { cid } = await saveKey(devnet());
  const { journal } = await interrupt((opened) => calls.transfer(cid, opened));
  await kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: account(devnet(), 0).address });
  let prompts = 0;
  const signer = {
    getAddress: async () => account(devnet(), 0).address,
    async signMessage(): Promise<string> {
      prompts += 1;
      throw Object.assign(new Error("no"), { code: 4001 });
    },
  };
  expect(await journal.resumeAll({ ...owner(), signer })).toMatchObject([{ error: { code: "SIGNATURE_REJECTED" } }]);
  expect([prompts, await statesFor(0, cid)]).toEqual([1, Array(5).fill("holds")]);
});

test("nodes that were transferred before count as done in the journal too, and nothing stays open", async () => {
  const { cid } = await saveKey(devnet());
  const transfer = (journal?: Journal) => kavachTransferOwnership(cid, { ...owner(), newOwner: friend(), journal });
  for (const node of [1, 2, 3]) devnet().stopNode(node);
  await failure(transfer());
  for (const node of [1, 2]) devnet().startNode(node);
  const { error, journal } = await interrupt((opened) => transfer(opened));
  expect(await journal.list()).toMatchObject([{ kind: "transfer", nodesDone: [1, 2, 4, 5] }]);
  expect(await error.resume()).toEqual({ nodes: [1, 2, 3, 4, 5] });
  expect(await journal.list()).toEqual([]);
});

test("an interrupted transfer that a node has carried out is complete, though a third account owns the file", async () => {
  const { cid } = await saveKey(devnet());
  const folder = await scratch();
  const path = "/api/transferOwnership";
  devnet().faults.add({ service: "keyNodes", node: 3, path, times: 1, action: { kind: "cut", atByte: 0 } });
  const call = calls.transfer(cid, await openJournal({ folder }));
  expect(await failure(call)).toMatchObject({ code: "NETWORK", details: { nodesDone: [1, 2, 4, 5] } });
  await kavachTransferOwnership(cid, { ...as(devnet(), 1), newOwner: account(devnet(), 2).address });
  const journal = await openJournal({ folder });
  expect(await journal.resumeAll(owner())).toMatchObject([{ kind: "transfer", result: { nodes: [1, 2, 3, 4, 5] } }]);
  expect(await statesFor(2, cid)).toEqual(Array(5).fill("holds"));
});

test("another account cannot resume an owner call", async () => {
  const { cid } = await saveKey(devnet());
  const { journal } = await interrupt((opened) => calls.share(cid, opened));
  const reports = await journal.resumeAll(as(devnet(), 1));
  expect(reports).toMatchObject([{ error: { code: "INVALID_OPTION", details: { option: "signer" } } }]);
  expect(await journal.list()).toHaveLength(1);
});
