import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { deleteFile, type EndpointOptions, iterateFiles, type ListedFile } from "../../../src/index.ts";
import { account, getApiKey } from "../../../test/support/devnet-wire.ts";
import { scratch, writeTree } from "../../../test/support/files.ts";
import type { Devnet } from "../../devnet/src/index.ts";

/** Prepares a folder to back up, and the options of an account of its own. */
export async function prepareBackup(
  devnet: Devnet,
  files: Readonly<Record<string, string | Uint8Array>>,
  { accountNumber = 0, owner = account(devnet, accountNumber) } = {},
) {
  const place = await scratch();
  const folder = await writeTree(join(place, "letters"), files);
  const reader = { signer: new Wallet(owner.privateKey), endpoints: devnet.endpoints, pauseMs: 0 };
  const options = { ...reader, state: join(place, "state"), apiKey: await getApiKey(devnet, owner) };
  return { place, folder, options, reader };
}

/** Reads everything below a folder: what kind it is, its mode, time, content, and which names are one file. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  const first = new Map<bigint, string>();

  async function visit(place: string, path: string): Promise<void> {
    const found = await lstat(place, { bigint: true });
    const time = found.mtimeNs / 1_000_000n;
    const facts = `${(found.mode & 0o7777n).toString(8)} ${time}`;
    if (found.isSymbolicLink()) tree[path] = `link ${time} ${await readlink(place)}`;
    else if (found.isFile()) {
      const hash = createHash("sha256");
      hash.update(await readFile(place));
      const same = found.nlink > 1n ? (first.get(found.ino) ?? path) : path;
      if (!first.has(found.ino)) first.set(found.ino, path);
      tree[path] = `file ${facts} ${same} ${hash.digest("hex")}`;
    } else {
      if (path !== "") tree[path] = `folder ${facts}`;
      for (const name of (await readdir(place)).sort())
        await visit(join(place, name), path === "" ? name : `${path}/${name}`);
    }
  }

  await visit(folder, "");
  return tree;
}

/** Deletes files from the listing of an account. */
export async function deleteListed(
  { apiKey, endpoints }: { apiKey: string; endpoints: EndpointOptions },
  isChosen: (file: ListedFile) => boolean,
) {
  const chosen: ListedFile[] = [];
  for await (const file of iterateFiles({ apiKey, endpoints })) if (isChosen(file)) chosen.push(file);
  for (const { id } of chosen) await deleteFile(id, { apiKey, endpoints });
}
