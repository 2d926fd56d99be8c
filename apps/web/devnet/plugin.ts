import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Devnet } from "@keeplight/devnet";
import { Wallet } from "ethers";
import type { Plugin } from "vite";
import { createSecurityHeaders } from "../build/security-headers.ts";
import type { AppNetwork, EnsNetwork } from "../src/network.ts";
import { handleWalletCall, type WalletCall } from "./wallet.ts";

const names = ["Alice", "Bob", "Carol", "Dave", "Erin"];

/**
 * Makes the app's server describe a running devnet to the page, and sign for its accounts.
 *
 * @param ens - where ENS names are looked up. Default nowhere
 */
export function devnetPlugin(devnet: Devnet, ens?: EnsNetwork): Plugin {
  const wallets = devnet.accounts.map(({ privateKey }) => new Wallet(privateKey));
  const { chain } = devnet;
  const network: AppNetwork = {
    name: "Local devnet",
    endpoints: devnet.endpoints,
    // The pause is for the rate limit of the public key nodes.
    pauseMs: 0,
    // Its chain has no other nodes that a transaction could still reach.
    polling: { pollMs: 200, missingMs: 1_000 },
    ...(ens && { ens }),
    devnet: {
      accounts: devnet.accounts.map(({ address }, at) => ({ address, name: names[at] ?? `Account ${at}` })),
      ...(chain ? { network: chain.network } : {}),
    },
  };

  const { endpoints } = devnet;
  // There may be several gateways.
  const urls = [
    ...Object.values(endpoints).flat(),
    ...(chain ? [chain.network.rpc, ...(chain.network.moreRpcs ?? [])] : []),
  ];
  const headers = Object.entries(createSecurityHeaders(urls.map((url) => new URL(url).origin)));

  async function serve(request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> {
    if (request.url === "/network.json") return sendJson(response, network);
    if (request.url !== "/devnet-wallet" || request.method !== "POST") return next();
    try {
      const call = JSON.parse(await text(request)) as WalletCall;
      sendJson(response, { result: await handleWalletCall(call, wallets, chain) });
    } catch (error) {
      const { message, code = -32_603 } = error as Error & { code?: unknown };
      sendJson(response, { error: { message, code } });
    }
  }

  return {
    name: "keeplight-devnet",
    configureServer: ({ middlewares }) => void middlewares.use((...args) => void serve(...args)),
    configurePreviewServer: ({ middlewares }) =>
      void middlewares.use((request, response, next) => {
        for (const [name, value] of headers) response.setHeader(name, value);
        void serve(request, response, next);
      }),
  };
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(value));
}
