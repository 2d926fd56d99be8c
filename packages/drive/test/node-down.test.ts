import { kavachInspect } from "keeplight";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

test.each([1, 3, 5])(
  "a drive is created while key node %i is down, which gets its shard once it is back",
  async (node) => {
    const account = await createAccount();
    const folder = await scratch();
    await devnet().stopNode(node);
    const { drive } = await account.open(folder);
    await drive.createFolder("Letters");
    await drive.sync();
    await drive.close();
    const { drive: other } = await account.open();
    expect(other.find("Letters")).toBeDefined();
    await other.close();

    await devnet().startNode(node);
    const { drive: again } = await account.open(folder);
    await again.sync();
    await again.close();
    const health = await kavachInspect(drive.id, account.own);
    expect(health).toMatchObject({ key: "recoverable", healthy: true });
    const requests = devnet().requests().length;
    const { drive: whole } = await account.open(folder);
    await whole.sync();
    await whole.close();
    // Nothing is left to repair.
    const repeated = devnet().requests().slice(requests);
    expect(repeated.filter(({ path }) => /Shared|retriev/i.test(path))).toEqual([]);
  },
);

test("no drive is created while two key nodes are down, and one is once they are back", async () => {
  const account = await createAccount();
  const folder = await scratch();
  await Promise.all([2, 4].map((node) => devnet().stopNode(node)));
  await expect(account.open(folder)).rejects.toMatchObject({ code: "SHARDS_NOT_SAVED" });
  await Promise.all([2, 4].map((node) => devnet().startNode(node)));
  const { drive } = await account.open(folder);
  await drive.createFolder("Letters");
  await drive.close();
  expect(await kavachInspect(drive.id, account.own)).toMatchObject({ healthy: true });
});

test("changes are stored while a wallet leaves the sign-in of a repair unanswered", async () => {
  const account = await createAccount();
  const folder = await scratch();
  await devnet().stopNode(3);
  const { drive: created } = await account.open(folder);
  await created.close();
  await devnet().startNode(3);
  const { address } = account.own.signer;
  let refuse = (_: Error) => undefined as unknown;
  const answer = new Promise<string>((_, reject) => {
    refuse = reject;
  });
  const { drive } = await account.open(folder, { signer: { address, signMessage: () => answer } });
  const synced = drive.sync();
  await drive.createFolder("Letters");
  await expect.poll(() => drive.status().unsaved, { timeout: 8_000 }).toBe(false);
  const { drive: other } = await account.open();
  expect(other.find("Letters")).toBeDefined();
  // A repair that fails does not fail the sync.
  refuse(new Error("rejected by the user"));
  await synced;
});
