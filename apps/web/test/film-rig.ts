import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Wallet } from "ethers";
import { chromium, type Page } from "playwright-core";
import { startDevnet } from "../../../packages/devnet/src/index.ts";
import { createApiKey, createKit, kavachGetAuthMessage, kavachGetJwt } from "../../../src/index.ts";
import { chromiumArgs } from "../../../test/support/chromium.mjs";
import { colors, picture } from "../../../test/support/film-page.ts";
import { type Relay, startRelay } from "../../../test/support/relay.ts";
import { createFilm } from "../../../test/support/webm.ts";
import type { filmScript } from "./film-script.ts";

/** Of the film, for each second: as much as a film in 4K has. */
const CLUSTER_BYTES = 1024 * 1024;

/** A page with an encrypted film, whose gateway is as far away as the relay makes it. */
export interface FilmRig {
  page: Page;
  relay: Relay;
  /** In bytes, as it is stored. */
  size: number;
  seconds: number;
  /** Calls a function of film-script.ts in the page. */
  call<Name extends keyof typeof filmScript>(
    name: Name,
    ...values: Parameters<(typeof filmScript)[Name]>
  ): Promise<Awaited<ReturnType<(typeof filmScript)[Name]>>>;
  /** The channels that the picture at a second has. */
  expectedAt(second: number): number[];
  close(): Promise<void>;
}

/** Uploads a film of about this size, encrypted, and opens it in a page. */
export async function openFilmRig(executablePath: string, bytes: number, delayMs: number): Promise<FilmRig> {
  const [devnet, site, browser] = await Promise.all([
    startDevnet(),
    serveSite(),
    chromium.launch({ executablePath, args: chromiumArgs }),
  ]);
  const relay = await startRelay(devnet.endpoints.gateway, delayMs);
  const page = await browser.newPage();
  await page.goto(site.url);

  const call: FilmRig["call"] = (name, ...values) =>
    page.evaluate(
      ([name, values]) =>
        (globalThis as unknown as { filmScript: Record<string, (...v: unknown[]) => never> }).filmScript[name]?.(
          ...values,
        ) as never,
      [name as string, values as unknown[]] as const,
    );

  const frames = (await call("encodeFrames")).map((frame) => Buffer.from(frame, "base64"));
  const seconds = Math.ceil(bytes / CLUSTER_BYTES);
  const film = createFilm(frames, { seconds, clusterBytes: CLUSTER_BYTES, ...picture });
  const signer = Wallet.createRandom();
  const { endpoints } = devnet;
  const kit = createKit({ endpoints, apiKey: await createApiKey({ signer, endpoints }), signer, pauseMs: 0 });
  async function* stream() {
    yield* film.chunks();
  }
  const [stored] = await kit.uploadEncrypted({ name: "film.webm", size: film.size, stream: stream() });
  const { message } = await kavachGetAuthMessage(signer.address, { endpoints });
  const signature = await signer.signMessage(message);
  const { token: authToken } = await kavachGetJwt(signer.address, { signature, endpoints });
  await call("open", {
    cid: stored?.Hash ?? "",
    kit: { endpoints: { ...endpoints, gateway: relay.url }, pauseMs: 0 },
    address: signer.address,
    authToken,
  });
  return {
    page,
    relay,
    size: film.size,
    seconds,
    call,
    expectedAt(second) {
      const color = colors[Math.floor(second) % colors.length] ?? "";
      return [1, 3, 5].map((at) => (color[at] === "f" ? 1 : 0));
    },
    async close() {
      await browser.close();
      await Promise.all([relay.close(), devnet.close(), site.close()]);
    },
  };
}

/** Serves a page with film-script.ts, and its Service Worker. */
async function serveSite(): Promise<{ url: string; close(): Promise<void> }> {
  const [script, worker] = await Promise.all([
    bundle("./film-script.ts", "esm"),
    bundle("../../../test/support/media-worker.ts", "iife"),
  ]);
  const files: Readonly<Record<string, [type: string, text: string]>> = {
    "/": ["text/html", '<!doctype html><body><script type="module" src="/page.js"></script></body>'],
    "/page.js": ["text/javascript", script],
    "/media-worker.js": ["text/javascript", worker],
  };
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""];
    response.writeHead(files[url] ? 200 : 404, { "Content-Type": type }).end(text);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function bundle(path: string, format: "esm" | "iife"): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    write: false,
    format,
    platform: "browser",
    target: "es2022",
    conditions: ["keeplight-source", "browser"],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
