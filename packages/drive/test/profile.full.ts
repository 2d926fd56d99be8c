import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { createOwner, openPageRig, type PageRig } from "./page-rig.ts";

const devnet = devnetForTests();
let rig: PageRig;

beforeAll(async () => {
  rig = await openPageRig();
}, 600_000);

afterAll(() => rig?.close());

/** Compressed files repeat nothing that they had before: so that is looked for in pieces. */
const PIECE = 12;

/** All bytes in which a text, or a piece of it, is found: as it is, in UTF-16, and in lower case. */
function toNeedles(text: string): Buffer[] {
  const pieces = new Set<string>();
  for (const each of [text, text.toLowerCase(), encodeURIComponent(text)])
    for (let at = 0; at === 0 || at + PIECE <= each.length; at += PIECE) pieces.add(each.slice(at, at + PIECE));
  return [...pieces].flatMap((piece) => [Buffer.from(piece, "utf8"), Buffer.from(piece, "utf16le")]);
}

/** The bytes of a file, and what is compressed in it. */
function* readParts(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  for (let at = bytes.indexOf("1f8b08", 0, "hex"); at >= 0; at = bytes.indexOf("1f8b08", at + 1, "hex")) {
    try {
      yield gunzipSync(bytes.subarray(at));
    } catch {
      // It only looks like it.
    }
  }
}

/** Where each secret is in a folder, by its name. */
async function findSecrets(
  folder: string,
  secrets: Readonly<Record<string, Buffer[]>>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = Object.fromEntries(Object.keys(secrets).map((name) => [name, []]));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const bytes = entry.isFile() ? await readFile(path) : Buffer.alloc(0);
    const parts = [Buffer.from(entry.name), ...readParts(bytes)];
    for (const [name, needles] of Object.entries(secrets))
      if (parts.some((part) => needles.some((needle) => part.includes(needle))))
        found[name]?.push(relative(folder, path));
  }
  return found;
}

test("the profile of a browser has no name and no key of a drive that was used in it", async () => {
  const { signer, apiKey, inPage, kit, open } = await createOwner(devnet().endpoints, "my-journal");
  const { privateKey, address } = signer;
  const names = {
    folder: "Redundancies-in-Autumn",
    files: ["Quarterly-Salaries-2026.xlsx", "Letter-to-the-Notary.pdf"],
    search: "notary",
    renamed: "Severance-Payments-2026.xlsx",
  };
  const control = "What-anyone-may-read-2026";
  expect(await rig.run("workPrivately", inPage, { ...names, control })).toEqual([`${names.folder}/${names.files[1]}`]);
  await rig.stop("close");
  const drive = await open();
  expect(drive.find(`${names.folder}/${names.renamed}`)).toBeDefined();
  const { key } = JSON.parse(new TextDecoder().decode(await kit.decrypt(drive.id))) as { key: string };
  await drive.close();

  const texts = {
    control,
    "name of the journal": inPage.journal,
    folder: names.folder,
    "first file": names.files[0] ?? "",
    "second file": names.files[1] ?? "",
    "new name": names.renamed,
    "key of the drive": key,
    "private key": privateKey.slice(2),
    "API key": apiKey,
    account: address.slice(2),
  };
  const secrets = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, toNeedles(text)]));
  secrets["bytes of the key"] = [Buffer.from(key, "hex")];
  const found = await findSecrets(rig.profile, secrets);
  console.log(found);
  await rig.start();
  const { control: seen, "name of the journal": database, ...hidden } = found;
  // Else nothing would be found at all.
  expect(seen).not.toEqual([]);
  expect(database).not.toEqual([]);
  expect(hidden).toEqual(Object.fromEntries(Object.keys(hidden).map((name) => [name, []])));
});

test("the profile has nothing in clear of an account that was signed in and out", async () => {
  const { signer, inPage } = await createOwner(devnet().endpoints, "unused");
  const work = {
    folder: "Minutes-of-the-Board",
    files: ["Takeover-of-the-Brewery.pdf", "Pension-Deficit-2027.xlsx"],
    search: "",
    renamed: "",
    control: "",
  };
  const { apiKey, linkKey, linkSecret, status } = await rig.run("signInAndOut", inPage, work);
  expect([status, linkKey.length, linkSecret.length]).toEqual(["signed-out", 64, 43]);
  await rig.stop("close");
  const texts = {
    folder: work.folder,
    "first file": work.files[0] ?? "",
    "second file": work.files[1] ?? "",
    "API key": apiKey,
    "key of a link": linkKey,
    "secret of a link": linkSecret,
    "private key": signer.privateKey.slice(2),
    account: signer.address.slice(2),
    "sign-in to the key nodes": "jwt:ey",
  };
  const secrets = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, toNeedles(text)]));
  secrets["bytes of the link's key"] = [Buffer.from(linkKey, "hex")];
  const found = await findSecrets(rig.profile, secrets);
  console.log(found);
  await rig.start();
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
});
