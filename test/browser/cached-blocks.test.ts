import { Wallet } from "ethers";
import { expect, inject, test, vi } from "vitest";
import { createApiKey, openFile, upload } from "../../src/index.ts";

const { endpoints } = inject("devnet");

/** Changes the first block that a gateway sends, as a proxy might, and records which requests bypass the cache. */
function changeFirstBlock(): (RequestCache | undefined)[] {
  const caches: (RequestCache | undefined)[] = [];
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).includes("format=raw")) return response;
    caches.push(init?.cache);
    if (caches.length > 1) return response;
    const bytes = new Uint8Array(await response.arrayBuffer()).map((byte) => byte ^ 1);
    return new Response(bytes, { headers: response.headers });
  });
  return caches;
}

test("a block that arrives damaged is requested again, past the browser's cache", async () => {
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints });
  const text = `a note of ${crypto.randomUUID()}`;
  const [{ Hash: cid }] = await upload(new File([text], "note.txt"), { apiKey, endpoints });
  const caches = changeFirstBlock();
  const file = await openFile(cid, { endpoints });
  expect(new TextDecoder().decode(await file.read(0, file.size))).toBe(text);
  expect(caches).toEqual(["default", "reload"]);
  expect(file.gateways()).toMatchObject([{ failed: 1, code: "CID_MISMATCH" }]);
});
