import { expect, test, vi } from "vitest";
import { download, getFileInfo, listFiles } from "../../src/index.ts";
import { opaqueCid as cid } from "../support/fixtures.ts";

test("a browser keeps no response about an account, and may keep files", async () => {
  const modes: [path: string, cache: RequestCache | undefined][] = [];
  const respond: typeof fetch = async (input, options) => {
    modes.push([new URL(String(input)).pathname, new Request(input, options).cache]);
    return new Response(JSON.stringify({ fileList: [], cid }));
  };
  const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(respond);
  try {
    await listFiles({ apiKey: "key" });
    await getFileInfo(cid);
    await download(cid, { verifyCid: false });
  } finally {
    fetching.mockRestore();
  }
  expect(modes).toEqual([
    ["/api/user/files_uploaded", "no-store"],
    ["/api/lighthouse/file_info", "no-store"],
    [expect.stringContaining(cid), "default"],
  ]);
});
