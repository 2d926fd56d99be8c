import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { createApiKey, createKit, type KeyReport, type Progress } from "../../src/index.ts";
import { listPrivateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const { endpoints } = inject("devnet");
const common = { endpoints, pauseMs: 0, retryMs: 0 };

/** Bytes that differ from block to block, so that a misplaced block is noticed. */
function createPattern(size: number, seed: number): Uint8Array<ArrayBuffer> {
  const uint32s = new Uint32Array(Math.ceil(size / 4));
  let state = seed;
  for (let at = 0; at < uint32s.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    uint32s[at] = state;
  }
  return new Uint8Array(uint32s.buffer, 0, size);
}

async function sha256(bytes: BufferSource): Promise<string> {
  return Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (byte) => byte.toString(16)).join(
    " ",
  );
}

async function createAliceAndBob() {
  const alice = Wallet.createRandom();
  const bob = Wallet.createRandom();
  const apiKey = await createApiKey({ signer: alice, endpoints });
  return {
    bob,
    asAlice: createKit({ ...common, apiKey, signer: alice }),
    asBob: createKit({ ...common, signer: bob }),
  };
}

test("a page encrypts, uploads, shares, recovers, decrypts and revokes", async () => {
  const { bob, asAlice, asBob } = await createAliceAndBob();
  const letter = createPattern(300_001, 1);
  const note = new TextEncoder().encode("grüße 🗝️");
  const files = await asAlice.uploadEncrypted([new File([letter], "letter.bin"), new File([note], "note.txt")]);
  expect(files.map(({ Name }) => Name)).toEqual(["letter.bin", "note.txt"]);

  const cid = files[0]?.Hash ?? "";
  await expect(asBob.decrypt(cid)).rejects.toMatchObject({ code: "NODE_REFUSED", message: "Access Denied" });
  await asAlice.kavachShare(cid, { shareTo: bob.address });
  const reports: KeyReport[] = [];
  const decrypted = await asBob.decrypt(cid, { onKeyRecovered: (report) => reports.push(report) });
  expect(await sha256(decrypted)).toBe(await sha256(letter));
  expect(reports.map(({ nodes }) => nodes.length)).toEqual([3]);

  await asAlice.kavachRevoke(cid, { revokeTo: bob.address });
  await expect(asBob.decrypt(cid)).rejects.toMatchObject({ code: "NODE_REFUSED", message: "Access Denied" });
  expect(new TextDecoder().decode(await asAlice.decrypt(files[1]?.Hash ?? ""))).toBe("grüße 🗝️");
});

test("a file beyond the memory limit passes through the origin private file system and leaves nothing there", async () => {
  const { asAlice } = await createAliceAndBob();
  const film = createPattern(70 * MIB + 13, 2);
  const seen: Progress[] = [];
  const [stored] = await asAlice.uploadEncrypted(new Blob([film]), {
    name: "film.bin",
    onProgress: (progress) => seen.push(progress),
  });
  expect(await listPrivateFiles()).toEqual([]);
  const fractions = seen.map(({ fraction }) => fraction);
  expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["preparing", "uploading", "saving-keys"]));
  expect(fractions.filter((fraction) => fraction === 1)).toHaveLength(1);

  const blob = await asAlice.decrypt(stored?.Hash ?? "", { as: "blob" });
  expect(blob.size).toBe(film.length);
  expect(await listPrivateFiles()).toEqual([]);
  expect(await sha256(await blob.arrayBuffer())).toBe(await sha256(film));

  const stream = await asAlice.decrypt(stored?.Hash ?? "", { as: "stream" });
  expect(await listPrivateFiles()).toHaveLength(1);
  expect(await sha256(await new Response(stream).arrayBuffer())).toBe(await sha256(film));
  expect(await listPrivateFiles()).toEqual([]);
}, 180_000);

test("a wrong key returns nothing and leaves nothing", async () => {
  const { asAlice } = await createAliceAndBob();
  const [stored] = await asAlice.uploadEncrypted(new Blob([createPattern(40 * MIB, 3)]), { name: "x.bin" });
  const before = await listPrivateFiles();
  const decrypting = asAlice.decrypt(stored?.Hash ?? "", { key: "ab".repeat(32), as: "blob" });
  await expect(decrypting).rejects.toMatchObject({ code: "CANNOT_DECRYPT" });
  expect(await listPrivateFiles()).toEqual(before);
});

test("an abort while a page encrypts leaves nothing behind", async () => {
  const { asAlice } = await createAliceAndBob();
  const before = await listPrivateFiles();
  const controller = new AbortController();
  const loadedAfterAbort: number[] = [];
  const uploading = asAlice.uploadEncrypted(new Blob([createPattern(70 * MIB, 4)]), {
    name: "x.bin",
    signal: controller.signal,
    onProgress: ({ phase, loaded }) => {
      if (controller.signal.aborted) loadedAfterAbort.push(loaded);
      if (phase === "preparing" && loaded >= 50 * MIB) controller.abort();
    },
  });
  await expect(uploading).rejects.toMatchObject({ code: "ABORTED" });
  expect(loadedAfterAbort).toEqual([]);
  expect(await listPrivateFiles()).toEqual(before);
});

test("a page uploads the files of a folder picker under their relative paths, and a stream", async () => {
  const { asAlice } = await createAliceAndBob();
  const picked = ["site/index.html", "site/img/a.png"].map((path, at) => {
    const file = new File([createPattern(1000 + at, at)], path.split("/").at(-1) ?? "");
    Object.defineProperty(file, "webkitRelativePath", { value: path });
    return file;
  });
  const [root] = await asAlice.upload(picked);
  expect(root?.Name).toBe("site");
  const stream = new Blob([createPattern(5 * MIB, 9)]).stream();
  const [stored] = await asAlice.upload({ name: "s.bin", stream });
  expect(await sha256(await asAlice.download(stored?.Hash ?? ""))).toBe(await sha256(createPattern(5 * MIB, 9)));
});

test("paths are refused in a page before anything is sent", async () => {
  const { asAlice } = await createAliceAndBob();
  await expect(asAlice.upload("./photo.jpg")).rejects.toMatchObject({ code: "UNSUPPORTED" });
  await expect(asAlice.download(`Qm${"a".repeat(44)}`, { to: "./x" })).rejects.toMatchObject({ code: "UNSUPPORTED" });
});
