import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Devnet } from "../../packages/devnet/src/index.ts";

/** One address for all services, as these programs have it. */
export async function withOneUrl<Result>(
  endpoints: Devnet["endpoints"],
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    const base = path.startsWith("/api/v0/add") ? endpoints.upload : endpoints.api;
    const { hostname, port } = new URL(base);
    const { method = "GET", headers } = incoming;
    const forwarded = request({ hostname, port, path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
