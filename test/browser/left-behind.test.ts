import { Wallet } from "ethers";
import { beforeAll, expect, inject, test } from "vitest";
import { createApiKey, createKit, type Kit } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { listPrivateFiles, readPrivateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const SIZE = 40 * MIB;
const MARKER = "the plaintext of an encrypted file ";
const { endpoints } = inject("devnet");
let kit: Kit;
let cid: string;

beforeAll(async () => {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  kit = createKit({ signer, apiKey, endpoints, pauseMs: 0, retryMs: 0 });
  const text = new Blob([MARKER.repeat(Math.ceil(SIZE / MARKER.length))]).slice(0, SIZE);
  const [stored] = await kit.uploadEncrypted(text, { name: "text.txt" });
  cid = stored?.Hash ?? "";
});

/** How many bytes the kit keeps in files, and whether the plaintext is anywhere in them. */
async function inspectPrivateFiles(): Promise<{ size: number; readable: boolean }> {
  const files = await readPrivateFiles();
  const first = new TextEncoder().encode(MARKER)[0] ?? 0;
  const readable = files.some((bytes) => {
    for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
      if (new TextDecoder().decode(bytes.subarray(at, at + MARKER.length)) === MARKER) return true;
    }
    return false;
  });
  return { size: files.reduce((sum, { length }) => sum + length, 0), readable };
}

test("a decrypted file returned as a Blob is in no private file, neither while it is readable nor later", async () => {
  const blob = await kit.decrypt(cid, { as: "blob" });
  expect(await listPrivateFiles()).toEqual([]);
  expect(await blob.slice(SIZE - 1_000_000).text()).toContain(MARKER);
  expect(await listPrivateFiles()).toEqual([]);
});

test("a decrypted file returned as a stream is kept encrypted, and removed once it is read", async () => {
  const stream = await kit.decrypt(cid, { as: "stream" });
  const { size, readable } = await inspectPrivateFiles();
  expect(size).toBeGreaterThan(SIZE);
  expect(readable).toBe(false);
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  expect(bytes.length).toBe(SIZE);
  expect(new TextDecoder().decode(bytes.subarray(0, MARKER.length))).toBe(MARKER);
  expect(await listPrivateFiles()).toEqual([]);
});

test("no plaintext is in a private file during a decryption", async () => {
  let inspecting: ReturnType<typeof inspectPrivateFiles> | undefined;
  const onProgress = ({ fraction }: { fraction: number }) => {
    if (fraction > 0.95) inspecting ??= inspectPrivateFiles();
  };
  const stream = await kit.decrypt(cid, { as: "stream", onProgress });
  const { size, readable } = (await inspecting) ?? { size: 0, readable: true };
  expect(size).toBeGreaterThan(0);
  expect(readable).toBe(false);
  await stream.cancel();
  expect(await listPrivateFiles()).toEqual([]);
});

test("a page that loads the kit removes the files of closed pages, and none of open ones", async () => {
  const root = await navigator.storage.getDirectory();
  const closed = await root.getDirectoryHandle("keeplight-closed", { create: true });
  await closed.getFileHandle("plaintext", { create: true });
  await root.getDirectoryHandle("of-the-app", { create: true });
  const stream = await kit.decrypt(cid, { as: "stream" });
  const [own] = await listPrivateFilesExcept("plaintext");
  const page = document.createElement("iframe");
  page.srcdoc = `<script type="module">import "${new URL("../../src/platform/browser/page-folder.ts", import.meta.url)}"</script>`;
  document.body.append(page);
  await eventually(async () => expect(await listPrivateFiles()).toEqual([own]));
  page.remove();
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(SIZE);
  await root.removeEntry("of-the-app");
});

async function listPrivateFilesExcept(other: string): Promise<string[]> {
  return (await listPrivateFiles()).filter((name) => name !== other);
}
