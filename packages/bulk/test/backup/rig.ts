import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { account, getApiKey } from "../../../../test/support/devnet-wire.ts";
import { scratch, writeTree } from "../../../../test/support/files.ts";
import type { Devnet } from "../../../devnet/src/index.ts";

/** Prepares a folder to back up, and the options of an account that is new to it. */
export async function prepareBackup(devnet: Devnet, files: Readonly<Record<string, string | Uint8Array>>) {
  const place = await scratch();
  const folder = await writeTree(join(place, "letters"), files);
  const owner = account(devnet, 0);
  const options = {
    state: join(place, "state"),
    apiKey: await getApiKey(devnet, owner),
    signer: new Wallet(owner.privateKey),
    endpoints: devnet.endpoints,
    pauseMs: 0,
  };
  return { place, folder, options, reader: { signer: options.signer, endpoints: devnet.endpoints, pauseMs: 0 } };
}

/** Reads everything below a folder: what kind it is, its mode, time and content, by path. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};

  async function visit(place: string, path: string): Promise<void> {
    // Whole nanoseconds: a double rounds the last of a millisecond up to the next.
    const found = await lstat(place, { bigint: true });
    const facts = `${(found.mode & 0o777n).toString(8)} ${found.mtimeNs / 1_000_000n}`;
    if (found.isSymbolicLink()) tree[path] = `link ${await readlink(place)}`;
    else if (found.isFile())
      tree[path] = `file ${facts} ${createHash("sha256")
        .update(await readFile(place))
        .digest("hex")}`;
    else {
      if (path !== "") tree[path] = `folder ${facts}`;
      for (const name of await readdir(place)) await visit(join(place, name), path === "" ? name : `${path}/${name}`);
    }
  }

  await visit(folder, "");
  return tree;
}
