import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished } from "vitest";
import { createUploadHandler, type UploadHandlerOptions } from "../src/index.ts";

/** A server of one test with an upload handler. */
export interface Endpoint {
  /** URL of the handler. */
  url: string;
  /** Errors that the handler reported. */
  errors: unknown[];
  /** Requests that the handler received. */
  requests: Request[];
}

/** Serves an upload handler on loopback, as `examples/server/node.ts` does, until the test ends. */
export async function serveUploads(options: Partial<UploadHandlerOptions>): Promise<Endpoint> {
  const errors: unknown[] = [];
  const requests: Request[] = [];
  const handle = createUploadHandler({
    apiKey: "the-api-key",
    authorize: () => true,
    onError: (error) => void errors.push(error),
    ...options,
  });
  const listener = getRequestListener(
    (request) => {
      requests.push(request);
      return handle(request);
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer({ requestTimeout: 0 }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => close(server));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/upload`, errors, requests };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
