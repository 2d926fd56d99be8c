import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { formatCid } from "../../src/formats/cid/content-id.ts";
import { hashFile } from "../../src/formats/cid/file.ts";
import { createApiKey, createKit, type Kit } from "../../src/index.ts";

const { endpoints, accounts } = inject("devnet");
const bytes = Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 13 + (at >> 9)) & 0xff);

const verified = { verifyCid: true };

async function createOwnKit(): Promise<Kit> {
  const signer = new Wallet(accounts[0]?.privateKey ?? "");
  return createKit({ apiKey: await createApiKey({ signer, endpoints }), signer, endpoints, pauseMs: 0 });
}

test("a page verifies the CIDs of Blobs, folders and streams that it uploads, and of what it downloads", async () => {
  const kit = await createOwnKit();
  for (const cidVersion of [0, 1] as const) {
    const [file] = await kit.upload(new File([bytes], "a.bin"), { ...verified, cidVersion });
    const downloaded = await kit.download(file.Hash, verified);
    expect(downloaded).toHaveLength(bytes.length);
    const stream = new Blob([bytes]).stream();
    expect((await kit.upload({ name: "a.bin", stream }, { ...verified, cidVersion }))[0].Hash).toBe(file.Hash);
    const wrapped = { ...verified, cidVersion, wrapWithDirectory: true };
    await kit.upload([new File([bytes], "a.bin"), new File(["b"], "b.txt")], wrapped);
  }
});

test("a page verifies what it encrypts and decrypts", async () => {
  const kit = await createOwnKit();
  const [file] = await kit.uploadEncrypted(new File([bytes], "secret.bin"), verified);
  expect(await kit.decrypt(file.Hash, verified)).toHaveLength(bytes.length);
});

test("CIDs are the same without WebCrypto", async () => {
  const computeCid = async () => {
    const hasher = hashFile(0);
    await hasher.update(bytes);
    return formatCid((await hasher.finish()).cid);
  };
  const withWebCrypto = await computeCid();
  Object.defineProperty(globalThis.crypto, "subtle", { value: undefined, configurable: true });
  try {
    expect(await computeCid()).toBe(withWebCrypto);
  } finally {
    Reflect.deleteProperty(globalThis.crypto, "subtle");
  }
});
