import { expect, test } from "vitest";
import { failure } from "../../../test/support/failure.ts";
import { listTree } from "../src/tree.ts";

// Snapshots of a stranger.

const CHUNK_BYTES = 16 * 1024 * 1024;

test("a snapshot that names one chunk without a line's end many times is refused before memory is exhausted", async () => {
  const spaces = Buffer.alloc(CHUNK_BYTES, " ");
  const read: string[] = [];
  const reader = {
    sizeOf: () => CHUNK_BYTES,
    read: async (id: string) => {
      read.push(id);
      return spaces;
    },
  };
  const content = { id: "", createdAt: 0, host: "", root: "", tags: [], files: 0, bytes: 0, packs: [], moves: 0 };
  const entries = listTree("bafy", { ...content, tree: Array<string>(100).fill("spaces") }, reader);
  expect(await failure(entries.next())).toMatchObject({ code: "INVALID_SNAPSHOT", details: { cid: "bafy" } });
  // 256 MiB, and the chunk that is beyond it.
  expect(read).toHaveLength(17);
});
