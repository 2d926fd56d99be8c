import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import {
  createApiKey,
  createKit,
  decrypt,
  isUnfinished,
  kavachInspect,
  kavachSetDelegates,
  kavachTransferOwnership,
  openJournal,
  type UnfinishedError,
} from "../../src/index.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const devnet = devnetForTests();
const options = () => ({ endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0, attempts: 1 });
const denied = { code: "NODE_REFUSED", message: "Access Denied" };
const allFive = { nodes: [1, 2, 3, 4, 5] };

/** An owner with an encrypted file, and a delegate to be. */
async function createScene() {
  const [owner, delegate] = [Wallet.createRandom(), Wallet.createRandom()];
  const apiKey = await createApiKey({ signer: owner, endpoints: devnet().endpoints });
  const kit = createKit({ ...options(), apiKey, signer: owner });
  const upload = async (text: string) => (await kit.uploadTextEncrypted(text))[0]?.Hash ?? "";
  const open = async (cid: string, ownerAddress: string | undefined = owner.address) =>
    new TextDecoder().decode(await decrypt(cid, { ...options(), signer: delegate, ownerAddress }));
  /** How each node responds to the delegate. */
  const states = async (cid: string) => {
    const { nodes } = await kavachInspect(cid, { ...options(), signer: delegate, ownerAddress: owner.address });
    return nodes.map(({ state }) => state);
  };
  return { owner, delegate, kit, upload, open, states, cid: await upload("the first") };
}

test("a delegate opens all files of the owner, earlier and later ones, and after revocation none", async () => {
  const { kit, delegate, open, states, upload, cid } = await createScene();
  expect(await failure(open(cid))).toMatchObject(denied);
  expect(await kit.kavachSetDelegates(delegate.address)).toEqual(allFive);
  expect(await open(cid)).toBe("the first");
  const later = await upload("the second");
  expect(await open(later)).toBe("the second");
  expect(await kit.kavachSetDelegates([])).toEqual(allFive);
  for (const file of [cid, later]) {
    expect(await failure(open(file))).toMatchObject(denied);
    expect(await states(file)).toEqual(Array(5).fill("refused"));
  }
});

test("the list replaces the former one", async () => {
  const { kit, delegate, open, cid } = await createScene();
  const other = Wallet.createRandom().address;
  await kit.kavachSetDelegates([other, delegate.address, delegate.address]);
  expect(await open(cid)).toBe("the first");
  await kit.kavachSetDelegates(other);
  expect(await failure(open(cid))).toMatchObject(denied);
});

test("a delegate has to name the owner, and opens no file of anyone else", async () => {
  const { kit, delegate, open, cid } = await createScene();
  const stranger = await createScene();
  await kit.kavachSetDelegates(delegate.address);
  expect(await failure(decrypt(cid, { ...options(), signer: delegate }))).toMatchObject(denied);
  expect(await failure(open(cid, stranger.owner.address))).toMatchObject(denied);
  expect(await failure(open(stranger.cid))).toMatchObject(denied);
  expect(await failure(open(stranger.cid, stranger.owner.address))).toMatchObject(denied);
});

test("a delegate may read, and neither share nor revoke nor repair nor transfer", async () => {
  const { kit, delegate, cid } = await createScene();
  await kit.kavachSetDelegates(delegate.address);
  const asDelegate = createKit({ ...options(), signer: delegate });
  const calls = [
    asDelegate.kavachShare(cid, { shareTo: delegate.address }),
    asDelegate.kavachRevoke(cid, { revokeTo: delegate.address }),
    asDelegate.kavachTransferOwnership(cid, { newOwner: delegate.address }),
  ];
  for (const call of calls) expect(await failure(call)).toMatchObject(denied);
  const error = await failure(asDelegate.kavachRepair(cid, { ownerAddress: "0x" } as object));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "ownerAddress" } });
});

test("the delegates of a former owner do not open a file that was transferred", async () => {
  const { kit, delegate, owner, open, cid } = await createScene();
  await kit.kavachSetDelegates(delegate.address);
  const heir = Wallet.createRandom();
  await kavachTransferOwnership(cid, { ...options(), signer: owner, newOwner: heir.address });
  expect(await failure(open(cid))).toMatchObject(denied);
  await kavachSetDelegates(delegate.address, { ...options(), signer: heir });
  expect(await open(cid, heir.address)).toBe("the first");
});

test.each([undefined, null, "", [""], [undefined], {}])(
  "%j is no delegate, and no revocation: nothing is sent",
  async (delegates) => {
    const from = devnet().requests().length;
    const call = kavachSetDelegates(delegates as never, { ...options(), signer: Wallet.createRandom() });
    expect(await failure(call)).toMatchObject({ code: "INVALID_ADDRESS" });
    expect(devnet().requests()).toHaveLength(from);
  },
);

describe("if a node is down", () => {
  /** Makes a call while node 3 is down. */
  async function interrupt(call: () => Promise<unknown>) {
    devnet().stopNode(3);
    const error = await failure(call());
    devnet().startNode(3);
    if (!isUnfinished(error)) throw error;
    return error as UnfinishedError<unknown, object>;
  }

  test("the others delegate, which is enough to open, and resume() completes it", async () => {
    const { kit, delegate, open, states, cid } = await createScene();
    const error = await interrupt(() => kit.kavachSetDelegates(delegate.address));
    expect(error.details).toMatchObject({ node: 3, nodesDone: [1, 2, 4, 5], failures: [{ node: 3 }] });
    expect(await open(cid)).toBe("the first");
    expect(await error.resume()).toEqual(allFive);
    expect(await states(cid)).toEqual(Array(5).fill("holds"));
  });

  test("the others revoke, and one shard opens nothing", async () => {
    const { kit, delegate, open, states, cid } = await createScene();
    await kit.kavachSetDelegates(delegate.address);
    const error = await interrupt(() => kit.kavachSetDelegates([]));
    expect(await states(cid)).toEqual(["refused", "refused", "holds", "refused", "refused"]);
    expect(await failure(open(cid))).toMatchObject(denied);
    await error.resume();
    expect(await states(cid)).toEqual(Array(5).fill("refused"));
  });

  test("the journal completes it from another process", async () => {
    const { kit, owner, delegate, states, cid } = await createScene();
    const folder = await scratch();
    const first = await openJournal({ folder });
    await interrupt(() => kit.kavachSetDelegates(delegate.address, { journal: first }));
    const journal = await openJournal({ folder });
    expect(await journal.list()).toMatchObject([{ kind: "delegate", names: [], cids: [], nodesDone: [1, 2, 4, 5] }]);
    const from = devnet().requests().length;
    const reports = await journal.resumeAll({ ...options(), signer: owner });
    expect(reports).toMatchObject([{ kind: "delegate", result: allFive }]);
    const sent = devnet().requests().slice(from);
    expect(sent.filter(({ path }) => path.startsWith("/api/setAll")).map(({ path }) => path.at(-1))).toEqual(["3"]);
    expect(await states(cid)).toEqual(Array(5).fill("holds"));
    expect(await journal.list()).toEqual([]);
  });

  test("a delegation that was revoked later is not completed, by whatever resumes it", async () => {
    const { kit, owner, delegate, states, cid } = await createScene();
    const journal = await openJournal({ folder: await scratch() });
    const error = await interrupt(() => kit.kavachSetDelegates(delegate.address, { journal }));
    await kit.kavachSetDelegates([], { journal });
    expect(await failure(error.resume())).toMatchObject({ code: "JOURNAL_ENTRY_UNKNOWN" });
    expect(await journal.resumeAll({ ...options(), signer: owner })).toEqual([]);
    expect(await states(cid)).toEqual(Array(5).fill("refused"));
  });

  test("a share and an upload of the same owner stay open beside it", async () => {
    const { kit, delegate, cid } = await createScene();
    const journal = await openJournal({ folder: await scratch() });
    await interrupt(() => kit.kavachShare(cid, { shareTo: delegate.address, journal }));
    await interrupt(() => kit.uploadTextEncrypted("text", { journal }));
    await interrupt(() => kit.kavachSetDelegates([], { journal }));
    expect((await journal.list()).map(({ kind }) => kind)).toEqual(["share", "upload", "delegate"]);
  });

  test("another account cannot complete it", async () => {
    const { kit, delegate } = await createScene();
    const journal = await openJournal({ folder: await scratch() });
    await interrupt(() => kit.kavachSetDelegates(delegate.address, { journal }));
    const reports = await journal.resumeAll({ ...options(), signer: delegate });
    expect(reports).toMatchObject([{ error: { code: "INVALID_OPTION" } }]);
  });
});

test("calls of one process are carried out in the order in which they were made, even if a node delays one", async () => {
  const { kit, delegate, states, cid } = await createScene();
  devnet().faults.add({
    service: "keyNodes",
    node: 1,
    path: "/api/setAllFilesAccess",
    times: 1,
    action: { kind: "delay", ms: 300 },
  });
  await Promise.all([kit.kavachSetDelegates(delegate.address), kit.kavachSetDelegates([])]);
  expect(await states(cid)).toEqual(Array(5).fill("refused"));
});

describe("a hostile node", () => {
  test("that confirms a revocation and ignores it has one shard to give, which opens nothing", async () => {
    const { kit, delegate, open, states, cid } = await createScene();
    await kit.kavachSetDelegates(delegate.address);
    const end = devnet().attacks.add({ kind: "ignore-changes", nodes: [2] });
    expect(await kit.kavachSetDelegates([])).toEqual(allFive);
    end();
    expect(await states(cid)).toEqual(["refused", "holds", "refused", "refused", "refused"]);
    expect(await failure(open(cid))).toMatchObject(denied);
  });

  test("that returns a wrong shard does a delegate no harm", async () => {
    const { kit, delegate, open, cid } = await createScene();
    await kit.kavachSetDelegates(delegate.address);
    const end = devnet().faults.add({ service: "keyNodes", node: 4, action: { kind: "wrong-shard" } });
    expect(await open(cid)).toBe("the first");
    end();
  });

  test("that responds with anything but success is reported, and the others are called", async () => {
    const { kit, delegate } = await createScene();
    const path = "/api/setAllFilesAccess";
    for (const json of [{ message: "queued" }, {}, [], "success"]) {
      devnet().faults.add({ service: "keyNodes", node: 2, path, times: 1, action: { kind: "respond", json } });
      const error = await failure(kit.kavachSetDelegates(delegate.address));
      expect(error).toMatchObject({ code: "NODE_REFUSED", details: { node: 2, nodesDone: [1, 3, 4, 5] } });
    }
  });
});
