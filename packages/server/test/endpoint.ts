import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { onTestFinished } from "vitest";
import { createUploadHandler, type UploadHandlerOptions } from "../src/index.ts";
import { createResumableHandler, type ResumableHandlerOptions } from "../src/resumable/index.ts";

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
export function serveUploads(options: Partial<UploadHandlerOptions>): Promise<Endpoint> {
  return serve("/api/upload", (onError) =>
    createUploadHandler({ apiKey: "the-api-key", authorize: () => true, onError, ...options }),
  );
}

/** Serves a handler of resumable uploads in the same way. */
export function serveResumable(
  options: Partial<ResumableHandlerOptions> & Pick<ResumableHandlerOptions, "folder">,
): Promise<Endpoint> {
  return serve("/api/uploads", (onError) =>
    createResumableHandler({ apiKey: "the-api-key", authorize: () => true, onError, ...options }),
  );
}

async function serve(
  path: string,
  create: (onError: (error: unknown) => void) => (request: Request) => Promise<Response>,
): Promise<Endpoint> {
  const errors: unknown[] = [];
  const requests: Request[] = [];
  const handle = create((error) => void errors.push(error));
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
  return { url: `http://127.0.0.1:${port}${path}`, errors, requests };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
