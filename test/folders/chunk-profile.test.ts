import { expect, onTestFinished, test } from "vitest";
import { listEncryptedFolder } from "../../apps/web/src/folder/list-archive.ts";
import { openReceivedLink } from "../../apps/web/src/shared/open-received-link.ts";
import { createShareLink } from "../../packages/recovery/src/index.ts";
import { createKit, decrypt, type FolderFile, readEncryptedFolder, uploadEncryptedFolder } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { devnetForTests } from "../support/devnet-wire.ts";
import { failure } from "../support/failure.ts";
import { optionsOf, toFiles } from "./rig.ts";

const devnet = devnetForTests({ chunking: { chunkBytes: 1024, links: 4 } });
const chunkProfile = "1-1024-4";
const text = "private ".repeat(2_000);

/** Stores a folder at a node that splits files in its own way; no gateway sends blocks of it. */
async function storeFolder() {
  const options = await optionsOf(devnet());
  const tree = Object.fromEntries(Array.from("abcdefgh", (name) => [`${name}.txt`, text]));
  const folder = await uploadEncryptedFolder(toFiles(tree), options);
  onTestFinished(devnet().attacks.add({ kind: "refuse-blocks" }));
  return folder;
}

test("a folder that was split in another way is read by its chunk profile, or unverified", async () => {
  const { cid } = await storeFolder();
  const options = as(devnet(), 0);
  expect((await failure(readEncryptedFolder(cid, options))).code).toBe("NOT_VERIFIED");
  expect((await failure(readEncryptedFolder(cid, { ...options, chunkProfile: "1-2048-4" }))).code).toBe("NOT_VERIFIED");
  expect((await failure(readEncryptedFolder(cid, { ...options, chunkProfile: "1" }))).code).toBe("INVALID_OPTION");
  for (const accept of [{ chunkProfile }, { verifyCid: false }]) {
    expect((await readEncryptedFolder(cid, { ...options, ...accept })).files).toHaveLength(8);
  }
});

test("the web app verifies files of folders and links by their chunk profile", async () => {
  const { files } = await storeFolder();
  const kit = createKit(await optionsOf(devnet()));
  const open = async (listed: FolderFile[]) => {
    const [entry] = listEncryptedFolder(kit, { files: listed }, "").entries;
    return entry?.open?.(new AbortController().signal);
  };
  expect((await failure(open(files))).code).toBe("NOT_VERIFIED");
  const opened = await open(files.map((file) => ({ ...file, chunkProfile })));
  expect(await new Response(opened as BodyInit).text()).toBe(text);

  const [{ cid } = { cid: "" }] = files;
  const link = await createShareLink(cid, { ...as(devnet(), 0), page: "https://app.example/", chunkProfile });
  const { knownKey } = await openReceivedLink(link);
  const { endpoints } = devnet();
  expect(new TextDecoder().decode(await decrypt(cid, { ...knownKey, key: knownKey.key ?? "", endpoints }))).toBe(text);
});
