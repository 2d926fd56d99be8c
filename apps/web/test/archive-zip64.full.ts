import { execFile } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type ArchiveEntry, createArchive } from "../src/folder/archive.ts";
import { createArchivePaths } from "../src/folder/archive-paths.ts";
import { listEncryptedFolder } from "../src/folder/list-archive.ts";

const run = promisify(execFile);
const MIB = 1024 * 1024;
/** More than a ZIP archive holds without Zip64. */
const LARGE = 4 * 1024 * MIB + 5;
/** Most entries of an archive; without Zip64 it holds 65,535. */
const MOST = 65_000;

/** Writes an archive, and leaves out chunks of zeros, which a disk does not store. Returns what Python reads in it. */
async function readWithPython(entries: readonly ArchiveEntry[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-zip64-"));
  try {
    const path = join(folder, "archive.zip");
    const { signal } = new AbortController();
    const archive = await createArchive(entries, createArchivePaths(), { signal, onProgress: () => undefined });
    const file = await open(path, "w");
    let at = 0;
    for await (const chunk of archive) {
      if (chunk.length < MIB) await file.write(chunk, 0, chunk.length, at);
      at += chunk.length;
    }
    await file.close();
    const program = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    print(z.testzip(), len(z.infolist()), max(i.file_size for i in z.infolist()), z.infolist()[-1].filename)`;
    return (await run("python3", ["-c", program, path])).stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function createZeros(size: number): ReadableStream<Uint8Array> {
  const zeros = new Uint8Array(MIB);
  let left = size;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(zeros.subarray(0, Math.min(left, MIB)));
      left -= Math.min(left, MIB);
      if (left === 0) controller.close();
    },
  });
}

const small = (name: string): ArchiveEntry => ({ names: ["a", name], size: 1, open: async () => new Uint8Array([65]) });

test("a file, and an archive, of more than 4 GiB can be extracted", async () => {
  const large: ArchiveEntry = { names: ["a", "large.bin"], size: LARGE, open: async () => createZeros(LARGE) };
  expect(await readWithPython([large, small("behind.txt")])).toBe(`None 2 ${LARGE} a/behind.txt`);
});

test("an archive has up to 65,000 entries, and more are refused before anything is read", async () => {
  const entries = Array.from({ length: MOST }, (_, at) => small(`${at}.txt`));
  expect(await readWithPython(entries)).toBe(`None ${MOST} 1 a/${MOST - 1}.txt`);
  const files = Array.from({ length: MOST + 1 }, (_, at) => ({ path: `${at}.txt`, cid: "", size: 1, commitment: "" }));
  const read = () => Promise.reject(new Error("It was read"));
  const kit = { decrypt: read, openFile: read };
  expect(() => listEncryptedFolder(kit, { files }, "")).toThrow("The app refused this");
});
