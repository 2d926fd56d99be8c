import { isKeeplightError, type UploadedFiles } from "keeplight";
import {
  createProgress,
  formatCid,
  hashFile,
  invalidResponse,
  isKnown,
  type Link,
  planFolders,
  type ResolvedUpload,
  readUploadResponse,
  resolveCall,
  resolveRoute,
  send,
  TRANSFER_TIMEOUT_MS,
  toNodeName,
  UPLOAD_STAGES,
} from "keeplight/parts";
import type { RowChange } from "../ledger/types.ts";
import type { BatchFile } from "./batch-files.ts";
import type { BatchSender, Sender } from "./run-batch.ts";
import { verifyNames } from "./verify-names.ts";

const progress = createProgress(undefined, UPLOAD_STAGES);

/**
 * Creates what sends batches of files as they are. Each batch is stored as one folder, whose content id covers all of its
 * files: the upload node's response is accepted only if it names the id that was computed while the files were sent.
 */
export function createPlainSender({ timeoutMs, idleTimeoutMs, endpoints, ...upload }: ResolvedUpload): Sender {
  const { cidVersion } = upload;
  const sender: BatchSender = {
    async recover(_rows, files, signal) {
      if (files.length === 0) return [];
      const hashed = await hashFolder(files, cidVersion, signal);
      for (const root of hashed?.roots ?? []) {
        if (!(await isKnown(root, { signal, timeoutMs, idleTimeoutMs, endpoints }))) continue;
        return files.map((file) => toStored(file, hashed?.getCid(file.name), root));
      }
      return [];
    },
    prepare: async () => undefined,
    async send(files, signal) {
      const call = resolveCall({ signal, timeoutMs, idleTimeoutMs, endpoints }, TRANSFER_TIMEOUT_MS);
      const route = await resolveRoute({ ...upload, ...call });
      const verified = await verifyNames(files, { cidVersion, signal });
      const response = await send(
        { files: verified.files, route, cidVersion, wrapWithDirectory: undefined, progress },
        call,
      );
      const stored = readUploadResponse(response);
      await verified.verify(stored);
      const known = files.map((file) => ({ file, cid: verified.getCid(file.name) }));
      if (known.some(({ cid }) => cid === undefined)) {
        throw invalidResponse(response.facts, "The upload node responded before it had all files");
      }
      const root = findRoot(stored, files);
      return known.map(({ file, cid }) => toStored(file, cid, root));
    },
    saveKeys: async () => [],
    settle: async () => undefined,
    close: async () => undefined,
  };
  return { open: async () => undefined, startBatch: async () => sender };
}

function toStored({ row }: BatchFile, cid: string | undefined, root: string | undefined): RowChange {
  return {
    index: row.index,
    from: "sent",
    to: "stored",
    ...(cid === undefined ? {} : { cid }),
    ...(root === undefined ? {} : { root }),
  };
}

/** Returns the content id of the folder that contains all files, if the node has named it. */
function findRoot(stored: UploadedFiles, [file]: readonly BatchFile[]): string | undefined {
  const [folder = ""] = file?.name.split("/") ?? [];
  const findCid = (name: string) => stored.find(({ Name }) => Name === name)?.Hash;
  return findCid(folder) ?? findCid(toNodeName(folder));
}

/**
 * Computes the content ids of files, and of the folder that contains them, under their own names and under what a node may
 * decode those to; `undefined` if a file cannot be read.
 */
async function hashFolder(files: readonly BatchFile[], cidVersion: 0 | 1, signal: AbortSignal) {
  const links = new Map<string, Link>();
  try {
    for (const file of files) {
      const hasher = hashFile(cidVersion);
      for await (const chunk of file.open(signal, true)) await hasher.update(chunk);
      links.set(file.name, await hasher.finish());
    }
  } catch (error) {
    // Sending it fails for the same reason, which is recorded then.
    if (isKeeplightError(error) && error.code !== "ABORTED") return undefined;
    throw error;
  }
  const roots = new Set<string>();
  for (const toName of [(name: string) => name, toNodeName]) {
    const named = new Map(Array.from(links, ([name, link]) => [toName(name), link]));
    const root = await hashRoot(named, cidVersion);
    if (root !== undefined) roots.add(root);
  }
  const getCid = (name: string) => {
    const link = links.get(name);
    return link && formatCid(link.cid);
  };
  return { roots, getCid };
}

/** Computes the content id of the folder that all files are in. */
async function hashRoot(links: ReadonlyMap<string, Link>, cidVersion: 0 | 1): Promise<string | undefined> {
  const names = [...links.keys()];
  const [folder = ""] = names[0]?.split("/") ?? [];
  const root = (await planFolders(names, cidVersion, false)(links)).get(folder);
  return root && formatCid(root.cid);
}
