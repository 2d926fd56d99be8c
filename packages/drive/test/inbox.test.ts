import { inspect } from "node:util";
import { createShareLink } from "@keeplight/recovery";
import { Wallet } from "ethers";
import { createKit } from "keeplight";
import { expect, onTestFinished, test, vi } from "vitest";
import { readMessage } from "../src/inbox/message.ts";
import { toBase64Url } from "../src/state.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";

const { createAccount } = drivesForTests();

const page = "https://app.example/open";
const text = (content: Uint8Array) => new TextDecoder().decode(content);

/** Alice, who has a folder of two files; and Bob. */
async function createPair() {
  const [alice, bob] = [await createAccount(), await createAccount()];
  const { drive } = await alice.open();
  await drive.add(bytes("sun"), { folder: "mine/to bob", name: "summer.jpg" });
  await drive.add(bytes("dear"), { folder: "mine/to bob/2026", name: "letter.txt" });
  const from = alice.own.signer.address.toLowerCase();
  const to = bob.own.signer.address.toLowerCase();
  return { alice, bob, drive, from, to, createKeyLink };

  /** Creates a link that has the key of a file. */
  function createKeyLink(path: string) {
    const file = drive.find(path);
    if (file?.type !== "file") throw new Error("not found");
    return createShareLink(file.cid, { ...alice.own, page, name: file.name, chunkProfile: file.chunkProfile });
  }
}

test("a message names what was shared, on all devices of its recipient, who opens it", async () => {
  const { bob, drive, from, to } = await createPair();
  await drive.share("mine/to bob", { shareTo: to });
  const message = await drive.createMessage("mine/to bob", { to });
  const { drive: phone } = await bob.open();
  const received = await phone.receive(`\n${message} `);
  const listedHere = phone.listReceived();
  expect(received).toHaveLength(2);
  for (const file of received) expect(listedHere).toContain(file);
  await phone.sync();
  const { drive: laptop } = await bob.open();
  const listed = laptop.listReceived();
  expect(listed.map(({ name }) => name).sort()).toEqual(["to bob/2026/letter.txt", "to bob/summer.jpg"]);
  const letter = listed.find(({ name }) => name.endsWith("letter.txt"));
  expect(letter).toMatchObject({
    from,
    size: 4,
    mimeType: "text/plain",
    commitment: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(letter?.receivedAt).toBeGreaterThan(Date.now() - 600_000);
  const { cid = "", commitment, chunkProfile } = letter ?? {};
  expect(text(await bob.kit.decrypt(cid, { commitment, chunkProfile }))).toBe("dear");
  // In no folder of the recipient, whose files they are not.
  expect([laptop.list(), await laptop.listLoose()]).toEqual([[], []]);

  if (!letter) throw new Error("not found");
  await laptop.removeReceived(letter);
  await expect(laptop.removeReceived(letter.id)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await laptop.sync();
  await phone.sync();
  expect(phone.listReceived().map(({ name }) => name)).toEqual(["to bob/summer.jpg"]);
  await phone.receive(message);
  expect(phone.listReceived()).toHaveLength(2);
});

test("a link is kept with its key, which nothing prints, and opens without its sender", async () => {
  const { bob, createKeyLink } = await createPair();
  const link = await createKeyLink("mine/to bob/summer.jpg");
  const { drive: phone } = await bob.open();
  const [file] = await phone.receive(link);
  expect(file).toMatchObject({ name: "summer.jpg", mimeType: "image/jpeg" });
  expect(file).not.toHaveProperty("from");
  await phone.sync();
  const { drive: laptop } = await bob.open();
  const [same] = laptop.listReceived();
  const key = same?.key ?? "";
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  for (const shown of [inspect(laptop.listReceived()), JSON.stringify(same), Object.values({ ...same }).join()]) {
    expect(shown).not.toContain(key);
  }
  const stranger = createKit({ endpoints: bob.own.endpoints, pauseMs: 0 });
  expect(text(await stranger.decrypt(same?.cid ?? "", { key, chunkProfile: same?.chunkProfile }))).toBe("sun");
});

test("what one sender or one link says of a file changes nothing that another one says, on any device", async () => {
  const { bob, drive, from, to, createKeyLink } = await createPair();
  const path = "mine/to bob/summer.jpg";
  const message = await drive.createMessage(path, { to });
  const link = await createKeyLink(path);
  const cid = (drive.find(path) as { cid: string }).cid;
  // Mallory names the same file, with a commitment to nothing; and makes a link that agrees with itself.
  const mallory = await createAccount();
  const { drive: own } = await mallory.open();
  await own.adopt([{ cid, name: "rain.jpg", commitment: "0".repeat(64), chunkProfile: "other" }]);
  const forgedMessage = await own.createMessage("rain.jpg", { to });
  const forgedLink = await createShareLink(cid, { page, key: "1".repeat(64), name: "hail.jpg" });

  const [{ drive: phone }, { drive: laptop }] = [await bob.open(), await bob.open()];
  for (const each of [forgedMessage, link]) await phone.receive(each);
  for (const each of [message, forgedLink]) await laptop.receive(each);
  for (const each of [phone, laptop, phone]) await each.sync();
  expect(phone.listReceived()).toEqual(laptop.listReceived());
  const byName = Object.fromEntries(
    phone.listReceived().map((file) => [`${file.name} ${file.from ?? file.key}`, file]),
  );
  expect(Object.keys(byName)).toHaveLength(4);
  const ofAlice = byName[`summer.jpg ${from}`];
  const { commitment, chunkProfile } = ofAlice ?? {};
  expect(text(await bob.kit.decrypt(cid, { commitment, chunkProfile }).catch(() => bytes("not shared")))).toBe(
    "not shared",
  );
  await drive.share(path, { shareTo: to });
  expect(text(await bob.kit.decrypt(cid, { commitment, chunkProfile }))).toBe("sun");
  const ofLink = phone.listReceived().find(({ name, key }) => name === "summer.jpg" && key);
  expect(text(await bob.kit.decrypt(cid, { key: ofLink?.key ?? "", commitment: ofLink?.commitment }))).toBe("sun");

  // Removing one leaves the others.
  await phone.removeReceived(byName[`rain.jpg ${mallory.own.signer.address.toLowerCase()}`] ?? "");
  expect(phone.listReceived()).toHaveLength(3);
});

test("an older message of a sender does not take back what a later one says, unless it was removed", async () => {
  const { bob, drive, to } = await createPair();
  const older = await drive.createMessage("mine/to bob/summer.jpg", { to });
  await drive.rename("mine/to bob/summer.jpg", "beach.jpg");
  const later = await drive.createMessage("mine/to bob/beach.jpg", { to });
  const { drive: phone } = await bob.open();
  for (const each of [older, later, older]) await phone.receive(each);
  const [file, ...others] = phone.listReceived();
  expect([file?.name, others.length]).toEqual(["beach.jpg", 0]);
  await phone.removeReceived(file ?? "");
  await phone.receive(older);
  expect(phone.listReceived().map(({ name }) => name)).toEqual(["summer.jpg"]);
});

test("what is received survives the page that received it, and a closed drive receives nothing", async () => {
  const { bob, drive, to } = await createPair();
  const message = await drive.createMessage("mine/to bob", { to });
  const nowhere = { ...bob.own.endpoints, upload: "http://127.0.0.1:1" };
  const { drive: phone, journal } = await bob.open();
  await phone.sync();
  await phone.close();
  const { drive: offline } = await bob.open(journal.place, { endpoints: nowhere });
  await offline.receive(message);
  await offline.close().catch(() => undefined);
  await expect(offline.receive(message)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  await expect(offline.removeReceived("x")).rejects.toMatchObject({ code: "INVALID_OPTION" });
  const { drive: again } = await bob.open(journal.place);
  expect(again.listReceived()).toHaveLength(2);
  await again.sync();
  const { drive: laptop } = await bob.open();
  expect(laptop.listReceived()).toHaveLength(2);
});

test("a device whose clock is behind removes what one has received whose clock is ahead", async () => {
  const { bob, drive, to } = await createPair();
  const message = await drive.createMessage("mine/to bob/summer.jpg", { to });
  const [{ drive: phone }, { drive: laptop }] = [await bob.open(), await bob.open()];
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await phone.receive(message);
  vi.useRealTimers();
  await phone.sync();
  await laptop.sync();
  await laptop.removeReceived(laptop.listReceived()[0] ?? "");
  for (const each of [laptop, phone]) await each.sync();
  expect([laptop.listReceived(), phone.listReceived()]).toEqual([[], []]);
});

test("messages for others, of others, and malformed ones are refused", async () => {
  const { alice, bob, drive, from, to, createKeyLink } = await createPair();
  const message = await drive.createMessage("mine/to bob/summer.jpg", { to });
  const { drive: phone } = await bob.open();
  const [prefix = "", encoded = "", signature = ""] = /^(.*-1\.)(.*)\.(0x.*)$/.exec(message)?.slice(1) ?? [];
  const content = JSON.parse(atob(encoded.replaceAll("-", "+").replaceAll("_", "/"))) as Record<string, unknown>;
  const encode = (changed: object) => toBase64Url(bytes(JSON.stringify({ ...content, ...changed })));
  const stranger = Wallet.createRandom().address.toLowerCase();
  const row = (content["files"] as unknown[][])[0] ?? [];
  const unsigned: [object, RegExp][] = [
    [{ from: stranger }, /has not signed/],
    [{ from: to }, /has not signed/],
    [{ at: 0 }, /has not signed/],
    [{ files: [[row[0], "other.jpg"]] }, /has not signed/],
    [{ to: stranger }, /another account/],
    [{ to: from }, /another account/],
    [{ from: 7 }, /malformed/],
    [{ from: "alice" }, /malformed/],
    [{ from: from.toUpperCase().replace("0X", "0x") }, /malformed/],
    [{ at: 8_640_000_000_000_001 }, /malformed/],
    [{ at: -1 }, /malformed/],
    [{ files: [] }, /no files/],
    [{ files: Array.from({ length: 1_001 }, () => row) }, /more than 1000/],
    [{ files: [["bafy", ...row.slice(1)]] }, /file of it/],
    [{ files: [row, [row[0], "../x"]] }, /file of it/],
    [{ files: [[row[0], "a/../../x"]] }, /file of it/],
    [{ files: [[row[0], ""]] }, /file of it/],
    [{ files: [[row[0], "a/".repeat(600).concat("x")]] }, /file of it/],
    [{ files: [[row[0], "x", -1]] }, /file of it/],
    [{ files: [[row[0], "x", 1, "short"]] }, /file of it/],
    [{ version: 2 }, /later version/],
    [{ type: "keeplight drive" }, /no message/],
  ];
  for (const [changed, problem] of unsigned) {
    await expect(phone.receive(`${prefix}${encode(changed)}.${signature}`)).rejects.toMatchObject({
      code: "INVALID_MESSAGE",
      details: { problem: expect.stringMatching(problem) },
    });
  }
  const flipped = `${signature.slice(0, 10)}${signature[10] === "0" ? "1" : "0"}${signature.slice(11)}`;
  const malformed = [
    `${prefix}${encoded}.${flipped}`,
    `${prefix}${encoded}.`,
    `${prefix}${encoded}`,
    `${prefix}${encoded}.${signature}.${signature}`,
    `${prefix}${encoded.slice(0, -4)}.${signature}`,
    prefix,
    `${prefix}%%%.${signature}`,
    `${prefix}${"A".repeat(1_000_001)}.${signature}`,
  ];
  for (const refused of malformed) {
    await expect(phone.receive(refused), refused.slice(0, 300)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
  }
  const link = await createKeyLink("mine/to bob/summer.jpg");
  await expect(phone.receive(link.replace("&key=", "&key=0"))).rejects.toMatchObject({ code: "INVALID_LINK" });
  for (const none of ["", "hello", page]) {
    await expect(phone.receive(none)).rejects.toMatchObject({ code: "INVALID_LINK" });
  }
  await expect(phone.receive(undefined as never)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(phone.listReceived()).toEqual([]);
  // To another account it is what it is, and only its recipient reads it.
  const { drive: other } = await alice.open();
  await expect(other.receive(message)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
  await expect(readMessage(message, to.toUpperCase().replace("0X", "0x"))).resolves.toMatchObject({ from, to });
});

test("only a wallet that proves its address creates messages, and its owner reads what is signed", async () => {
  const { alice, drive: own, to } = await createPair();
  await own.sync();
  const { signer } = alice.own;
  const other = Wallet.createRandom();
  let shown = "";
  /** As the wallet of a contract: its signatures are those of another key. */
  const contract = {
    getAddress: () => signer.address,
    async signMessage(message: string) {
      shown = message;
      return message.startsWith("Keeplight") ? other.signMessage(message) : signer.signMessage(message);
    },
  };
  const { drive } = await alice.open(undefined, { signer: contract });
  await drive.sync();
  const [file] = drive.list("mine/to bob").filter(({ type }) => type === "file");
  if (!file) throw new Error("not found");
  await expect(drive.createMessage(file, { to })).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
  expect(shown.replace(/^(Date|SHA-256 of the list): .*$/gm, "$1: …")).toBe(
    [
      "Keeplight files that I have shared",
      "",
      `With: ${to}`,
      `From: ${signer.address.toLowerCase()}`,
      "Date: …",
      "Number of files: 1",
      "SHA-256 of the list: …",
    ].join("\n"),
  );
  await expect(drive.createMessage(file, { to: "0x12" })).rejects.toMatchObject({ code: "INVALID_ADDRESS" });
  // Of a path that no message has, the wallet is not asked.
  shown = "";
  const deep = Array.from({ length: 5 }, () => "x".repeat(250)).join("/");
  await drive.createFolder(`far/${deep}`);
  await drive.adopt([{ cid: (file as { cid: string }).cid, name: "deep", folder: `far/${deep}` }]);
  await expect(drive.createMessage("far", { to })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(shown).toBe("");
  await drive.createFolder("empty");
  await expect(drive.createMessage("empty", { to })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

test("a folder of 1,000 files is one message, and one more is refused", async () => {
  const { alice, bob, to } = await createPair();
  const { drive } = await alice.open();
  const [file] = await drive.add(bytes("x"), { name: "x", folder: "many" });
  const cids = Array.from({ length: 1_000 }, (_, at) => `${file?.cid.slice(0, -4)}${toBase32(at)}`);
  await drive.adopt(cids.slice(1).map((cid, at) => ({ cid, name: `${at} ${"é".repeat(60)}`, folder: "many" })));
  const { drive: phone } = await bob.open();
  expect(await phone.receive(await drive.createMessage("many", { to }))).toHaveLength(1_000);
  await drive.adopt([{ cid: cids[0] ?? "", name: "one more", folder: "many" }]);
  await expect(drive.createMessage("many", { to })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

/** Four digits of base 32, of which the last ends a content id. */
function toBase32(value: number): string {
  const digits = "abcdefghijklmnopqrstuvwxyz234567";
  return [value >> 10, value >> 5, value]
    .map((part) => digits[part & 31])
    .join("")
    .concat("a");
}
