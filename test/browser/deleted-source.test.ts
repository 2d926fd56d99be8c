import { Wallet } from "ethers";
import { expect, inject, test } from "vitest";
import { createApiKey, upload } from "../../src/index.ts";

const { endpoints } = inject("devnet");

test("an upload of a deleted file fails with SOURCE_UNREADABLE, not with a network error", async () => {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle("gone.txt", { create: true });
  const writable = await handle.createWritable();
  await writable.write("soon gone");
  await writable.close();
  const file = await handle.getFile();
  await root.removeEntry("gone.txt");
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints });
  await expect(upload([new Blob(["here"]), file], { apiKey, endpoints })).rejects.toMatchObject({
    code: "SOURCE_UNREADABLE",
    details: { name: "gone.txt" },
  });
});
