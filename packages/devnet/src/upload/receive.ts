import type { IncomingMessage } from "node:http";
import { readCar } from "../content/car.ts";
import { type Candidate, type Imported, type ImportShape, importTree } from "../content/importer.ts";
import type { Spool } from "../content/store.ts";
import { Refusal } from "../http/json.ts";
import { measureTrees } from "./measure.ts";
import { type FilePart, readPartPath, readParts } from "./parts.ts";

/** The context in which a body is received. */
export interface ReceiveContext {
  /** Receives the blocks. */
  spool: Spool;
  /** Maximum bytes of content. */
  allowance: number;
  /** Aborts when the connection closes. */
  signal: AbortSignal;
}

/** A received file or folder. The bytes of a folder are those of all files below it. */
export interface Entry extends Imported {
  mimeType: string | null;
}

/** The content of an upload. */
export interface Received {
  /** Files, then folders, each after its entries. */
  entries: readonly Entry[];
  /** Keys of the blocks to keep. Default all of the spool. */
  blocks?: Iterable<string>;
}

/**
 * Reads a multipart body: imports its files in one pass, without holding them in memory.
 *
 * @throws Refusal for a body that is malformed or too large; any other error if the connection ended early.
 */
export async function receive(
  incoming: IncomingMessage,
  { spool, allowance }: ReceiveContext,
  shape: ImportShape,
): Promise<Received> {
  const mimeTypes: (string | null)[] = [];
  const limit = createLimit(allowance);

  async function* listCandidates(parts: AsyncIterable<FilePart>): AsyncGenerator<Candidate> {
    for await (const { filename, mimeType, stream } of parts) {
      const path = readPartPath(filename);
      if (mimeType === "application/x-directory") {
        stream.resume();
        yield { path };
        continue;
      }
      mimeTypes.push(mimeType === "application/octet-stream" ? null : mimeType);
      yield { path, content: limit(stream) };
    }
  }

  const files: Entry[] = [];
  const folders: Entry[] = [];
  await readParts(incoming, async (parts) => {
    for await (const imported of importTree(listCandidates(parts), shape, spool.put)) {
      // the importer yields files in their original order
      if (imported.isFolder) folders.push({ ...imported, mimeType: null });
      else files.push({ ...imported, mimeType: mimeTypes[files.length] ?? null });
    }
  });
  if (files.length + folders.length === 0) throw new Refusal(400, NO_FILE);
  const byPath = new Map(folders.map((folder) => [folder.path, folder]));
  for (const { path, bytes } of files) {
    for (let above = getParent(path); above !== undefined; above = getParent(above)) {
      const folder = byPath.get(above);
      if (folder) folder.bytes += bytes;
    }
  }
  return { entries: [...files, ...folders] };
}

/**
 * Reads a multipart body with one CAR file, and verifies its blocks in the same pass. Only the roots are entries, and only
 * the blocks below them are kept; several roots are named by their content ids.
 *
 * @throws Refusal for a body that is malformed or too large; any other error if the connection ended early.
 */
export async function receiveCar(
  incoming: IncomingMessage,
  { spool, allowance, signal }: ReceiveContext,
): Promise<Received> {
  return readParts(incoming, async (parts) => {
    for await (const { filename, stream } of parts) {
      const name = readPartPath(filename);
      const listed = await readCar(createLimit(allowance)(stream), spool.put);
      const roots = [...new Map(listed.map((cid) => [String(cid.toV1()), cid])).values()];
      const readBlock = (cid: (typeof roots)[number]) => {
        signal.throwIfAborted();
        return spool.read(cid);
      };
      const { trees, blocks } = await measureTrees(roots, readBlock);
      if (trees.reduce((sum, { bytes }) => sum + bytes, 0) > allowance) throw dataLimitExceeded();
      const entries = trees.map(({ cid, kind, bytes, treeBytes }) => {
        const path = roots.length === 1 ? name : cid.toString();
        return { path, cid: cid.toString(), bytes, treeBytes, isFolder: kind === "folder", mimeType: null };
      });
      return { entries, blocks };
    }
    throw new Refusal(400, NO_FILE);
  });
}

/** Returns the files and folders that are in no folder of `entries`. */
export function findRoots(entries: readonly Entry[]): readonly Entry[] {
  const folders = new Set(entries.filter(({ isFolder }) => isFolder).map(({ path }) => path));
  return entries.filter(({ path }) => {
    const parent = getParent(path);
    return parent === undefined || !folders.has(parent);
  });
}

/** Returns the path of the parent folder: empty for the wrapping folder, `undefined` for its own parent. */
function getParent(path: string): string | undefined {
  return path === "" ? undefined : path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

const NO_FILE = "No file in the request";

const dataLimitExceeded = () => new Refusal(403, "Data limit exceeded");

/** Returns a function that passes chunks on, and refuses with 403 those above `allowance`, of all sources together. */
function createLimit(allowance: number) {
  let remaining = allowance;
  return async function* limit(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      remaining -= chunk.byteLength;
      if (remaining < 0) throw dataLimitExceeded();
      yield chunk;
    }
  };
}
