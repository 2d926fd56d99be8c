import { walkPath } from "ipfs-unixfs-exporter";
import type { CID } from "multiformats/cid";
import type { Block } from "../car/encode-car.ts";
import type { ContentStore } from "../content/store.ts";
import type { ReadBlock } from "../content/walk-tree.ts";
import { Refusal } from "../http/json.ts";

/** Resolves the names below a content key to a content key. */
export async function resolveNames(content: ContentStore, root: string, names: readonly string[]): Promise<string> {
  let key: string | undefined = root;
  for (const name of names) {
    const folder: Awaited<ReturnType<ContentStore["folder"]>> = await content.folder(key);
    key = folder && Object.hasOwn(folder, name) ? folder[name] : undefined;
    if (key === undefined) throw new Refusal(404, "Not Found");
  }
  return key;
}

/** Resolves the names below a content id by its blocks, and returns those that lead to the end, which is in none. */
export async function resolveByBlocks(
  readBlock: ReadBlock,
  root: CID,
  names: readonly string[],
): Promise<{ cid: CID; blocks: readonly Block[] }> {
  const blocks: Block[] = [];
  const blockstore = {
    async *get(cid: CID) {
      const bytes = await readBlock(cid);
      blocks.push({ cid, bytes });
      yield bytes;
    },
  };
  let cid = root;
  for (const name of names) {
    try {
      for await (const entry of walkPath(`${cid}/${name}`, blockstore)) cid = entry.cid;
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(404, "Not Found");
    }
  }
  return { cid, blocks };
}
