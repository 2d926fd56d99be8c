import { expect, test } from "vitest";
import {
  commitToKey,
  decrypt,
  type FolderFile,
  kavachGetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  openJournal,
  readEncryptedFolder,
  revokeEncryptedFolder,
  shareEncryptedFolder,
  uploadEncrypted,
} from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { optionsOf, uploadTree } from "./rig.ts";

const devnet = devnetForTests();
const [OWNER, FORGER, FRIEND] = [0, 1, 2];
const addressOf = (n: number) => account(devnet(), n).address;

/** Stores a manifest that another account wrote, and makes it the owner's; returns its content id. */
async function transferManifest(manifest: object): Promise<string> {
  const file = new File([JSON.stringify(manifest)], "Photos.aaaaaaaaaa.keeplight-folder.json");
  const [{ Hash }] = await uploadEncrypted(file, await optionsOf(devnet(), FORGER));
  await kavachTransferOwnership(Hash, { ...as(devnet(), FORGER), newOwner: addressOf(OWNER) });
  return Hash;
}

function toManifest(files: FolderFile[], proofs: string[]): object {
  const owner = addressOf(OWNER);
  return { type: "keeplight folder", version: 1, name: "Photos", owner, createdAt: 1, files, proofs };
}

async function listReaders(cid: string): Promise<string[]> {
  const { sharedTo } = await kavachGetAccessConditions(cid, { endpoints: devnet().endpoints });
  return sharedTo.map((address) => address.toLowerCase());
}

/** Expects that neither sharing nor revoking a folder changes anything, and that nothing is left open. */
async function expectRefused(cid: string): Promise<void> {
  const journal = await openJournal({ folder: await scratch() });
  const before = devnet().requests().length;
  const address = addressOf(FRIEND);
  const owner = { ...as(devnet(), OWNER), journal, attempts: 1 };
  expect((await failure(shareEncryptedFolder(cid, { ...owner, shareTo: address }))).code).toBe("INVALID_FOLDER");
  expect((await failure(revokeEncryptedFolder(cid, { ...owner, revokeTo: address }))).code).toBe("INVALID_FOLDER");
  const changes = devnet()
    .requests()
    .slice(before)
    .filter(({ method }) => method === "PUT" || method === "DELETE");
  expect(changes.filter(({ path }) => path.includes("setSharedKey"))).toEqual([]);
  expect(await journal.list()).toEqual([]);
}

test("a forged manifest that was transferred to an account changes access to none of its files", async () => {
  const [secret] = await uploadEncrypted(new File(["secret"], "diary.txt"), await optionsOf(devnet(), OWNER));
  const own = await uploadEncrypted(new File(["bait"], "bait.txt"), await optionsOf(devnet(), FORGER));
  const zeros = "0".repeat(64);
  const files = [own[0], secret].map(({ Hash }, at) => ({ path: `${at}.jpg`, cid: Hash, size: 6, commitment: zeros }));
  const cid = await transferManifest(toManifest(files, [zeros, zeros]));
  // Without the keys of the files it looks like any other folder of the owner.
  expect(await readEncryptedFolder(cid, as(devnet(), OWNER))).toMatchObject({ name: "Photos", files });
  await expectRefused(cid);
  expect(await listReaders(secret.Hash)).toEqual([]);
});

test("entries that a reader of a manifest copied from it prove nothing in another one", async () => {
  const { cid, files } = await uploadTree(devnet(), { "a.txt": "one", "b.txt": "two" });
  // Who may read only the manifest knows the commitments to keys, but not the keys.
  await kavachShare(cid, { ...as(devnet(), OWNER), shareTo: addressOf(FORGER) });
  const copied = JSON.parse(new TextDecoder().decode(await decrypt(cid, as(devnet(), FORGER))));
  expect(copied.proofs).toHaveLength(2);
  await expectRefused(await transferManifest({ ...copied, createdAt: 1 }));
  await expectRefused(await transferManifest({ ...copied, name: "Other" }));
  await expectRefused(await transferManifest({ ...copied, files: files.slice(1), proofs: copied.proofs.slice(1) }));
  for (const { cid } of files) expect(await listReaders(cid)).toEqual([]);
});

test("a commitment to another key than the file's is refused", async () => {
  const [secret] = await uploadEncrypted(new File(["secret"], "diary.txt"), await optionsOf(devnet(), OWNER));
  const commitment = await commitToKey(secret.Hash, "1".repeat(64));
  const file = { path: "a.jpg", cid: secret.Hash, size: 6, commitment };
  await expectRefused(await transferManifest(toManifest([file], [commitment])));
});
