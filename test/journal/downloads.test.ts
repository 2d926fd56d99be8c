import { existsSync } from "node:fs";
import { readdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decrypt, download, encryptBytes, openJournal, type Progress } from "../../src/index.ts";
import { startGateway } from "../blocks/stand-in.ts";
import { makeBytes, storeFile } from "../blocks/trees.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";

const key = "5f".repeat(32);
const content = makeBytes(600_000);

/** Makes another host the owner of every entry of a journal, as on a shared disk after this one was suspended. */
async function takeOver(folder: string): Promise<void> {
  const owner = { id: "other", host: "there", pid: 1, start: "1", isReleased: false };
  for (const name of await readdir(folder)) {
    const [, entry] = /^([0-9a-f]{32})\.lock\.\d+$/.exec(name) ?? [];
    if (!entry) continue;
    await writeFile(join(folder, `${entry}.lock.999`), JSON.stringify(owner));
    await unlink(join(folder, name));
  }
}

test.each(["download", "decrypt"] as const)(
  "a %s that another process has taken over does not publish its file",
  async (kind) => {
    const file = await storeFile(kind === "download" ? content : await encryptBytes(content, key));
    const folder = await scratch();
    let takenOver: Promise<void> | undefined;
    const gateway = await startGateway(file.blocks, {
      ways: ["raw", "whole"],
      // The entry is in the journal by the time that the file is requested.
      async intercept({ method }) {
        if (method === "POST") takenOver ??= takeOver(folder);
        await takenOver;
        return false;
      },
    });
    const to = join(await scratch(), "file");
    const options = { to, journal: await openJournal({ folder }), endpoints: { gateway: gateway.url } };
    const call = kind === "download" ? download(file.cid, options) : decrypt(file.cid, { ...options, key });
    expect((await failure(call)).code).toBe("JOURNAL_ENTRY_BUSY");
    expect(takenOver).toBeDefined();
    expect(existsSync(to)).toBe(false);
  },
);

test.each([
  ["what has arrived of a download is kept, and the same call fetches only the rest", {}],
  ["what has arrived of a download is kept, and resume() fetches only the rest", { isResumed: true }],
  ["what is wrong of the bytes that were kept is fetched again, with all after it", { isDamaged: true }],
])("%s", async (_, { isResumed = false, isDamaged = false }: { isResumed?: boolean; isDamaged?: boolean }) => {
  const file = await storeFile(content);
  const controller = new AbortController();
  const { signal } = controller;
  let sent = 0;
  const gateway = await startGateway(file.blocks, {
    ways: ["raw", "range", "whole"],
    change(bytes, { query }) {
      if (!query["format"]) sent += bytes.length;
      return bytes;
    },
    intercept({ method }, response) {
      if (method !== "POST" || signal.aborted) return false;
      response.writeHead(200, { "Content-Length": content.length }).write(content.subarray(0, 550_000));
      return true;
    },
  });
  const target = await scratch();
  const to = join(target, "file");
  const journal = await openJournal({ folder: await scratch() });
  const options = { to, journal, endpoints: { gateway: gateway.url } };
  const onProgress = ({ loaded }: Progress) => {
    if (loaded > 530_000) controller.abort();
  };
  expect((await failure(download(file.cid, { ...options, signal, onProgress }))).code).toBe("ABORTED");
  const open = await journal.list();
  expect(open).toMatchObject([{ kind: "download", cids: [file.cid], names: [to] }]);
  const kept = join(target, (await readdir(target)).find((name) => name.endsWith(".partial")) ?? "");
  if (isDamaged) await writeFile(kept, (await readFile(kept)).fill(1, 100_000, 100_100));
  await (isResumed ? journal.resume(open[0]?.id ?? "") : download(file.cid, options));
  expect(Buffer.from(content).equals(await readFile(to))).toBe(true);
  expect(sent).toBeLessThan(isDamaged ? 600_001 : 100_000);
  expect(await journal.list()).toEqual([]);
});
