import type { Readable } from "node:stream";
import { DataStore, ERRORS, Upload } from "@tus/server";
import { limitTime } from "keeplight/parts";
import type { ResolvedLimits } from "../limits.ts";
import type { Spool } from "./spool.ts";

/** The store of one request of the tus server: a spool, with the limits that a new upload gets. */
export class TusStore extends DataStore {
  readonly #spool: Spool;
  readonly #limits: ResolvedLimits;
  readonly #maxAgeMs: number;

  /** @param maxAgeMs - for how long an upload waits for its next byte, in milliseconds */
  constructor(spool: Spool, limits: ResolvedLimits, maxAgeMs: number) {
    super();
    this.#spool = spool;
    this.#limits = limits;
    this.#maxAgeMs = maxAgeMs;
    this.extensions = ["creation", "termination", "expiration"];
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size = 0, metadata = {} } = upload;
    await this.#spool.create(id, { version: 1, size, metadata, limits: this.#limits });
    upload.creation_date = new Date().toISOString();
    return upload;
  }

  /** An upload that has ended is complete; one that is complete does not expire before it has ended. */
  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#spool.read(id);
    if (!record) throw ERRORS.FILE_NOT_FOUND;
    const { size, metadata, stored, refused } = record;
    const offset = stored || refused ? size : await this.#spool.countArrived(id);
    const changed = new Date(await this.#spool.lastChange(id)).toISOString();
    return new Upload({ id, size, offset, metadata, ...(offset < size && { creation_date: changed }) });
  }

  override async write(bytes: Readable, id: string, offset: number): Promise<number> {
    const time = limitTime({ method: "PATCH", url: id }, this.#limits, (error) => bytes.destroy(error));
    async function* withinTime(): AsyncGenerator<Uint8Array> {
      time.expect();
      // Destroyed before its reader's error is known, it would be taken for a request that was aborted.
      for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
        time.rest();
        yield chunk;
        time.expect();
      }
    }
    try {
      return await this.#spool.write(id, offset, withinTime());
    } finally {
      time.end();
    }
  }

  /** Only before it is complete: what may be stored by now cannot be taken back here. */
  override async remove(id: string): Promise<void> {
    const { offset, size } = await this.getUpload(id);
    if (offset === size) throw ERRORS.INVALID_TERMINATION;
    await this.#spool.remove(id);
  }

  override getExpiration(): number {
    return this.#maxAgeMs;
  }
}
