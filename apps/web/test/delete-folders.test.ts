import { expect, test } from "vitest";
import { createKit, type Kit, type ListedFile, parseFolderName } from "../../../src/index.ts";
import { optionsOf, toFiles } from "../../../test/folders/rig.ts";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { groupFolders } from "../src/files/group-folders.ts";
import { planDeletion } from "../src/files/plan-deletion.ts";

const devnet = devnetForTests({ pageSize: 2, unkind: true });
const tree = { "one.txt": "1", "two.txt": "2", "below/three.txt": "3" };

let used = 0;

/** A kit of an account that no other test uses, with a folder; its list of files has several pages. */
async function openFolderOwner() {
  const kit = createKit(await optionsOf(devnet(), used++));
  const folder = await kit.uploadEncryptedFolder(toFiles(tree));
  const manifest = (await listFiles(kit)).find(({ cid }) => cid === folder.cid);
  const id = parseFolderName(manifest?.fileName ?? "")?.id ?? "";
  return { kit, folder, id, listed: folder.files.map(({ cid }) => cid).sort() };
}

async function listFiles(kit: Kit): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for await (const file of kit.iterateFiles()) files.push(file);
  return files;
}

async function store(kit: Kit, name: string): Promise<string> {
  const [{ Hash }] = await kit.uploadEncrypted(new File(["what someone gave me to store"], name));
  return Hash;
}

async function plan(kit: Kit, ...cids: string[]) {
  const { shown } = groupFolders(await listFiles(kit));
  const chosen = shown.filter(({ cid }) => cids.includes(cid));
  const { below, unproven } = await planDeletion(kit, chosen, new AbortController().signal);
  return { below: below.map(({ cid }) => cid).sort(), unproven: [...unproven].sort() };
}

test("deleting a folder deletes all files that its manifest lists, on all pages of the list", async () => {
  const { kit, folder, listed } = await openFolderOwner();
  expect(await plan(kit, folder.cid)).toEqual({ below: listed, unproven: [] });
});

test("a file with a name of the folder that its manifest does not list stays", async () => {
  const { kit, folder, id, listed } = await openFolderOwner();
  const other = await store(kit, `${id}.photo.jpg`);
  expect(listed).not.toContain(other);
  expect(await plan(kit, folder.cid)).toEqual({ below: listed, unproven: [] });
});

test.each([
  ["", "the same name"],
  ["abcdefghij.", "a name that reads as a file of another folder, too"],
])("a file named %sx.ID.keeplight-folder.json takes no folder's place: %s", async (start) => {
  const { kit, folder, id, listed } = await openFolderOwner();
  const forged = await store(kit, `${start}x.${id}.keeplight-folder.json`);
  const { shown, members } = groupFolders(await listFiles(kit));
  expect(shown.map(({ cid }) => cid).sort()).toEqual([forged, folder.cid, ...listed].sort());
  expect(members.get(forged)).toEqual([]);
  expect(await plan(kit, forged)).toEqual({ below: [], unproven: [forged] });
  expect(await plan(kit, folder.cid)).toEqual({ below: [], unproven: [folder.cid] });
  const row = (await listFiles(kit)).find(({ cid }) => cid === forged);
  await kit.deleteFile(row?.id ?? "");
  expect(await plan(kit, folder.cid)).toEqual({ below: listed, unproven: [] });
});

test("an unreadable manifest deletes none of the files that have its id by chance", async () => {
  const { kit } = await openFolderOwner();
  await store(kit, "screenshot.one.png");
  const entry = await store(kit, "holiday.screenshot.keeplight-folder.json");
  expect(await plan(kit, entry)).toEqual({ below: [], unproven: [entry] });
});
