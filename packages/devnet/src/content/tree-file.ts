import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { type Block, encodeBlockHead, encodeHeader } from "../car/encode-car.ts";

/**
 * The blocks of an upload that its files do not contain: inner nodes, folders, and leaves in an unusual encoding. An
 * archive (CARv1) without roots.
 */
export interface TreeFile {
  path: string;
  add(block: Block): Promise<void>;
  /** Closes the file and returns its name in the store, which depends on its bytes only; `undefined` if it is empty. */
  finish(): Promise<string | undefined>;
  /** Closes the file; further calls have no effect. */
  close(): Promise<void>;
}

/** Creates an empty one in the folder `dir`. */
export async function createTreeFile(dir: string): Promise<TreeFile> {
  const path = join(dir, "tree");
  const file = await open(path, "w");
  const header = encodeHeader([]);
  const hash = createHash("sha256").update(header);
  await file.write(header, 0, header.byteLength, 0);
  let size = header.byteLength;
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= file.close();
    return closed;
  };
  return {
    path,
    async add(block) {
      const section = Buffer.concat([encodeBlockHead(block), block.bytes]);
      hash.update(section);
      // the importer may add several at once
      const offset = size;
      size += section.byteLength;
      await file.write(section, 0, section.byteLength, offset);
    },
    async finish() {
      await close();
      return size === header.byteLength ? undefined : hash.digest("hex");
    },
    close,
  };
}
