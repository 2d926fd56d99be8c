import { Wallet } from "ethers";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createApiKey, decrypt, encryptBytes, type Progress, upload } from "../../src/index.ts";
import { privateFiles } from "./private-files.ts";

const MIB = 1024 * 1024;
const SIZE = 96 * MIB;
const key = "0b".repeat(32);
const { endpoints } = inject("devnet");
let cid: string;

beforeAll(async () => {
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints });
  const [file] = await upload(await encryptBytes(new Uint8Array(SIZE), key), { apiKey, endpoints });
  cid = file?.Hash ?? "";
}, 60_000);

/** Stops a decryption that has much of the plaintext, when told to; gives the names of the files it has kept. */
async function abortedDecryption(as: "blob" | "stream", atItsEnd: boolean): Promise<string[]> {
  const before = new Set(await privateFiles());
  const controller = new AbortController();
  let kept: Promise<string[]> | undefined;
  const onProgress = ({ loaded, total }: Progress) => {
    if (loaded > SIZE / 2) kept ??= privateFiles();
    if (atItsEnd ? loaded === total : loaded > SIZE / 2) void kept?.then(() => controller.abort());
  };
  // A union of literals has no overload of its own.
  const opening = decrypt(cid, { key, endpoints, as: as as "blob", signal: controller.signal, onProgress });
  await expect(opening).rejects.toMatchObject({ code: "ABORTED", message: "The operation was aborted" });
  return ((await kept) ?? []).filter((name) => !before.has(name));
}

describe.each([
  ["blob", 0],
  ["stream", 1],
] as const)("of a plaintext, as a %s, that is outside the heap by now", (as, files) => {
  test.each([
    ["while more of it comes", false],
    ["with its last byte", true],
  ])(
    "nothing is left after an abort %s",
    async (_, atItsEnd) => {
      const kept = await abortedDecryption(as, atItsEnd);
      expect(kept).toHaveLength(files);
      expect(await privateFiles()).toEqual([]);
    },
    60_000,
  );
});
