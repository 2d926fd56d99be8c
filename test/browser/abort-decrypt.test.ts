import { Wallet } from "ethers";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey, decrypt, encryptBytes, type Progress, upload } from "../../src/index.ts";
import { listPrivateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const SIZE = 72 * MIB;
const key = "0b".repeat(32);
const { endpoints } = inject("devnet");
let cid: string;

beforeAll(async () => {
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints });
  const [file] = await upload(await encryptBytes(new Uint8Array(SIZE), key), { apiKey, endpoints });
  cid = file?.Hash ?? "";
});

/**
 * Aborts a decryption when it has half of the plaintext, or all of it; returns the names of the files it kept until
 * then.
 */
async function abortDecryption(as: "blob" | "stream", atEnd: boolean): Promise<string[]> {
  const before = new Set(await listPrivateFiles());
  const controller = new AbortController();
  let kept: Promise<string[]> | undefined;
  const onProgress = ({ loaded, total }: Progress) => {
    if (loaded > SIZE / 2) kept ??= listPrivateFiles();
    if (atEnd ? loaded === total : loaded > SIZE / 2) void kept?.then(() => controller.abort());
  };
  // `decrypt` has an overload per literal, but none for their union.
  const decrypting = decrypt(cid, { key, endpoints, as: as as "blob", signal: controller.signal, onProgress });
  await expect(decrypting).rejects.toMatchObject({ code: "ABORTED", message: "The operation was aborted" });
  return ((await kept) ?? []).filter((name) => !before.has(name));
}

describe.each([
  ["blob", 0],
  ["stream", 1],
] as const)("of a plaintext, as a %s, that is outside the heap", (as, files) => {
  test.each([
    ["while more of it arrives", false],
    ["with its last byte", true],
  ])(
    "an abort %s leaves nothing",
    async (_, atEnd) => {
      const kept = await abortDecryption(as, atEnd);
      expect(kept).toHaveLength(files);
      expect(await listPrivateFiles()).toEqual([]);
    },
    180_000,
  );
});
