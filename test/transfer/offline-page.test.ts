import { expect, test, vi } from "vitest";
import { decrypt, type UnfinishedUpload, uploadEncrypted } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { endpointsAt } from "../support/http-server.ts";
import { createMemoryNetwork } from "../support/net-memory.ts";

const page = vi.hoisted(() => ({ isOffline: true }));

vi.mock("../../src/storage/on-demand.ts", async (original) => {
  const checks = await original<typeof import("../../src/storage/on-demand.ts")>();
  return {
    ...checks,
    get checkUnknownCids() {
      if (page.isOffline) throw new TypeError("Failed to fetch dynamically imported module");
      return checks.checkUnknownCids;
    },
  };
});

test("an upload whose check a page cannot load keeps its keys for a resume", async () => {
  const network = await createMemoryNetwork(async () => "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4");
  const account = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token-secret" };
  const owner = { ...account, pauseMs: 0, retryMs: 0, endpoints: endpointsAt(network.url) };
  const uploading = uploadEncrypted(new File(["precious"], "p.txt"), { ...owner, apiKey: "key-secret" });
  const error = (await failure(uploading)) as UnfinishedUpload;
  expect(error).toMatchObject({
    name: "UnfinishedError",
    code: "SHARDS_NOT_SAVED",
    details: { names: ["p.txt"] },
    cause: { message: "Failed to fetch dynamically imported module" },
  });
  expect(network.saved).toEqual([]);

  page.isOffline = false;
  const [stored] = await error.resume();
  expect(new TextDecoder().decode(await decrypt(stored.Hash, { ...owner, verifyCid: false }))).toBe("precious");
});
