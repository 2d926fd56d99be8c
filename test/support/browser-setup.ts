import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { issueCertificate } from "../../packages/devnet/src/http/certificate.ts";
import { type Account, startDevnet } from "../../packages/devnet/src/index.ts";
import type { UploadNetwork } from "../../packages/pay-per-upload/src/index.ts";
import type { PaymentNetwork } from "../../src/base/config/networks.ts";
import type { Endpoints } from "../../src/base/options.ts";

import { servePageUploads } from "./page-endpoint.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The devnet that all pages share: `inject("devnet")`, in the browser project only. */
    devnet: {
      endpoints: Endpoints;
      accounts: readonly Account[];
      network: PaymentNetwork;
      uploadNetwork: UploadNetwork;
    };
    /** URL of an upload handler in front of the devnet; its token is `page`. */
    uploads: string;
    /** Devnets over HTTPS, and upload nodes for the first one. */
    secure: {
      /** Over HTTP/2. */
      endpoints: Endpoints;
      /** The same, but its upload node breaks off every request after a MiB. */
      broken: Endpoints;
      /** The upload node of the first one over HTTP/1.1 only. */
      http1: string;
    };
  }
}

/** Starts the devnets that all pages share, and stops them after the last page. */
export async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const [devnet, secure, broken] = await Promise.all([
    startDevnet({ chain: true, pageSize: 20, unkind: true }),
    startDevnet({ tls: true }),
    startDevnet({
      tls: true,
      faults: [{ service: "upload", method: "POST", action: { kind: "reset", afterBytes: 1024 * 1024 } }],
    }),
  ]);
  const { endpoints, accounts, chain } = devnet;
  if (!chain) throw new Error("the devnet has no chain");
  const { network, uploadNetwork } = chain;
  project.provide("devnet", { endpoints, accounts, network, uploadNetwork });
  const uploads = await servePageUploads(endpoints);
  project.provide("uploads", uploads.url);
  const http1 = await serveHttp1(endpoints.upload);
  project.provide("secure", { endpoints: secure.endpoints, broken: broken.endpoints, http1: http1.url });
  return () => Promise.all([devnet.close(), secure.close(), broken.close(), http1.close(), uploads.close()]);
}

/** Serves a service over HTTPS, in HTTP/1.1. */
async function serveHttp1(url: string) {
  const server = createServer(issueCertificate(), (incoming, outgoing) => {
    const { method, headers } = incoming;
    const forwarded = request(`${url}${incoming.url}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded).on("error", () => outgoing.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
