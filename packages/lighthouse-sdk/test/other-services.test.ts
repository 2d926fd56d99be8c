import { expect, test } from "vitest";
import { startIncumbent } from "../../../test/interop/incumbent.ts";
import { createServer, endpointsAt, sendJson } from "../../../test/support/http-server.ts";
import * as lighthouse from "../src/index.ts";
import { pointAt, rejection, textOf } from "./stage.ts";

// Calls to services that the devnet does not have.

const UNKNOWN = "bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

test("walrusBlobs and deleteFileWalrus return and throw what the incumbent's do", async () => {
  const server = await createServer(({ method, query, headers }, response) => {
    if (Object.values(query).includes(UNKNOWN)) return sendJson(response, { message: "not found" }, 404);
    if (method === "GET") return sendJson(response, { blobIds: ["one", "two"], more: 1 });
    return sendJson(response, { message: `deleted for ${headers.authorization}` });
  });
  const endpoints = endpointsAt(server.url);
  const incumbent = await startIncumbent(endpoints);
  try {
    pointAt(endpoints);
    for (const [name, ...args] of [
      ["walrusBlobs", "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"],
      ["deleteFileWalrus", "token", "id"],
    ] as const) {
      const ours = lighthouse.default[name] as (...args: string[]) => Promise<unknown>;
      expect(await ours(...args)).toEqual(await incumbent.call(name, ...args));
      const failed = await rejection(ours(...args.map(() => UNKNOWN)));
      const expected = await rejection(incumbent.call(name, ...args.map(() => UNKNOWN)));
      expect(textOf(failed)).toBe(textOf(expected));
    }
    const sent = server.requests.map(({ method, path, query }) => ({ method, path, query }));
    expect(sent.filter((_, index) => index % 2 === 0)).toEqual(sent.filter((_, index) => index % 2 === 1));
  } finally {
    await incumbent.stop();
  }
});
