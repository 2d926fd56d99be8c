import type { Endpoints } from "keeplight";
import type { TestProject } from "vitest/node";
import { listen, startUploadServer, type UploadServer } from "./upload-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** URL that a file with tests of `@keeplight/uppy` gets a server of its own from. */
    uppyServers: string;
  }
}

/** A server of one file with tests: its endpoint, the devnet behind it, and the URL of its controls. */
export interface ServerOfPage extends Pick<UploadServer, "endpoint" | "control"> {
  endpoints: Endpoints;
}

/** Starts what starts servers for pages, and stops them all after the last page. */
export async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const started: UploadServer[] = [];
  const starter = await listen(async () => {
    const server = await startUploadServer();
    started.push(server);
    const { endpoint, control, devnet } = server;
    const body: ServerOfPage = { endpoint, control, endpoints: devnet.endpoints };
    return new Response(JSON.stringify(body), { headers: { "Access-Control-Allow-Origin": "*" } });
  });
  project.provide("uppyServers", `http://127.0.0.1:${starter.port}/`);
  return () => Promise.all([starter, ...started].map(({ close }) => close()));
}
