import { openJournal } from "keeplight";
import { expect, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { openDrive } from "../src/index.ts";
import { sealVersion, unsealVersion } from "../src/seal.ts";
import { closeAfterTest, drivesForTests } from "./drive-for-tests.ts";

const { createAccount } = drivesForTests();

type Account = Awaited<ReturnType<typeof createAccount>>;

const BOB = "0x742d35Cc6634C0532925a3b844Bc454e4438f44e";
const bob = BOB.toLowerCase();
const CAROL = "7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q";
const RIGHT_TO_LEFT = "\u202e";

const listNames = ({ listContacts }: { listContacts(): { name: string }[] }) => listContacts().map(({ name }) => name);

test("a contact is on all devices, under one address in whichever case it is written, until it is removed", async () => {
  const account = await createAccount();
  const { drive: phone } = await account.open();
  expect(phone.listContacts()).toEqual([]);
  expect(await phone.setContact(BOB, { name: " Bob ", note: "met in Bonn" })).toEqual({
    address: bob,
    name: "Bob",
    note: "met in Bonn",
  });
  await phone.setContact(CAROL, { name: "Carol" });
  await phone.sync();
  const { drive: laptop } = await account.open();
  expect(laptop.listContacts()).toEqual([
    { address: bob, name: "Bob", note: "met in Bonn" },
    { address: CAROL, name: "Carol", note: "" },
  ]);
  await laptop.setContact(bob, { name: "Robert" });
  await laptop.removeContact(CAROL);
  await expect(laptop.removeContact(CAROL)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await laptop.sync();
  await phone.sync();
  expect(phone.listContacts()).toEqual([{ address: bob, name: "Robert", note: "" }]);
  await phone.removeContact(phone.listContacts()[0] ?? "");
  expect(phone.listContacts()).toEqual([]);
  // Base58 is another address in another case.
  await phone.setContact(CAROL.replace("Q", "q"), { name: "Not Carol" });
  await phone.setContact(CAROL, { name: "Carol" });
  expect(listNames(phone)).toEqual(["Carol", "Not Carol"]);
});

test("the ENS name of a contact is on all devices until the contact is named without it", async () => {
  const account = await createAccount();
  const { drive: phone } = await account.open();
  expect(await phone.setContact(BOB, { name: "Bob", ens: "bob.eth" })).toEqual({
    address: bob,
    name: "Bob",
    note: "",
    ens: "bob.eth",
  });
  await phone.sync();
  const { drive: laptop } = await account.open();
  expect(laptop.listContacts()).toEqual([{ address: bob, name: "Bob", note: "", ens: "bob.eth" }]);
  await laptop.setContact(BOB, { name: "Bob" });
  expect(laptop.listContacts()).toEqual([{ address: bob, name: "Bob", note: "" }]);
  for (const ens of ["bob\u202e.eth", "bob\n.eth", `${"b".repeat(252)}.eth`, 5 as never])
    await expect(laptop.setContact(BOB, { name: "Bob", ens })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

test("devices that change contacts at once keep the later change of each, and no removal is lost", async () => {
  const account = await createAccount();
  const { drive: phone } = await account.open();
  await phone.setContact(BOB, { name: "Bob" });
  await phone.setContact(CAROL, { name: "Carol" });
  await phone.sync();
  const { drive: laptop } = await account.open();
  await phone.setContact(BOB, { name: "Bob of the phone" });
  await phone.removeContact(CAROL);
  // Its stamp is later than all that the laptop has seen, by its clock.
  await laptop.setContact(BOB, { name: "Bob of the laptop" });
  for (const each of [phone, laptop, phone]) await each.sync();
  expect(listNames(phone)).toEqual(["Bob of the laptop"]);
  expect(laptop.listContacts()).toEqual(phone.listContacts());
  const { drive: tablet } = await account.open();
  expect(tablet.listContacts()).toEqual(phone.listContacts());
});

test("a device whose clock is behind changes a contact that it has seen", async () => {
  const account = await createAccount();
  const now = Date.now;
  // The drive keeps the clock that it was opened with.
  Date.now = () => now() + 86_400_000;
  const { drive: ahead } = await account.open().finally(() => {
    Date.now = now;
  });
  await ahead.setContact(BOB, { name: "Tomorrow" });
  await ahead.sync();
  const { drive: behind } = await account.open();
  await behind.setContact(BOB, { name: "Today" });
  expect(listNames(behind)).toEqual(["Today"]);
});

test("two contacts of one name are listed by their addresses; what did not change stays the same object", async () => {
  const { drive } = await (await createAccount()).open();
  for (const address of [`0x${"f".repeat(40)}`, `0x${"0".repeat(40)}`])
    await drive.setContact(address, { name: "Bob" });
  await drive.setContact(bob, { name: "Bob 10" });
  await drive.setContact(CAROL, { name: "Bob 9" });
  const before = drive.listContacts();
  expect(before.map(({ name, address }) => `${name} ${address.slice(0, 4)}`)).toEqual([
    "Bob 0x00",
    "Bob 0xff",
    "Bob 9 7v91",
    "Bob 10 0x74",
  ]);
  await drive.createFolder("Photos");
  await drive.setContact(bob, { name: "Bob 8" });
  const after = drive.listContacts();
  expect(after.filter((each) => !before.includes(each)).map(({ name }) => name)).toEqual(["Bob 8"]);
  after.length = 0;
  expect(drive.listContacts()).toHaveLength(4);
});

test("what is no address, no name, or not read as it is written, is refused before anything is kept", async () => {
  const { drive } = await (await createAccount()).open();
  const invalid = (code: string) => expect.objectContaining({ code });
  for (const address of ["bob", "", BOB.replace("742d", "742D"), undefined as never])
    await expect(drive.setContact(address, { name: "Bob" })).rejects.toEqual(invalid("INVALID_ADDRESS"));
  const texts = ["Bob\nCarol", "Bob\u0000", `Bob${RIGHT_TO_LEFT}`, "Bob\ud800", 5 as never];
  for (const name of [...texts, "", "  ", "n".repeat(101), undefined as never])
    await expect(drive.setContact(BOB, { name })).rejects.toEqual(invalid("INVALID_OPTION"));
  for (const note of [...texts, "n".repeat(1_001)])
    await expect(drive.setContact(BOB, { name: "Bob", note })).rejects.toEqual(invalid("INVALID_OPTION"));
  await expect(drive.setContact(BOB, undefined as never)).rejects.toEqual(invalid("INVALID_OPTION"));
  await expect(drive.removeContact(BOB)).rejects.toEqual(invalid("INVALID_OPTION"));
  await expect(drive.removeContact(undefined as never)).rejects.toEqual(invalid("INVALID_ADDRESS"));
  expect(drive.listContacts()).toEqual([]);
  expect(drive.status().unsaved).toBe(false);
  const longest = { name: "n".repeat(100), note: "https://example.org/".padEnd(1_000, "n") };
  expect(await drive.setContact(BOB, longest)).toMatchObject(longest);
  // One letter, whichever way it is typed.
  expect((await drive.setContact(BOB, { name: "Rene\u0301" })).name).toBe("Ren\u00e9");
});

test("a change that was not stored is in the journal, and none is made once the drive is closed", async () => {
  const account = await createAccount();
  const folder = await scratch();
  const { drive } = await account.open(folder);
  await drive.sync();
  const dead = "http://127.0.0.1:9";
  const endpoints = { api: dead, upload: dead, gateway: dead, keyNodes: dead };
  await drive.close();
  await expect(drive.setContact(BOB, { name: "Bob" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  const { drive: offline } = await account.open(folder, { endpoints });
  await offline.setContact(BOB, { name: "Bob" });
  await offline.close().catch(() => undefined);
  await expect(offline.removeContact(BOB)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  const journal = await openJournal({ folder });
  const later = await openDrive({ ...account.own, apiKey: account.apiKey, journal });
  closeAfterTest(later);
  expect(listNames(later)).toEqual(["Bob"]);
  await later.sync();
  const { drive: other } = await account.open();
  expect(listNames(other)).toEqual(["Bob"]);
});

test("a contact is part of what changed, after which a whole list is stored", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  await drive.setContact(CAROL, { name: "Carol" });
  await drive.sync();
  for (let change = 0; change < 22; change++) {
    await drive.setContact(BOB, { name: `Bob ${change}` });
    await drive.sync();
  }
  const { drive: other } = await account.open();
  expect(listNames(other)).toEqual(["Bob 21", "Carol"]);
});

/** Stores a version that follows from the newest one, with some fields of its list changed; and all that it builds on. */
async function storeChanged({ kit }: Account, id: string, change: (fields: Record<string, unknown>) => object) {
  const { key } = JSON.parse(new TextDecoder().decode(await kit.decrypt(id))) as { key: string };
  const found: Record<string, unknown>[] = [];
  for await (const { fileName, cid } of kit.iterateFiles()) {
    if (fileName !== "keeplight-drive") continue;
    const plain = await unsealVersion(cid, await kit.download(cid), { drive: id, key });
    found.push({ cid, ...JSON.parse(new TextDecoder().decode(plain)) });
  }
  const [newest] = found.sort((one, other) => Number(other["number"]) - Number(one["number"]));
  const { cid, number, history, ...fields } = newest ?? {};
  const base = found.find((version) => version["cid"] === fields["base"]);
  const version = {
    ...fields,
    base: undefined,
    entries: [...((base?.["entries"] as unknown[]) ?? []), ...(fields["entries"] as unknown[])],
    number: Number(number) + 1,
    at: Date.now(),
    previous: [cid],
    history: [[cid, number], ...(history as unknown[])],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(change(version)));
  await kit.upload(await sealVersion(bytes, { drive: id, key }), { name: "keeplight-drive" });
}

test("a list of before there were contacts is read; devices that know some store them again", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  await drive.setContact(BOB, { name: "Bob" });
  await drive.sync();
  await storeChanged(account, drive.id, ({ contacts: _, ...fields }) => ({
    ...fields,
    entries: [["A".repeat(16), "", "000000001device", "Photos", 0, 1]],
  }));
  await drive.sync();
  expect(drive.list().map(({ name }) => name)).toEqual(["Photos"]);
  expect(listNames(drive)).toEqual(["Bob"]);
  const { drive: other } = await account.open();
  expect(listNames(other)).toEqual(["Bob"]);
});

test("text that no call accepts, and another program wrote, is not shown: the address is", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  await drive.setContact(CAROL, { name: "Carol" });
  await drive.sync();
  await storeChanged(account, drive.id, (fields) => ({
    ...fields,
    contacts: [[bob, "000000001device", `Carol${RIGHT_TO_LEFT}`, "a\u0007b", `bob${RIGHT_TO_LEFT}.eth`]],
  }));
  await drive.sync();
  expect(drive.status().problems).toEqual([]);
  expect(drive.listContacts()).toEqual([
    { address: bob, name: bob, note: "" },
    { address: CAROL, name: "Carol", note: "" },
  ]);
  await drive.setContact(BOB, { name: "Bob" });
  expect(listNames(drive)).toEqual(["Bob", "Carol"]);
});

test("a drive with as many contacts as it can have refuses another one, and still changes those", async () => {
  const account = await createAccount();
  const { drive } = await account.open();
  await drive.createFolder("Photos");
  await drive.sync();
  const many = Array.from({ length: 10_000 }, (_, at) => {
    return [`0x${(at + 16).toString(16).padStart(40, "0")}`, "000000001device", `${at}`];
  });
  await storeChanged(account, drive.id, (fields) => ({ ...fields, contacts: many }));
  await drive.sync();
  expect(drive.listContacts()).toHaveLength(10_000);
  await expect(drive.setContact(BOB, { name: "Bob" })).rejects.toThrow(/10000/);
  const [first] = drive.listContacts();
  await drive.setContact(first?.address ?? "", { name: "Zoe" });
  await drive.removeContact(first ?? "");
  await expect(drive.setContact(BOB, { name: "Bob" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(drive.listContacts()).toHaveLength(9_999);
});
