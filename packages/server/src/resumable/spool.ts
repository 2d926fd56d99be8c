import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { UploadedFile } from "keeplight";
import { replaceFile, syncFolder, takeLock, withWriteErrors } from "keeplight/parts/node";
import type { ResolvedLimits } from "../limits.ts";

/** What the network has stored. */
export type StoredFile = Pick<UploadedFile, "Name" | "Hash" | "Size">;

/** What is known of an upload besides its bytes. */
export interface UploadRecord {
  version: 1;
  /** In bytes. */
  size: number;
  /** As the client has sent it (tus, `Upload-Metadata`). */
  metadata: Record<string, string | null>;
  /** What it may be, as `authorize` has decided when it was created. */
  limits: ResolvedLimits;
  /** When it was sent to the network for the first time, in milliseconds since 1970: it may be stored from then on. */
  sentAt?: number;
  /** What the network says it has stored, which is not proved yet: it is not sent again. */
  answered?: StoredFile;
  /** What the network has stored; its bytes are no longer here. */
  stored?: StoredFile;
  /** Since when that is known, in milliseconds since 1970. */
  storedAt?: number;
  /** The response to who asks for it: it is not going to be stored, or not as these bytes. */
  refused?: { status: number; body: unknown };
}

/** Whether nothing is going to happen to an upload any more. */
export const isEnded = ({ stored, refused }: UploadRecord): boolean => stored !== undefined || refused !== undefined;

/** Bytes after which what has arrived is flushed to the disk. */
const SYNC_BYTES = 8 * 1024 * 1024;

const READ_BYTES = 1024 * 1024;

const ID = /^[0-9a-f]{32}$/;

export type Spool = ReturnType<typeof openSpool>;

/**
 * Opens the folder where uploads are until the network has stored them: one folder for each, with its bytes, how many of them
 * survive a power cut, and its record. Nothing is written before the first upload.
 */
export function openSpool(folder: string) {
  const folderOf = (id: string) => join(folder, id);
  const bytesOf = (id: string) => join(folder, id, "bytes");
  const arrivedOf = (id: string) => join(folder, id, "arrived");
  const recordOf = (id: string) => join(folder, id, "record.json");

  async function save(id: string, record: UploadRecord): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    await withWriteErrors(folder, () => replaceFile(recordOf(id), bytes, { durable: true }));
  }

  /** Returns the record of an upload; `undefined` if there is none, or it was never created whole. */
  async function read(id: string): Promise<UploadRecord | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readFile(recordOf(id), "utf8").catch(ignoreMissing);
    return text === undefined ? undefined : (JSON.parse(text) as UploadRecord);
  }

  /** Returns how many bytes of an upload are here, and survive a power cut. */
  async function countArrived(id: string): Promise<number> {
    const [text, found] = await Promise.all([
      readFile(arrivedOf(id), "utf8").catch(ignoreMissing),
      stat(bytesOf(id)).catch(ignoreMissing),
    ]);
    return text !== undefined && /^\d+$/.test(text) ? Math.min(Number(text), found?.size ?? 0) : 0;
  }

  /** What writes to each upload now. */
  const writing = new Map<string, Promise<unknown>>();

  async function write(id: string, from: number, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const record = await read(id);
    // Nothing can follow; of an upload that has ended, the bytes are gone.
    if (!record || from === record.size) return from;
    let written = from;
    let synced = from;
    if (from !== (await countArrived(id))) throw new Error("Bytes follow those that have arrived");
    await withWriteErrors(folder, () => truncate(bytesOf(id), from));
    const bytes = await open(bytesOf(id), "r+");

    async function sync(): Promise<void> {
      if (synced === written) return;
      const reached = written;
      await bytes.datasync();
      await replaceFile(arrivedOf(id), new TextEncoder().encode(String(reached)), { durable: true });
      synced = reached;
    }

    try {
      for await (const chunk of chunks) {
        await withWriteErrors(folder, async () => {
          for (let at = 0; at < chunk.length; ) {
            const { bytesWritten } = await bytes.write(chunk, at, chunk.length - at, written);
            at += bytesWritten;
            written += bytesWritten;
          }
          if (written - synced >= SYNC_BYTES) await sync();
        });
      }
    } finally {
      await withWriteErrors(folder, sync).finally(() => bytes.close());
    }
    return written;
  }

  return {
    folderOf,
    read,
    countArrived,

    /** Takes a lock of an upload; `undefined` if another process has it, or there is no such upload. Throws `CANNOT_WRITE`. */
    takeLock: (id: string, name: "request" | "storing") =>
      withWriteErrors(folder, () => takeLock(folderOf(id), name).catch(ignoreMissing)),

    async has(id: string): Promise<boolean> {
      return (await read(id)) !== undefined;
    },

    /** Creates an upload, unless it is here. */
    async create(id: string, record: UploadRecord): Promise<void> {
      if (await read(id)) return;
      await withWriteErrors(folder, async () => {
        await mkdir(folderOf(id), { recursive: true, mode: 0o700 });
        await syncFolder(folder);
        await (await open(bytesOf(id), "w", 0o600)).close();
      });
      await save(id, record);
    },

    async update(id: string, changes: Partial<UploadRecord>): Promise<void> {
      const record = await read(id);
      if (record) await save(id, { ...record, ...changes });
    },

    /**
     * Writes bytes behind those that have arrived, in place of any that a power cut may have damaged. What has arrived when
     * `chunks` throws stays.
     *
     * @returns how many there are now
     * @throws `CANNOT_WRITE`; what `chunks` throws
     */
    write(id: string, from: number, chunks: AsyncIterable<Uint8Array>): Promise<number> {
      const result = write(id, from, chunks);
      const over = result.catch(() => undefined).then(() => void writing.delete(id));
      writing.set(id, over);
      return result;
    },

    /** Resolves once this process writes nothing to an upload. */
    untilWritten: async (id: string): Promise<void> => void (await writing.get(id)),

    /** Yields the bytes that have arrived. */
    open: (id: string): AsyncIterable<Uint8Array> => createReadStream(bytesOf(id), { highWaterMark: READ_BYTES }),

    /** Removes the bytes of an upload that has ended. */
    discardBytes: (id: string): Promise<void> => rm(bytesOf(id), { force: true }),

    async remove(id: string): Promise<void> {
      // Without its record an upload is unknown, even if the rest could not be removed.
      await rm(recordOf(id), { force: true });
      await rm(folderOf(id), { recursive: true, force: true });
    },

    /** Returns when anything of an upload was last written, in milliseconds since 1970. */
    async lastChange(id: string): Promise<number> {
      const times = await Promise.all(
        [recordOf(id), arrivedOf(id), bytesOf(id)].map((path) => stat(path).catch(ignoreMissing)),
      );
      const found = times.flatMap((each) => each?.mtimeMs ?? []);
      // The folder changes whenever somebody looks at the upload.
      return found.length > 0 ? Math.max(...found) : ((await stat(folderOf(id)).catch(ignoreMissing))?.mtimeMs ?? 0);
    },

    /** Lists the ids of all uploads, and of what remains of some. */
    async list(): Promise<string[]> {
      return ((await readdir(folder).catch(ignoreMissing)) ?? []).filter((name) => ID.test(name));
    },
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
