import type { Devnet } from "../../packages/devnet/src/index.ts";
import { decrypt, type EncryptedFolder, readEncryptedFolder, uploadEncryptedFolder } from "../../src/index.ts";
import { as } from "../kavach/saved-keys.ts";
import { account, getApiKey } from "../support/devnet-wire.ts";

/** Files of a folder, by their paths in it. */
export type Tree = Readonly<Record<string, string>>;

/** Names that become one if `/` is replaced by `-`, an empty file, deep paths, names that are tricks. */
export const oddTree: Tree = {
  "a/b.txt": "in a",
  "a-b.txt": "not in a",
  "empty.bin": "",
  "deep/er/and/deeper.txt": "deep",
  "a+b.txt": "plus",
  "a b.txt": "space",
  "\u200egpj.exe": "marked",
  constructor: "a name",
};

/** Returns a folder's files as a page gets them. */
export function toFiles(tree: Tree, folder = "Photos"): File[] {
  return Object.entries(tree).map(([path, text]) => {
    const file = new File([text], path.split("/").at(-1) ?? "", { lastModified: 1 });
    Object.defineProperty(file, "webkitRelativePath", { value: `${folder}/${path}` });
    return file;
  });
}

/** Options of calls of the devnet's nth wallet. */
export async function optionsOf(devnet: Devnet, n = 0) {
  return { ...as(devnet, n), apiKey: await getApiKey(devnet, account(devnet, n)), attempts: 1 };
}

export async function uploadTree(devnet: Devnet, tree: Tree, folder = "Photos"): Promise<EncryptedFolder> {
  return uploadEncryptedFolder(toFiles(tree, folder), await optionsOf(devnet));
}

/** Reads a folder and all of its files, as the devnet's nth wallet. */
export async function openTree(devnet: Devnet, cid: string, n = 0): Promise<{ name: string; tree: Tree }> {
  const { name, files } = await readEncryptedFolder(cid, as(devnet, n));
  const entries: [string, string][] = [];
  for (const { path, cid, commitment } of files) {
    entries.push([path, new TextDecoder().decode(await decrypt(cid, { ...as(devnet, n), commitment }))]);
  }
  return { name, tree: Object.fromEntries(entries) };
}
