import { inspect } from "node:util";
import { Wallet } from "ethers";
import { createKit } from "keeplight";
import { createKeySigner } from "keeplight/parts";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { scratch } from "../../../test/support/files.ts";
import { openLink } from "../src/index.ts";
import { formatLink, isLink, readLink } from "../src/links/link-format.ts";
import { bytes, drivesForTests } from "./drive-for-tests.ts";

const { createAccount, devnet } = drivesForTests();

const page = "https://app.example/open";
const text = (content: Uint8Array) => new TextDecoder().decode(content);
const invalid = (problem: RegExp) => ({ code: "INVALID_LINK", message: expect.stringMatching(problem) });

/** Alice, with one file in her drive. */
async function createOwner() {
  const alice = await createAccount();
  const { drive } = await alice.open();
  const [file] = await drive.add(bytes("sun"), { name: "Sommer 🌞 & Meer.jpg" });
  if (!file) throw new Error("Nothing was added");
  return { alice, drive, file };
}

/** Opens a link as somebody who has no account. */
async function open(url: string, password?: string): Promise<string> {
  const { cid, signer, commitment, chunkProfile } = await openLink(url, { password });
  const kit = createKit({ signer, endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0 });
  return text(await kit.decrypt(cid, { commitment, chunkProfile }));
}

const refused = { code: "NODE_REFUSED" };

test("a link opens its file under its real name, without an account, until it is ended", async () => {
  const { drive, file } = await createOwner();
  const link = await drive.createLink(file, { page });
  expect(link).toMatchObject({ cid: file.cid, name: file.name });
  expect(link.url).toMatch(/^https:\/\/app\.example\/open#keeplight=2&/);
  expect(drive.listLinks()).toEqual([link]);
  expect(await openLink(link.url)).toMatchObject({ cid: file.cid, name: file.name, commitment: file.commitment });
  expect(await open(link.url)).toBe("sun");
  await drive.endLink(link);
  expect(drive.listLinks()).toEqual([]);
  await expect(open(link.url)).rejects.toMatchObject(refused);
  await expect(drive.endLink(link.id)).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

test("each link is ended alone, on whichever device", async () => {
  const { alice, drive, file } = await createOwner();
  const [first, second] = [await drive.createLink(file, { page }), await drive.createLink(file, { page })];
  await drive.sync();
  const { drive: phone } = await alice.open();
  expect(phone.listLinks().map(({ url }) => url)).toEqual([second?.url, first?.url]);
  await phone.endLink(first?.id ?? "");
  await phone.sync();
  await drive.sync();
  expect(drive.listLinks()).toEqual([second]);
  await expect(open(first.url)).rejects.toMatchObject(refused);
  expect(await open(second.url)).toBe("sun");
});

test("a link with a password opens with that password only, of which nothing is in it", async () => {
  const { drive, file } = await createOwner();
  const password = "Grüße vom Meer";
  const { url } = await drive.createLink(file, { page, password });
  expect(decodeURIComponent(url)).not.toContain("Grüße");
  await expect(openLink(url)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  for (const wrong of ["grüße vom Meer", "", `${password} `]) {
    await expect(openLink(url, { password: wrong })).rejects.toMatchObject(invalid(/password/));
  }
  expect(await open(url, password.normalize("NFD"))).toBe("sun");
  await expect(drive.createLink(file, { page, password: "1234567" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(drive.listLinks()).toHaveLength(1);
});

test("a link ends by itself: it says so, and the next sync of any device revokes it", async () => {
  const { alice, drive, file } = await createOwner();
  const link = await drive.createLink(file, { page, endsAfterMs: 3_600_000 });
  const lasting = await drive.createLink(file, { page });
  const { signer, commitment } = await openLink(link.url);
  await drive.sync();
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 3_600_000);
  await expect(openLink(link.url)).rejects.toMatchObject(invalid(/ended/));
  const kit = createKit({ signer, endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0 });
  // Who does not care for what it says is refused once a device of its owner was there.
  expect(text(await kit.decrypt(file.cid, { commitment }))).toBe("sun");
  const { drive: phone } = await alice.open();
  await phone.sync();
  await eventually(() => expect(phone.listLinks().map(({ id }) => id)).toEqual([lasting.id]));
  await expect(kit.decrypt(file.cid, { commitment })).rejects.toMatchObject(refused);
  for (const endsAfterMs of [0, -1, 1.5, Number.NaN]) {
    await expect(drive.createLink(file, { page, endsAfterMs })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  }
});

test("whatever is changed in a link is noticed", async () => {
  const facts = {
    cid: "Qm".padEnd(46, "a"),
    name: "letter.pdf",
    commitment: "ab".repeat(32),
    endsAt: 4_000_000_000_000,
  };
  const { link } = await formatLink(page, facts, undefined);
  await expect(readLink(link, undefined, 0)).resolves.toMatchObject({ facts });
  const changes: [string | RegExp, string][] = [
    ["letter.pdf", "other.pdf"],
    ["&name=letter.pdf", ""],
    ["ab".repeat(32), "ac".repeat(32)],
    [`&commitment=${"ab".repeat(32)}`, ""],
    ["4000000000000", "5000000000000"],
    ["&endsAt=4000000000000", ""],
    ["Qmaa", "Qmab"],
    [/check=./, "check=_"],
    [/secret=../, "secret=__"],
    ["keeplight=2", "keeplight=3"],
    ["&check", "&chunkProfile=other&check"],
    ["&check", "&name=again&check"],
    ["&check", "&more=1&check"],
    [/&check=.*/, ""],
    [/#.*/, ""],
    [/secret=[^&]*/, "secret="],
    ["letter.pdf", ".."],
    ["letter.pdf", "a%00b"],
  ];
  for (const [from, to] of changes) {
    const changed = link.replace(from, to);
    expect(changed, String(from)).not.toBe(link);
    await expect(readLink(changed, undefined, 0), changed).rejects.toMatchObject({ code: "INVALID_LINK" });
  }
  for (const none of ["", page, `${link}${"a".repeat(8_200)}`, undefined, 7]) {
    expect(isLink(none)).toBe(false);
    await expect(readLink(none, undefined, 0)).rejects.toMatchObject({ code: "INVALID_LINK" });
  }
});

test("the published vectors are opened", async () => {
  const fields =
    "&cid=bafkreidon73zkcrwdb5iafqtijxildoonbwnpv7dyd6ef3qdgads2jc4su&name=summer.jpg" +
    `&commitment=${"ab".repeat(32)}&endsAt=4000000000000&check=2JcUQx8mdtD8XIvCaFqFtkwZOPLNvvFMnzL-0XhrnJo`;
  const secrets: [string, string | undefined][] = [
    ["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", undefined],
    [
      "AQEBAQEBAQEBAQEBAQEBAQICAgICAgICAgICArHXIr2ofx8KuUsN13mK_hUFIPmXHjYcST9ctLdgsr7PMyS6FdY6hi4LUFWmedCD2w",
      "12345678",
    ],
  ];
  for (const [secret, password] of secrets) {
    const { facts, privateKey } = await readLink(`${page}#keeplight=2&secret=${secret}${fields}`, password, 0);
    expect(facts).toMatchObject({ name: "summer.jpg", commitment: "ab".repeat(32), endsAt: 4_000_000_000_000 });
    const key = Buffer.from(privateKey).toString("hex");
    expect(key).toBe("4ee0b5451750cdbbcc0b1dd7d668d540da40ccabe72eef524be87a64b1f6e6a3");
    const signer = await createKeySigner(key);
    expect(await signer.getAddress()).toBe(new Wallet(key).address);
    for (const message of ["", "a", "ü".repeat(100)]) {
      expect(await signer.signMessage(message)).toBe(await new Wallet(key).signMessage(message));
    }
  }
});

test("a link that is made on an unsafe page, or of a folder, is refused, and none is listed", async () => {
  const { drive, file } = await createOwner();
  await drive.createFolder("Letters");
  for (const unsafe of [
    "http://app.example/",
    "https://a:b@app.example/",
    `${page}#x`,
    "",
    "javascript:1",
    undefined,
  ]) {
    await expect(drive.createLink(file, { page: unsafe as string })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  }
  await expect(drive.createLink("Letters", { page })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  expect(drive.listLinks()).toEqual([]);
  await expect(drive.createLink(file, { page: new URL("http://localhost:5173/open?x=1") })).resolves.toBeDefined();
});

test("a link whose share fails is listed and opens nothing; ending one that fails leaves it in the list", async () => {
  const { drive, file } = await createOwner();
  const action = { kind: "respond", status: 500 } as const;
  const faults = (method: string) =>
    devnet().faults.add({ service: "keyNodes", method, path: "/api/setSharedKey", action });
  let mend = faults("PUT");
  onTestFinished(() => mend());
  await expect(drive.createLink(file, { page })).rejects.toThrow();
  mend();
  const [failed] = drive.listLinks();
  await expect(open(failed?.url ?? "")).rejects.toMatchObject(refused);
  const link = await drive.createLink(file, { page });
  mend = faults("DELETE");
  await expect(drive.endLink(link)).rejects.toThrow();
  expect(drive.listLinks().map(({ id }) => id)).toContain(link.id);
  mend();
  for (const each of drive.listLinks()) await drive.endLink(each);
  expect(drive.listLinks()).toEqual([]);
  await expect(open(link.url)).rejects.toMatchObject(refused);
});

test("a file that is removed for good ends the links to all of its versions, and no other", async () => {
  const { drive, file } = await createOwner();
  await drive.add(bytes("moon"), { name: "kept.jpg" });
  const kept = await drive.createLink("kept.jpg", { page });
  const links = [await drive.createLink(file, { page })];
  await drive.add(bytes("rain"), { name: file.name });
  links.push(await drive.createLink(file.name, { page }));
  await drive.remove(await drive.trash(file.name));
  expect(drive.listLinks()).toEqual([kept]);
  for (const { url } of links) await expect(open(url)).rejects.toMatchObject(refused);
  expect(await open(kept.url)).toBe("moon");
});

test("the links of a file that has another owner leave the list once it does not share the file with them", async () => {
  const { alice, drive, file } = await createOwner();
  const bob = await createAccount();
  const link = await drive.createLink(file, { page });
  await alice.kit.kavachTransferOwnership(file.cid, { newOwner: bob.own.signer.address, resetSharedTo: false });
  await expect(drive.endLink(link)).rejects.toMatchObject({ code: "NODE_REFUSED" });
  expect(drive.listLinks()).toEqual([link]);
  const { signer } = await openLink(link.url);
  await bob.kit.kavachRevoke(file.cid, { revokeTo: await signer.getAddress() });
  await drive.endLink(link);
  expect(drive.listLinks()).toEqual([]);
});

test("a link that is received takes the place of no other one, whatever it claims", async () => {
  const { drive, file } = await createOwner();
  const bob = await createAccount();
  const link = await drive.createLink(file, { page, endsAfterMs: 3_600_000 });
  const check = new URLSearchParams(link.url).get("check") ?? "";
  const fields = new URLSearchParams({ keeplight: "2", cid: file.cid, name: "b.exe", secret: "A".repeat(102), check });
  const forged = `https://evil.example/#${fields}`;
  const { drive: phone } = await bob.open();
  await phone.receive(link.url);
  await phone.receive(forged);
  await phone.receive(link.url);
  expect(phone.listReceived().map(({ name, link: kept }) => [name, kept])).toEqual([
    [file.name, link.url],
    ["b.exe", forged],
  ]);
  for (const each of [link.url, forged]) await drive.receive(each);
  expect(drive.listLinks()).toEqual([link]);
  expect(drive.listReceived()).toHaveLength(2);
  await drive.endLink(link);
  await expect(open(link.url)).rejects.toMatchObject(refused);
  // One whose page has such a parameter is another link as well.
  const odd = `${page}?check=${"a".repeat(43)}`;
  await drive.createLink(file, { page: odd });
  await drive.createLink(file, { page: odd });
  expect(drive.listLinks()).toHaveLength(2);
});

test("a link that another device ends while it is being created ends, late", async () => {
  const { alice, drive, file } = await createOwner();
  const { drive: phone } = await alice.open();
  const mend = devnet().faults.add({
    service: "keyNodes",
    method: "PUT",
    path: "/api/setSharedKey",
    action: { kind: "delay", ms: 1_000 },
  });
  onTestFinished(mend);
  const creating = drive.createLink(file, { page });
  await eventually(() => expect(drive.listLinks()).toHaveLength(1));
  await drive.sync();
  await phone.sync();
  await phone.endLink(phone.listLinks()[0] ?? "");
  await phone.sync();
  const { url } = await creating;
  await drive.sync();
  expect(drive.listLinks()).toEqual([]);
  await eventually(() => expect(open(url)).rejects.toMatchObject(refused));
});

test("a link that is ended while it is being created is ended once it is shared", async () => {
  const { drive, file } = await createOwner();
  const action = { kind: "delay", ms: 1_000 } as const;
  const fault = { service: "keyNodes", method: "PUT", path: "/api/setSharedKey", action } as const;
  onTestFinished(devnet().faults.add(fault));
  const creating = drive.createLink(file, { page });
  await eventually(() => expect(drive.listLinks()).toHaveLength(1));
  await drive.endLink(drive.listLinks()[0] ?? "");
  const { url } = await creating;
  expect(drive.listLinks()).toEqual([]);
  await expect(open(url)).rejects.toMatchObject(refused);
});

test.each([
  ["refuses", () => Promise.reject(new Error("rejected"))],
  ["never answers", () => new Promise<string>(() => undefined)],
])("a wallet that %s is asked once for all links whose time is over, and no sync waits for it", async (_, sign) => {
  const { alice, drive, file } = await createOwner();
  for (let at = 0; at < 3; at++) await drive.createLink(file, { page, endsAfterMs: 60_000 });
  await drive.sync();
  // Another device would end them.
  await drive.close();
  let prompts = 0;
  const { address } = alice.own.signer;
  const signer = {
    getAddress: async () => address,
    signMessage(message: string) {
      prompts++;
      return isOpen ? sign() : alice.own.signer.signMessage(message);
    },
  };
  let isOpen = false;
  const folder = await scratch();
  const { drive: first } = await alice.open(folder);
  await first.close();
  isOpen = true;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { drive: phone } = await alice.open(folder, { signer });
  for (let at = 0; at < 3; at++) await phone.sync();
  await eventually(() => expect(prompts).toBe(1));
  await phone.sync();
  expect(prompts).toBe(1);
  expect(phone.listLinks()).toHaveLength(3);
});

test("a closed drive creates and ends no link", async () => {
  const { drive, file } = await createOwner();
  const link = await drive.createLink(file, { page });
  await drive.close();
  const closed = { code: "INVALID_OPTION" };
  await expect(drive.createLink(file, { page })).rejects.toMatchObject(closed);
  await expect(drive.endLink(link)).rejects.toMatchObject(closed);
  expect(await open(link.url)).toBe("sun");
});

test("options that no link has are refused, and two sealed secrets have nothing in common", async () => {
  const { drive, file } = await createOwner();
  const options: unknown[] = [
    undefined,
    null,
    { page: `${page}?${"a".repeat(2_048)}` },
    { page, password: "\ud800".repeat(8) },
    { page, password: "e\u0301".repeat(4) },
    { page, password: 12_345_678 },
    { page, endsAfterMs: Number.MAX_SAFE_INTEGER },
  ];
  for (const each of options) {
    await expect(drive.createLink(file, each as never)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  }
  expect(drive.listLinks()).toEqual([]);
  const password = "a long password";
  const secretOf = async () =>
    new URLSearchParams((await drive.createLink(file, { page, password })).url).get("secret");
  const [one = "", other = ""] = [await secretOf(), await secretOf()];
  const { url } = drive.listLinks()[0] as { url: string };
  for (const each of [null, { password: null }, { password: 12_345_678 }]) {
    await expect(openLink(url, each as never)).rejects.toMatchObject({ code: "INVALID_OPTION" });
  }
  const differ = Array.from(one ?? "", (character, at) => character !== other?.[at]).filter(Boolean).length;
  expect(differ).toBeGreaterThan(80);
  const [salts, ivs] = [0, 22].map((at) => new Set([one, other].map((each) => each?.slice(at, at + 15))));
  expect([salts?.size, ivs?.size]).toEqual([2, 2]);
});

test.each([
  ["too short", "1234"],
  ["zero", "0".repeat(64)],
  ["the order of the curve", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"],
  ["not hex", "z".repeat(64)],
])("a private key that is %s is refused, and not repeated", async (_, key) => {
  const error = await createKeySigner(key).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "INVALID_OPTION" });
  expect(String(error)).not.toContain(key);
});

test("a received link is kept with its secret, which nothing prints, and opens until it is ended", async () => {
  const { drive, file } = await createOwner();
  const bob = await createAccount();
  const link = await drive.createLink(file, { page });
  const sealed = await drive.createLink(file, { page, password: "12345678" });
  const { drive: phone } = await bob.open();
  await phone.receive(link.url);
  await phone.receive(sealed.url);
  await expect(phone.receive(link.url.replace("Sommer", "Winter"))).rejects.toMatchObject(invalid(/changed/));
  await phone.sync();
  const { drive: laptop } = await bob.open();
  const listed = laptop.listReceived();
  expect(listed.map(({ name, from, mimeType }) => [name, from, mimeType])).toEqual(
    [0, 1].map(() => [file.name, undefined, "image/jpeg"]),
  );
  expect(await open(listed[1]?.link ?? "")).toBe("sun");
  expect(await open(listed[0]?.link ?? "", "12345678")).toBe("sun");
  for (const shown of [inspect([...listed, ...drive.listLinks()]), JSON.stringify([listed, drive.listLinks()])]) {
    expect(shown).not.toContain("secret=");
  }
  await drive.endLink(link);
  await expect(open(link.url)).rejects.toMatchObject(refused);
  await laptop.removeReceived(listed[1] ?? "");
  expect(laptop.listReceived()).toHaveLength(1);
  // None of them is a link of the account itself; and the account's own is none that it received.
  expect(laptop.listLinks()).toEqual([]);
  expect(drive.listReceived()).toEqual([]);
  const [own] = drive.listLinks();
  await expect(drive.removeReceived(own?.id ?? "")).rejects.toMatchObject({ code: "INVALID_OPTION" });
});

test("a link is of the version that it was made of, and of no other file of its owner", async () => {
  const { alice, drive, file } = await createOwner();
  const { url } = await drive.createLink(file, { page });
  const [next] = await drive.add(bytes("rain"), { name: file.name });
  expect(next?.id).toBe(file.id);
  expect(await open(url)).toBe("sun");
  const { signer } = await openLink(url);
  const stranger = createKit({ signer, endpoints: devnet().endpoints, pauseMs: 0, retryMs: 0 });
  await expect(stranger.decrypt(next?.cid ?? "")).rejects.toMatchObject(refused);
  await expect(stranger.kavachShare(file.cid, { shareTo: alice.own.signer.address })).rejects.toThrow();
});
