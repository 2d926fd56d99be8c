import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type InlineConfig, preview } from "vite";
import { type Devnet, type DevnetOptions, startDevnet } from "../../../packages/devnet/src/index.ts";
import { isKeeplightError } from "../../../src/base/errors/base.ts";
import { devnetPlugin } from "../devnet/plugin.ts";
import type { EnsNetwork } from "../src/network.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The production build of the web app, on a devnet of its own. */
export interface RunningApp {
  url: string;
  devnet: Devnet;
  close(): Promise<void>;
}

/** A server before the devnet's upload host. */
export interface Front {
  url: string;
  close(): Promise<void>;
}

/**
 * Builds the app, unless `npm run test:full` has, and serves it; the devnet has a chain if anvil is installed, a front if
 * `startFront` starts one, and ENS names if `startEns` does.
 */
export async function startApp(
  options: DevnetOptions = {},
  startFront?: (uploadHost: string) => Promise<Front>,
  startEns?: (devnet: Devnet) => Promise<EnsNetwork>,
): Promise<RunningApp> {
  const built = process.env["KEEPLIGHT_WEB_BUILD"];
  const outDir = built || (await mkdtemp(join(tmpdir(), "keeplight-web-")));
  const started = await startDevnet({ chain: true, ...options }).catch((error: unknown) => {
    if (isKeeplightError(error) && error.code === "UNSUPPORTED") return startDevnet(options);
    throw error;
  });
  const front = await startFront?.(started.endpoints.upload);
  const devnet = front ? { ...started, endpoints: { ...started.endpoints, upload: front.url } } : started;
  const ens = await startEns?.(devnet);
  const config: InlineConfig = { root, logLevel: "error", build: { outDir, emptyOutDir: true } };
  if (!built) await runInProduction(() => build(config));
  const server = await preview({
    ...config,
    preview: { host: "127.0.0.1", port: 0 },
    plugins: [devnetPlugin(devnet, ens)],
  });
  return {
    url: server.resolvedUrls?.local[0] ?? "",
    devnet,
    async close() {
      await server.close();
      await front?.close();
      await devnet.close();
      if (!built) await rm(outDir, { recursive: true, force: true });
    },
  };
}

/** The test runner sets NODE_ENV to another value, with which React would be built for development. */
async function runInProduction<Result>(work: () => Promise<Result>): Promise<Result> {
  const previous = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    return await work();
  } finally {
    process.env["NODE_ENV"] = previous;
  }
}
