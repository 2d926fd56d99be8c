import { randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { createTemporaryPath, withWriteErrors } from "keeplight/parts/node";
import { encrypt, type RepositoryKeys, SALT_BYTES, TAG_BYTES } from "./keys.ts";
import {
  createPackHeader,
  PACK_HEADER_BYTES,
  type PackDirectory,
  type PackedChunk,
  sealDirectory,
} from "./pack-format.ts";

/** A pack that is being written to the disk: its ciphertext only. */
export class PackWriter {
  readonly path: string;
  readonly directory: PackDirectory = { createdAt: Date.now(), chunks: [] };
  size = PACK_HEADER_BYTES;
  readonly #key: Uint8Array;
  readonly #handle: FileHandle;
  /** Writes one after another: a chunk is where the directory says. */
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle, key: Uint8Array) {
    [this.path, this.#handle, this.#key] = [path, handle, key];
  }

  /** @throws `CANNOT_WRITE` */
  static async create(folder: string, keys: RepositoryKeys): Promise<PackWriter> {
    const path = createTemporaryPath(folder);
    const salt = randomBytes(SALT_BYTES);
    const handle = await withWriteErrors(path, () => open(path, "wx", 0o600));
    const writer = new PackWriter(path, handle, keys.deriveKey("pack", salt));
    void writer.#write(createPackHeader(salt));
    return writer;
  }

  /**
   * Adds a chunk.
   *
   * @param encoded - its bytes, compressed or not
   * @returns resolves once it is written
   */
  add(id: string, size: number, encoded: Uint8Array): Promise<void> {
    const { chunks } = this.directory;
    const chunk: PackedChunk = {
      id,
      number: chunks.length,
      at: this.size,
      sealed: encoded.length + TAG_BYTES,
      size,
    };
    chunks.push(chunk);
    this.size += chunk.sealed;
    return this.#write(encrypt(this.#key, chunk.number, encoded));
  }

  /** Writes the directory, and closes the file. */
  async finish(): Promise<void> {
    await this.#write(sealDirectory(this.directory, this.#key));
    await this.#handle.close();
  }

  /** Removes the file, closed or not. */
  async remove(): Promise<void> {
    await this.#written.catch(() => undefined);
    await this.#handle.close().catch(() => undefined);
    await rm(this.path, { force: true });
  }

  #write(bytes: Uint8Array): Promise<void> {
    const written = this.#written.then(() => withWriteErrors(this.path, () => this.#handle.appendFile(bytes)));
    // It may fail while nothing waits for it; whatever is written next fails as well.
    written.catch(() => undefined);
    this.#written = written;
    return written;
  }
}
