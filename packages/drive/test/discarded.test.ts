import { openJournal } from "keeplight";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { openDrive } from "../src/index.ts";
import { closeAfterTest, drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

test.each([false, true])(
  "a stored file whose upload was discarded before its key was saved is in no folder; opened again: %s",
  async (isLater) => {
    const account = await createAccount();
    const folder = await scratch();
    const first = await account.open(folder);
    const action = { kind: "respond", status: 500 } as const;
    const mend = devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey", action });
    const adding = first.drive.add(new File(["letter"], "letter.txt"), { folder: "Letters" });
    await expect(adding).rejects.toMatchObject({ code: "SHARDS_NOT_SAVED" });
    mend();
    let { drive, journal } = first;
    if (isLater) {
      await drive.close();
      journal = await openJournal({ folder });
      drive = await openDrive({ ...account.own, apiKey: account.apiKey, journal });
      closeAfterTest(drive);
    }
    const [upload] = (await journal.list()).filter(({ kind }) => kind === "upload");
    await journal.discard(upload?.id ?? "");
    await drive.sync();
    expect(drive.search("").map(({ path }) => path)).toEqual(["Letters"]);
    expect(await drive.listLoose()).toHaveLength(1);
  },
);

test("an upload that is completed after a later one of the same file is its older version", async () => {
  const account = await createAccount();
  const { drive, journal } = await account.open(await scratch());
  const action = { kind: "respond", status: 500 } as const;
  const mend = devnet().faults.add({ service: "keyNodes", method: "POST", path: "/api/setSharedKey", action });
  await expect(drive.add(new File(["first"], "letter.txt"))).rejects.toMatchObject({ code: "SHARDS_NOT_SAVED" });
  mend();
  const [second] = await drive.add(new File(["second"], "letter.txt"));
  const [upload] = (await journal.list()).filter(({ kind }) => kind === "upload");
  const { signer, endpoints } = account.own;
  await journal.resume(upload?.id ?? "", { signer, endpoints, pauseMs: 0 });
  await drive.sync();
  const [entry] = drive.list();
  expect(drive.list()).toMatchObject([{ name: "letter.txt", cid: second?.cid }]);
  expect(entry && drive.versions(entry)).toHaveLength(2);
});

test("two files whose names are one in the drive stay two, however often they are added", async () => {
  const { drive } = await (await createAccount()).open(await scratch());
  const cids = new Set<string>();
  for (const time of ["first", "second"]) {
    const twins = ["caf\u00e9.txt", "cafe\u0301.txt"].map((name, at) => new File([`${time} ${at}`], name));
    const added = await drive.add(twins as unknown as File);
    for (const { cid } of added) cids.add(cid);
  }
  expect(cids.size).toBe(4);
  const shown = drive.list().flatMap((entry) => drive.versions(entry).map(({ cid }) => cid));
  expect(new Set(shown)).toEqual(cids);
});

test("commands that store one version each read the listing now and then", async () => {
  const account = await createAccount();
  const folder = await scratch();
  const countListings = () =>
    devnet()
      .requests()
      .filter(({ path }) => path.includes("files_uploaded")).length;
  let before = 0;
  for (let at = 0; at < 22; at++) {
    const { drive } = await account.open(folder);
    await drive.createFolder(`folder ${at}`);
    await drive.close();
    if (at === 1) before = countListings();
  }
  expect(countListings()).toBeGreaterThan(before);
});
