import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../src/account/api-key.ts";
import { cidText } from "../../src/cid/content-id.ts";
import { hashFile } from "../../src/cid/file.ts";
import { decrypt } from "../../src/storage/decrypt.ts";
import { download } from "../../src/storage/download.ts";
import { upload } from "../../src/storage/upload.ts";
import { uploadEncrypted } from "../../src/storage/upload-encrypted.ts";

const { endpoints, accounts } = inject("devnet");
const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 13 + (at >> 9)) & 0xff);

async function kit() {
  const signer = new Wallet(accounts[0]?.privateKey ?? "");
  return { apiKey: await createApiKey({ signer, endpoints }), signer, endpoints, pauseMs: 0, verifyCid: true };
}

test("a page computes the content ids of Blobs, folders and streams, and of what it downloads", async () => {
  const options = await kit();
  for (const cidVersion of [0, 1] as const) {
    const [file] = await upload(new File([bytes], "a.bin"), { ...options, cidVersion });
    const given = await download(file?.Hash ?? "", options);
    expect(given).toHaveLength(bytes.length);
    const stream = new Blob([bytes]).stream();
    expect((await upload({ name: "a.bin", stream }, { ...options, cidVersion }))[0]?.Hash).toBe(file?.Hash);
    const wrapped = { ...options, cidVersion, wrapWithDirectory: true };
    await upload([new File([bytes], "a.bin"), new File(["b"], "b.txt")], wrapped);
  }
});

test("a page verifies what it encrypts and decrypts", async () => {
  const options = await kit();
  const [file] = await uploadEncrypted(new File([bytes], "secret.bin"), options);
  expect(await decrypt(file?.Hash ?? "", options)).toHaveLength(bytes.length);
});

test("content ids come out the same without WebCrypto", async () => {
  const id = async () => {
    const hasher = hashFile(0);
    await hasher.update(bytes);
    return cidText((await hasher.finish()).cid);
  };
  const withWebCrypto = await id();
  Object.defineProperty(globalThis.crypto, "subtle", { value: undefined, configurable: true });
  try {
    expect(await id()).toBe(withWebCrypto);
  } finally {
    Reflect.deleteProperty(globalThis.crypto, "subtle");
  }
});
