import { expect, test } from "vitest";
import { resolveOptions } from "../../src/base/operation.ts";
import { callNodes } from "../../src/keys/nodes/call-nodes.ts";
import { keyNodeSchema, openKeyNodes } from "../../src/keys/nodes/node-client.ts";
import { address } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";
import { pacings } from "../support/pacings.ts";

test.each(pacings)(
  "pacing %s: a request that waits to be repeated is not sent once the calls are over",
  async (pacing) => {
    const halt = new AbortController();
    const server = await createServer((_, response) => {
      halt.abort();
      response.destroy();
    });
    const options = { endpoints: endpointsAt(server.url), pacing, pauseMs: 0, retryMs: 0, attempts: 3 };
    const nodes = openKeyNodes(resolveOptions(keyNodeSchema, options));
    const auth = { address, token: async () => "jwt:token", renew: async () => undefined };
    const request = (node: number) => ({ method: "POST" as const, path: `/api/setSharedKey/${node}`, json: {} });
    const calls = await callNodes(nodes, auth, [1], request, { afterFailure: "stop", halt });
    expect(calls).toEqual({ done: [], failed: [] });
    expect(server.requests).toHaveLength(1);
  },
);
