import { mapInOrder } from "../../base/async/parallel.ts";
import { malformedFile, notAFolder } from "../../base/errors/content.ts";
import { tooManyRows } from "../../base/errors/transport.ts";
import { cidNotVerifiable } from "../../base/errors/verification.ts";
import type { ResolvedCall } from "../../base/options.ts";
import { type BlockId, formatBlockId } from "./block-id.ts";
import { decodeNode, type FolderLink } from "./decode-node.ts";
import type { ReadBlock } from "./file-tree.ts";
import { openGateways } from "./gateways.ts";
import { createBlockReader, parseBlockId } from "./read-file.ts";
import { type FoundNode, formatPosition, readShard, resolvePath } from "./resolve-path.ts";

/** One entry of a public folder. */
export interface FolderEntry {
  /** Name in the folder: as its author wrote it, without slashes. */
  name: string;
  /** Content id, version 1 in base32. */
  cid: string;
  /** What it is; `other` is a symbolic link, or not of UnixFS. */
  type: "file" | "folder" | "other";
  /** Of a file, in bytes. Of a file that is one raw block, the size that its folder states; reading the file verifies it. */
  size?: number;
}

/** Entries whose blocks are fetched at the same time: the first block of a file says how large it is. */
const AHEAD = 16;

/** Deeper tries than the hash of a name allows. */
const MAX_DEPTH = 64;

/** Lists a public folder by its blocks; see the public function `listFolder`. */
export async function* listVerifiedFolder(
  cid: string,
  call: ResolvedCall,
  { path = "", maxRows }: { path?: string; maxRows: number },
): AsyncGenerator<FolderEntry, void, undefined> {
  const id = parseBlockId(cid);
  if (!id) throw cidNotVerifiable(cid);
  const readBlock = createBlockReader(openGateways(call));
  const { signal } = call;
  const folder = await resolvePath(id, path, (below) => readBlock(below, signal));
  if (folder.node.kind !== "folder" && folder.node.kind !== "shard") throw notAFolder(formatBlockId(folder.id));
  const links = listUniqueLinks(folder, (below) => readBlock(below, signal));
  const entries = mapInOrder(links, { limit: AHEAD, signal }, (link, end) =>
    describe(link, (below) => readBlock(below, end)),
  );
  let count = 0;
  for await (const entry of entries) {
    if (++count > maxRows) throw tooManyRows(maxRows);
    yield entry;
  }
}

/** Lists the links of a folder, each name once: seven blocks that repeat each other would list 256^7 entries. */
async function* listUniqueLinks(folder: FoundNode, readBlock: ReadBlock): AsyncGenerator<FolderLink> {
  const names = new Set<string>();
  for await (const link of listLinks(folder, readBlock, { depth: 0, seen: new Set() })) {
    if (names.has(link.name)) throw malformedFile(formatBlockId(folder.id), "a name is in it twice");
    names.add(link.name);
    yield link;
  }
}

/** Lists the links of a folder, of all levels of a sharded one. `seen` has the parts that are listed already. */
async function* listLinks(
  { id, node }: FoundNode,
  readBlock: ReadBlock,
  { depth, seen }: { depth: number; seen: Set<string> },
): AsyncGenerator<FolderLink> {
  if (depth > MAX_DEPTH) throw malformedFile(formatBlockId(id), "it is nested too deeply");
  if (node.kind === "folder") {
    for (const link of node.links) yield { ...link, name: checkEntryName(link.name, id) };
  }
  if (node.kind !== "shard") return;
  const digits = formatPosition(0, node).length;
  for (const link of node.links) {
    if (link.name.length > digits) {
      yield { ...link, name: checkEntryName(link.name.slice(digits), id) };
      continue;
    }
    const part = formatBlockId(link.id);
    // Its entries would be there twice. One without entries could be there any number of times.
    if (seen.has(part)) throw malformedFile(formatBlockId(id), "a part of it is there twice");
    seen.add(part);
    const below = await readShard(link.id, id, readBlock);
    yield* listLinks({ id: link.id, node: below }, readBlock, { depth: depth + 1, seen });
  }
}

/** Names that could lead out of the folder are refused: no honest folder has them. */
function checkEntryName(name: string, folder: BlockId): string {
  if (name !== "" && name !== "." && name !== ".." && !name.includes("/")) return name;
  throw malformedFile(formatBlockId(folder), "a name in it is not one of a file");
}

async function describe({ id, name, treeBytes }: FolderLink, readBlock: ReadBlock): Promise<FolderEntry> {
  const cid = formatBlockId(id);
  // Small files are single blocks of bytes, which need not be fetched to know what they are.
  if (id.codec === "raw" && treeBytes !== undefined) return { name, cid, type: "file", size: treeBytes };
  const node = decodeNode(id.codec, await readBlock(id));
  if (node?.kind === "file") return { name, cid, type: "file", size: node.size };
  return { name, cid, type: node?.kind === "folder" || node?.kind === "shard" ? "folder" : "other" };
}
