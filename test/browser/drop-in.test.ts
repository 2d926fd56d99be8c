import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { lighthouseSettings } from "../../packages/kavach/src/settings.ts";
import lighthouse from "../../packages/lighthouse-sdk/src/index.ts";
import { createApiKey } from "../../src/index.ts";

const { endpoints } = inject("devnet");
Object.assign(lighthouseSettings, {
  lighthouseAPI: endpoints.api,
  lighthouseNode: endpoints.upload,
  lighthouseGateway: endpoints.gateway,
  lighthouseBLSNode: endpoints.keyNodes,
});
const signer = Wallet.createRandom();
const apiKey = await createApiKey({ signer, endpoints });

/** What an `<input type="file">` has once files were chosen. */
function choose(...files: File[]): FileList {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.files = transfer.files;
  return input.files;
}

async function sign(): Promise<string> {
  const { data } = await lighthouse.getAuthMessage(signer.address);
  return signer.signMessage(data.message ?? "");
}

const read = (cid: string) => fetch(`${endpoints.gateway}/ipfs/${cid}`).then((response) => response.text());

test("a page's list of files is uploaded, with progress from 0 to 1", async () => {
  const seen: number[] = [];
  const { data } = await lighthouse.upload(choose(new File(["one"], "one.txt")), apiKey, 1, ({ progress }) =>
    seen.push(progress),
  );
  expect(data.Name).toBe("one.txt");
  expect(await read(data.Hash)).toBe("one");
  expect(seen.at(-1)).toBe(1);
  const both = await lighthouse.upload(choose(new File(["a"], "a.txt"), new File(["b"], "b.txt")), apiKey);
  expect(await read(`${both.data.Hash}/b.txt`)).toBe("b");
});

test("strings, blobs and buffers are uploaded as they are", async () => {
  const text = await lighthouse.uploadText("hello", apiKey, "hello.txt");
  expect(await read(text.data.Hash)).toBe("hello");
  const blob = await lighthouse.uploadBuffer(new Blob(["blob"]), apiKey);
  expect(await read(blob.data.Hash)).toBe("blob");
  const bytes = await lighthouse.uploadBuffer(new TextEncoder().encode("bytes").buffer, apiKey);
  expect(await read(bytes.data.Hash)).toBe("bytes");
});

test("files are encrypted in the page, shared, and open by their key", async () => {
  const files = choose(new File(["secret"], "secret.txt"));
  const { data } = await lighthouse.uploadEncrypted(files, apiKey, signer.address, await sign());
  const cid = data[0]?.Hash ?? "";
  expect(await read(cid)).not.toContain("secret");
  const friend = Wallet.createRandom();
  const shared = await lighthouse.shareFile(signer.address, [friend.address], cid, await sign());
  expect(shared.data.status).toBe("Success");
  const { data: asked } = await lighthouse.getAuthMessage(friend.address);
  const signature = await friend.signMessage(asked.message ?? "");
  const { data: found } = await lighthouse.fetchEncryptionKey(cid, friend.address, signature);
  const opened = await lighthouse.decryptFile(cid, found.key ?? "", "text/plain");
  expect(opened).toBeInstanceOf(Blob);
  expect(opened.type).toBe("text/plain");
  expect(await opened.text()).toBe("secret");
});

test("what Node takes is refused as the incumbent refuses it", async () => {
  await expect(lighthouse.uploadCAR("/tmp/a.car", apiKey)).rejects.toThrow(
    "In browser environment, provide a File object",
  );
});
