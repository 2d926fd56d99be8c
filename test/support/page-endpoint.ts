import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Wallet } from "ethers";
import { createUploadHandler } from "../../packages/server/src/index.ts";
import { createApiKey, type Endpoints } from "../../src/index.ts";

/** Serves an upload handler to pages, whose origin it allows, whichever it is, and whose token is `page`. */
export async function servePageUploads(endpoints: Endpoints) {
  const apiKey = await createApiKey({ signer: Wallet.createRandom(), endpoints });
  const listener = getRequestListener(
    (request) => {
      const handle = createUploadHandler({
        apiKey,
        endpoints,
        allowedOrigins: [request.headers.get("origin") ?? ""].filter(Boolean),
        authorize: ({ headers }) => headers.get("authorization") === "Bearer page",
        limits: { maxBytes: 20 * 1024 * 1024, maxFiles: 3 },
      });
      return handle(request);
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer({ requestTimeout: 0 }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/upload`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
