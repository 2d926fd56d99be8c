import { expect, test } from "vitest";
import {
  decrypt,
  kavachGenerate,
  kavachInspect,
  kavachRepair,
  kavachSaveShards,
  type UnfinishedUpload,
  type UploadEncryptedOptions,
  uploadEncrypted,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { as, saveKey } from "../kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";

const devnet = devnetForTests();
const createFiles = (count: number) => Array.from({ length: count }, (_, at) => new File([`file ${at}`], `${at}.txt`));

async function createOptions(more: Partial<UploadEncryptedOptions> = {}): Promise<UploadEncryptedOptions> {
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  return { ...as(devnet(), 0), apiKey, attempts: 1, ...more } as UploadEncryptedOptions;
}

async function withNodesDown<T>(nodes: readonly number[], work: () => Promise<T>): Promise<T> {
  for (const node of nodes) devnet().stopNode(node);
  try {
    return await work();
  } finally {
    for (const node of nodes) devnet().startNode(node);
  }
}

test.each([[[2]], [[1, 4]]])(
  "saveOn enough: with nodes %j down an upload succeeds, lists them, and a repair completes it",
  async (down) => {
    const enough = await createOptions({ saveOn: "enough" });
    const stored = await withNodesDown(down, () => uploadEncrypted(createFiles(3), enough));
    expect(stored.map(({ Name, nodesMissing }) => [Name, nodesMissing])).toEqual(
      ["0.txt", "1.txt", "2.txt"].map((name) => [name, down]),
    );
    for (const [at, { Hash }] of stored.entries()) {
      const bytes = await decrypt(Hash, as(devnet(), 0));
      expect(new TextDecoder().decode(bytes)).toBe(`file ${at}`);
      await kavachRepair(Hash, as(devnet(), 0));
      expect(await kavachInspect(Hash, as(devnet(), 0))).toMatchObject({ healthy: true });
    }
  },
);

test("saveOn enough: nothing is listed as missing if no node failed", async () => {
  const [file] = await uploadTextEncrypted("text", await createOptions({ saveOn: "enough" }));
  expect(file).not.toHaveProperty("nodesMissing");
});

test("saveOn enough: with fewer than three nodes up the error keeps the keys, and resume() saves them", async () => {
  const enough = await createOptions({ saveOn: "enough" });
  const error = await withNodesDown([1, 3, 5], () => failure(uploadEncrypted(createFiles(2), enough)));
  expect(error).toMatchObject({
    code: "SHARDS_NOT_SAVED",
    details: { unfinished: [{ nodesDone: [2, 4] }, { nodesDone: [2, 4] }] },
  });
  // One more is enough.
  const stored = await withNodesDown([1, 5], () => (error as UnfinishedUpload).resume());
  expect(stored.map(({ nodesMissing }) => nodesMissing)).toEqual([
    [1, 5],
    [1, 5],
  ]);
  expect(await decrypt(stored[1]?.Hash ?? "", as(devnet(), 0))).toEqual(new TextEncoder().encode("file 1"));
});

test("saveOn enough means the threshold if that is not three", async () => {
  const four = await createOptions({ saveOn: "enough", threshold: 4 });
  const error = await withNodesDown([1, 2], () => failure(uploadEncrypted(createFiles(1), four)));
  expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED", details: { unfinished: [{ nodesDone: [3, 4, 5] }] } });
  const [file] = await withNodesDown([1], () => (error as UnfinishedUpload).resume());
  expect(file?.nodesMissing).toEqual([1]);
});

test("by default saving stops at the first node that fails", async () => {
  const all = await createOptions();
  const error = await withNodesDown([2], () => failure(uploadEncrypted(createFiles(1), all)));
  expect(error).toMatchObject({ code: "SHARDS_NOT_SAVED", details: { unfinished: [{ nodesDone: [1] }] } });
  expect(await (error as UnfinishedUpload).resume()).toHaveLength(1);
});

test("kavachSaveShards supports saveOn enough as well", async () => {
  const [{ cid }, { keyShards }] = [await saveKey(devnet()), await kavachGenerate()];
  const save = { ...as(devnet(), 0), attempts: 1, keyShards, saveOn: "enough" } as const;
  expect(await kavachSaveShards(cid, save)).toEqual({ nodes: [1, 2, 3, 4, 5] });
  expect(await withNodesDown([3, 4], () => kavachSaveShards(cid, save))).toEqual({
    nodes: [1, 2, 5],
    nodesMissing: [3, 4],
  });
  const error = await withNodesDown([3, 4, 5], () => failure(kavachSaveShards(cid, save)));
  expect(error).toMatchObject({ code: "NETWORK", details: { nodesDone: [1, 2] } });
});

test("another value of saveOn is refused before anything is sent", async () => {
  const wrong = await createOptions({ saveOn: "some" as "all" });
  const before = devnet().requests().length;
  expect(await failure(uploadEncrypted(createFiles(1), wrong))).toMatchObject({
    code: "INVALID_OPTION",
    message: 'Invalid option saveOn: expected "all" or "enough"',
  });
  expect(devnet().requests()).toHaveLength(before);
});

test("saveOn enough: an abort once three nodes have their shards is no success", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const options = await createOptions({ saveOn: "enough", pacing: "sequential", signal });
  const onProgress: UploadEncryptedOptions["onProgress"] = ({ phase, loaded }) => {
    if (phase === "saving-keys" && loaded === 3) controller.abort();
  };
  const error = await failure(uploadEncrypted(createFiles(1), { ...options, onProgress }));
  expect(error).toMatchObject({ code: "ABORTED", details: { unfinished: [{ nodesDone: [1, 2, 3] }] } });
});
