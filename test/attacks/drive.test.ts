import { expect, test, vi } from "vitest";
import { openLink } from "../../packages/drive/src/index.ts";
import { drivesForTests } from "../../packages/drive/test/drive-for-tests.ts";
import { createShareLink } from "../../packages/recovery/src/index.ts";
import {
  createKit,
  kavachRecoverShards,
  kavachShare,
  type ListedFile,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { scratch } from "../support/files.ts";

const { createAccount, devnet } = drivesForTests();

const KEY = "keeplight-drive-key";
const VERSION = "keeplight-drive";

/** An account whose drive has two versions: of folder `One`, and of folders `One` and `Two`. */
async function createDrive() {
  const account = await createAccount();
  const folder = await scratch();
  const { drive } = await account.open(folder);
  for (const name of ["One", "Two"]) {
    await drive.createFolder(name);
    await drive.sync();
  }
  await drive.close();
  const list = async (name: string): Promise<ListedFile[]> => {
    const rows: ListedFile[] = [];
    for await (const row of account.kit.iterateFiles()) if (row.fileName === name) rows.push(row);
    return rows;
  };
  return { ...account, folder, list };
}

const names = (drive: { list(): readonly { name: string }[] }) => drive.list().map(({ name }) => name);
const problems = (drive: { status(): { problems: readonly { kind: string }[] } }) =>
  drive.status().problems.map(({ kind }) => kind);

/** Runs work at a time when the listing has everything that was stored. */
async function muchLater<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  return work().finally(() => vi.useRealTimers());
}

test("an old version of a drive's list under its name", async () => {
  const { open, kit, folder, list } = await createDrive();
  const [, older] = await list(VERSION);
  const [record] = await kit.ipnsListRecords();
  await kit.ipnsPublishRecord({ keyName: record?.ipnsName ?? "", cid: older?.cid ?? "" });
  for (const { drive } of [await open(folder), await open()]) {
    expect([names(drive), problems(drive)]).toEqual([["One", "Two"], []]);
    await drive.close();
  }
  const [newest] = await list(VERSION);
  expect((await kit.ipnsListRecords())[0]?.cid).toBe(newest?.cid);
});

test("an old version of a drive's list under its name, and the newest hidden from the listing", async () => {
  const { open, folder, kit, list } = await createDrive();
  const [newest, older] = await list(VERSION);
  const [record] = await kit.ipnsListRecords();
  await kit.ipnsPublishRecord({ keyName: record?.ipnsName ?? "", cid: older?.cid ?? "" });
  devnet().attacks.add({ kind: "tamper-record", cid: newest?.cid ?? "", claims: null });
  expect(names((await open()).drive)).toEqual(["One"]);
  const { drive } = await open(folder);
  await muchLater(() => drive.sync());
  expect([names(drive), problems(drive)]).toEqual([["One", "Two"], ["rollback"]]);
  expect(names((await open()).drive)).toEqual(["One", "Two"]);
});

test("all versions of a drive's list hidden from the listing", async () => {
  const { open, folder, list } = await createDrive();
  for (const { cid } of await list(VERSION)) devnet().attacks.add({ kind: "tamper-record", cid, claims: null });
  expect(names((await open()).drive)).toEqual([]);
  const { drive } = await open(folder);
  await muchLater(() => drive.sync());
  expect(problems(drive)).toEqual(["rollback"]);
  expect(names((await open()).drive)).toEqual(["One", "Two"]);
});

test("a file that poses as a version of a drive's list", async () => {
  const { open, folder, own, apiKey } = await createDrive();
  const { endpoints } = own;
  for (const bytes of [new Uint8Array(), new Uint8Array([1]), crypto.getRandomValues(new Uint8Array(1_000))])
    await upload(bytes, { apiKey, endpoints, name: VERSION });
  for (const { drive } of [await open(folder), await open()]) {
    await drive.sync();
    expect(names(drive)).toEqual(["One", "Two"]);
    expect(problems(drive)).toContain("unreadable");
    await drive.rename("Two", "Three");
    await drive.rename("Three", "Two");
    await drive.close();
  }
});

test("a version of a stranger's drive in the account's listing", async () => {
  const [one, stranger] = [await createDrive(), await createDrive()];
  const [version] = await stranger.list(VERSION);
  await one.kit.pinCid(version?.cid ?? "", { fileName: VERSION });
  const { drive } = await one.open();
  await drive.sync();
  expect([names(drive), problems(drive)]).toEqual([["One", "Two"], ["unreadable"]]);
});

test("a version of another drive of the same account under this drive's name", async () => {
  const [one, other] = [await createDrive(), await createDrive()];
  const [version] = await other.list(VERSION);
  const [record] = await one.kit.ipnsListRecords();
  await one.kit.ipnsPublishRecord({ keyName: record?.ipnsName ?? "", cid: version?.cid ?? "" });
  const { drive } = await one.open(one.folder);
  expect([names(drive), problems(drive)]).toEqual([["One", "Two"], ["unreadable"]]);
});

test("flipped bits in a version of a drive's list", async () => {
  const { open, folder, list } = await createDrive();
  const second = (await open()).drive;
  await second.createFolder("Three");
  await second.close();
  const [newest] = await list(VERSION);
  devnet().attacks.add({
    kind: "tamper-content",
    cid: newest?.cid ?? "",
    change: (bytes) => bytes.map((byte) => byte ^ 1),
  });
  const { drive } = await open(folder);
  expect(names(drive)).toEqual(["One", "Two"]);
  expect(problems(drive)).toEqual(["missing"]);
  devnet().attacks.clear();
  await drive.sync();
  expect(names(drive)).toEqual(["One", "Three", "Two"]);
});

test("a drive's key that a stranger made and shared with the account", async () => {
  const [one, stranger] = [await createDrive(), await createAccount()];
  const { drive } = await one.open(one.folder);
  const content = { type: "keeplight drive key", version: 1, owner: drive.account, createdAt: 1, key: "ab".repeat(32) };
  const { own, apiKey } = stranger;
  const [planted] = await uploadEncrypted(new File([JSON.stringify(content)], KEY), { ...own, apiKey });
  await kavachShare(planted.Hash, { ...own, shareTo: drive.account });
  // The API host lists it as a file of the account.
  const [row] = await one.list(KEY);
  const [decoy] = await uploadEncrypted(new File(["x"], KEY), { ...one.own, apiKey: one.apiKey });
  devnet().attacks.add({ kind: "tamper-record", cid: decoy.Hash, claims: { cid: planted.Hash } });
  const other = (await one.open()).drive;
  await other.sync();
  expect([other.id, names(other)]).toEqual([row?.cid, ["One", "Two"]]);
  expect(problems(other)).toContain("unreadable");
});

test("the key nodes name another owner of a drive's key", async () => {
  const { open, folder, list } = await createDrive();
  const [key] = await list(KEY);
  const owner = (await createAccount()).own.signer.address;
  devnet().attacks.add({ kind: "misreport-access", cid: key?.cid ?? "", owner });
  const [known, fresh] = [(await open(folder)).drive, (await open()).drive];
  expect(names(known)).toEqual(["One", "Two"]);
  expect([names(fresh), problems(fresh)]).toEqual([[], ["unreadable", "unreadable", "unreadable"]]);
  await fresh.createFolder("Three");
  await fresh.sync();
  devnet().attacks.clear();
  await known.sync();
  expect(names(known)).toEqual(["One", "Three", "Two"]);
});

test("a random name of the listing that leads to another file", async () => {
  const { open, own, apiKey, list } = await createDrive();
  const { drive } = await open();
  const [mine] = await uploadEncrypted(new File(["mine"], "mine.txt"), { ...own, apiKey });
  const [file] = await drive.add(new File(["other"], "other.txt"));
  // Once a file is in the drive, the listing decides nothing.
  devnet().attacks.add({ kind: "tamper-record", cid: file?.cid ?? "", claims: { cid: mine.Hash } });
  await drive.sync();
  expect(drive.find("other.txt")).toMatchObject({ cid: file?.cid });
  expect(await list("other.txt")).toEqual([]);
});

test("flipped bits in the version that a drive's newest list builds on", async () => {
  const { open, list, kit } = await createDrive();
  const { drive, journal } = await open();
  const [{ Hash: cid }] = await kit.upload(new File(["text"], "text.txt"));
  await drive.adopt(Array.from({ length: 20 }, (_, at) => ({ cid, name: `${at}` })));
  await drive.sync();
  const [base] = await list(VERSION);
  await drive.rename("0", "first");
  await drive.sync();
  await drive.close();
  devnet().attacks.add({
    kind: "tamper-content",
    cid: base?.cid ?? "",
    change: (bytes) => bytes.map((byte) => byte ^ 1),
  });
  const { drive: fresh } = await open();
  expect([names(fresh), problems(fresh)]).toEqual([
    ["One", "Two"],
    ["missing", "missing"],
  ]);
  const { drive: known } = await open(journal.place);
  expect(known.find("first")).toBeDefined();
  devnet().attacks.clear();
  await fresh.sync();
  expect([fresh.find("first") !== undefined, problems(fresh)]).toEqual([true, []]);
});

test("a message about shared files that names another account as its sender", async () => {
  const [alice, bob, mallory] = [await createAccount(), await createAccount(), await createAccount()];
  const { drive } = await mallory.open();
  await drive.add(new File(["bill"], "bill.pdf"));
  const message = await drive.createMessage("bill.pdf", { to: bob.own.signer.address });
  const [start = "", content = "", signature = ""] = message.split(".");
  const toAddress = ({ own }: typeof alice) => own.signer.address.toLowerCase();
  const forged = Buffer.from(content, "base64url").toString().replace(toAddress(mallory), toAddress(alice));
  const { drive: inbox } = await bob.open();
  const text = `${start}.${Buffer.from(forged).toString("base64url")}.${signature}`;
  await expect(inbox.receive(text)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
  expect(inbox.listReceived()).toEqual([]);
  // Else what was forged would not be a message at all.
  expect(await inbox.receive(message)).toMatchObject([{ from: toAddress(mallory) }]);
});

test("a link with another key for a file that was received", async () => {
  const [alice, bob] = [await createAccount(), await createAccount()];
  const { drive } = await alice.open();
  const [file] = await drive.add(new File(["letter"], "letter.txt"));
  const page = "https://app.example/";
  const { drive: inbox } = await bob.open();
  const [received] = await inbox.receive(await createShareLink(file?.cid ?? "", { ...alice.own, page }));
  await inbox.receive(await createShareLink(file?.cid ?? "", { page, key: "1".repeat(64) }));
  expect(inbox.listReceived()).toHaveLength(2);
  expect(inbox.listReceived()).toContain(received);
  const { cid = "", key = "", commitment } = received ?? {};
  expect(new TextDecoder().decode(await bob.kit.decrypt(cid, { key, commitment }))).toBe("letter");
});

test("a link that can be ended whose name or end was changed", async () => {
  const { open } = await createAccount();
  const { drive } = await open();
  await drive.add(new File(["letter"], "letter.txt"));
  const { url } = await drive.createLink("letter.txt", { page: "https://app.example/", endsAfterMs: 3_600_000 });
  const changes = [
    url.replace("letter.txt", "invoice.txt"),
    url.replace(/endsAt=\d/, "endsAt=9"),
    url.replace(/&endsAt=\d+/, ""),
  ];
  for (const changed of changes) {
    expect(changed).not.toBe(url);
    await expect(openLink(changed)).rejects.toMatchObject({ code: "INVALID_LINK" });
  }
  await drive.close();
});

test("a link that was ended, has ended, or needs a password, in 100 attempts of a former recipient and a stranger", async () => {
  const [alice, mallory] = [await createAccount(), await createAccount()];
  const { drive } = await alice.open();
  const page = "https://app.example/";
  const network = { endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0, attempts: 1 };
  const password = "a long password";
  const links = [];
  for (let at = 0; at < 10; at++) {
    const [file] = await drive.add(new File([`letter ${at}`], `${at}.txt`));
    const [ended, expired, sealed, other] = [
      await drive.createLink(file ?? "", { page }),
      await drive.createLink(file ?? "", { page, endsAfterMs: 3_600_000 }),
      await drive.createLink(file ?? "", { page, password }),
      await drive.createLink(file ?? "", { page }),
    ];
    // Both have opened the file before, and stay signed in.
    const kits = [];
    for (const { url } of [ended, expired]) {
      const { cid, signer } = await openLink(url);
      const kit = createKit({ ...network, signer });
      expect(new TextDecoder().decode(await kit.decrypt(cid))).toBe(`letter ${at}`);
      kits.push({ cid, signer, kit });
    }
    await drive.endLink(ended);
    links.push({ expired, sealed, other, kits });
  }
  await muchLater(() => drive.sync());
  await eventually(() => expect(drive.listLinks()).toHaveLength(20));
  let attempts = 0;
  async function expectRefused(attempt: Promise<unknown>, code: string): Promise<void> {
    attempts++;
    await expect(attempt).rejects.toMatchObject({ code });
  }
  for (const { expired, sealed, other, kits } of links) {
    for (const { cid, signer, kit } of kits) {
      await expectRefused(kit.decrypt(cid), "NODE_REFUSED");
      await expectRefused(createKit({ ...network, signer }).decrypt(cid), "NODE_REFUSED");
      await expectRefused(kavachRecoverShards(cid, { ...network, signer }), "NODE_REFUSED");
    }
    await expectRefused(mallory.kit.decrypt(other.cid), "NODE_REFUSED");
    await expectRefused(
      muchLater(() => openLink(expired.url)),
      "INVALID_LINK",
    );
    await expectRefused(openLink(sealed.url, { password: "a long passwort" }), "INVALID_LINK");
    const mixed = other.url.replace(/secret=[\w-]+/, /secret=[\w-]+/.exec(sealed.url)?.[0] ?? "");
    await expectRefused(openLink(mixed, { password: "another password" }), "INVALID_LINK");
  }
  expect(attempts).toBe(100);
  // What was not ended opens.
  const { cid, signer } = await openLink(links[0]?.sealed.url ?? "", { password });
  expect(new TextDecoder().decode(await createKit({ ...network, signer }).decrypt(cid))).toBe("letter 0");
  await drive.close();
});
