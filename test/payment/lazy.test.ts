import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { listStaticImports } from "../package/static-imports.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("an app without payments bundles ethers apart from what it loads", async () => {
  const { metafile } = await build({
    stdin: {
      contents: 'export * from "./src/index.ts";',
      resolveDir: root,
    },
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    conditions: ["keeplight-source"],
    outdir: "dist",
    logLevel: "silent",
  });
  const outputs = Object.entries(metafile.outputs);
  const [entry = ""] = outputs.find(([, { entryPoint }]) => entryPoint === "<stdin>") ?? [];
  const loaded = listStaticImports(metafile.outputs, entry);
  const withEthers = outputs.filter(([, { inputs }]) => Object.keys(inputs).some((input) => /\bethers\//.test(input)));
  expect(withEthers.length).toBeGreaterThan(0);
  expect(withEthers.map(([path]) => path).filter((path) => loaded.has(path))).toEqual([]);
});

test("importing the kit in Node loads no module of ethers before a payment", async () => {
  const script = `
    import { register } from "node:module";
    import { MessageChannel } from "node:worker_threads";
    const { port1, port2 } = new MessageChannel();
    const loaded = [];
    port1.on("message", (url) => loaded.push(url));
    port1.unref();
    const hook = "let port; export const initialize = (data) => { port = data; };" +
      "export const load = async (url, context, next) => { port.postMessage(url); return next(url, context); };";
    register("data:text/javascript," + encodeURIComponent(hook), { data: port2, transferList: [port2] });
    const count = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return loaded.filter((url) => url.includes("/node_modules/ethers/")).length;
    };
    const { createKit, getPrice, networks, payWithToken } = await import("./src/index.ts");
    createKit({ apiKey: "key" });
    await getPrice(5, { token: "usdc", network: networks.polygon });
    const before = await count();
    await payWithToken({ token: "usdc", amount: 1n, privateKey: "1".repeat(64), rpc: "http://127.0.0.1:9" }).catch(() => {});
    console.log(before, (await count()) > 0, loaded.length > 0);
  `;
  const args = ["--import", "tsx", "--conditions=keeplight-source", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 15_000 });
  expect(stdout).toBe("0 true true\n");
});
