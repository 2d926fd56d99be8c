import { Wallet } from "ethers";
import { beforeAll, expect, inject, test } from "vitest";
import { createApiKey, createKit, type Kit } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { privateFiles, readPrivateFiles } from "./private-files.ts";

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
}, 60_000);

/** How many bytes the kit keeps in files, and whether the plaintext is anywhere in them. */
async function kept(): Promise<{ size: number; readable: boolean }> {
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

test("a decrypted file given out as a Blob is in no private file, neither while it is there nor later", async () => {
  const blob = await kit.decrypt(cid, { as: "blob" });
  expect(await privateFiles()).toEqual([]);
  expect(await blob.slice(SIZE - 1_000_000).text()).toContain(MARKER);
  expect(await privateFiles()).toEqual([]);
});

test("a decrypted file given out as a stream is kept encrypted, and removed when it is read", async () => {
  const stream = await kit.decrypt(cid, { as: "stream" });
  const { size, readable } = await kept();
  expect(size).toBeGreaterThan(SIZE);
  expect(readable).toBe(false);
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  expect(bytes.length).toBe(SIZE);
  expect(new TextDecoder().decode(bytes.subarray(0, MARKER.length))).toBe(MARKER);
  expect(await privateFiles()).toEqual([]);
});

test("while a file is decrypted, none of it is in a private file in plain", async () => {
  let look: ReturnType<typeof kept> | undefined;
  const onProgress = ({ fraction }: { fraction: number }) => {
    if (fraction > 0.95) look ??= kept();
  };
  const stream = await kit.decrypt(cid, { as: "stream", onProgress });
  const { size, readable } = (await look) ?? { size: 0, readable: true };
  expect(size).toBeGreaterThan(0);
  expect(readable).toBe(false);
  await stream.cancel();
  expect(await privateFiles()).toEqual([]);
});

test("a page that loads the kit removes what pages that are gone have left, and nothing of those that are there", async () => {
  const root = await navigator.storage.getDirectory();
  const gone = await root.getDirectoryHandle("keeplight-gone", { create: true });
  await gone.getFileHandle("plaintext", { create: true });
  await root.getDirectoryHandle("of-the-app", { create: true });
  const stream = await kit.decrypt(cid, { as: "stream" });
  const [own] = await privateFilesBut("plaintext");
  const page = document.createElement("iframe");
  page.srcdoc = `<script type="module">import "${new URL("../../src/platform/browser/page-folder.ts", import.meta.url)}"</script>`;
  document.body.append(page);
  await eventually(async () => expect(await privateFiles()).toEqual([own]));
  page.remove();
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(SIZE);
  await root.removeEntry("of-the-app");
});

async function privateFilesBut(other: string): Promise<string[]> {
  return (await privateFiles()).filter((name) => name !== other);
}
