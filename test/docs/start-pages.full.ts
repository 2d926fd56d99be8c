import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handleWalletCall } from "../../apps/web/devnet/wallet.ts";
import { runInPage } from "../../apps/web/test/test-wallet.ts";
import { type Devnet, startDevnet } from "../../packages/devnet/src/index.ts";
import { packages } from "../../scripts/packages.mjs";
import { createApiKey } from "../../src/index.ts";
import { environment } from "../bundlers/fresh-app.ts";
import { packageNames, packageTarballs } from "../package/tarball.ts";
import { chromiumArgs, chromiumHint, findChromium } from "../support/chromium.mjs";
import { findFreePort } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { pages, programs } from "./pages.ts";

const MINUTES = 900_000;
/** The tools that the pages name, at the versions that they are tried with. */
const CREATE_VITE = "create-vite@9.3.0";
const CREATE_NEXT_APP = "create-next-app@16.4.3";
const CREATE_TANSTACK = "@tanstack/cli@0.71.0 create";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
/** It starts as a JPEG does, which the route of the Next page checks. */
const bytes = [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00];
const picture = { name: "picture.jpg", mimeType: "image/jpeg", buffer: Buffer.from(bytes) };

describe("the start pages, as written, in new projects", () => {
  let devnet: Devnet;
  let browser: Browser;
  let folder: string;
  let tarballs: Record<string, string>;
  let apiKey: string;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const executablePath = await findChromium();
    if (!executablePath) throw new Error(chromiumHint());
    folder = await mkdtemp(join(tmpdir(), "keeplight-start-"));
    [devnet, browser, tarballs] = await Promise.all([
      startDevnet(),
      chromium.launch({ executablePath, args: chromiumArgs }),
      packageTarballs(folder),
    ]);
    apiKey = await createApiKey({ endpoints: devnet.endpoints, signer: alice() });
  }, MINUTES);

  afterAll(async () => {
    for (const stop of stops) await stop();
    await browser?.close();
    await devnet?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const alice = () => new Wallet(devnet.accounts[0]?.privateKey ?? "");

  /** Creates a project by a tool of the registry, with the packages in it that a page installs. */
  async function scaffold(page: string, name: string, tool: string, args: string[]): Promise<string> {
    await execute("npm", ["exec", "--yes", "--", ...tool.split(" "), name, ...args], { cwd: folder, env: environment });
    const project = join(folder, name);
    await install(page, project);
    return project;
  }

  /** Installs what a page says, our own packages from their tarballs. */
  async function install(page: string, project: string): Promise<void> {
    const own = (await addRequired(listInstalled(page))).map((name) => tarballs[name] ?? name);
    const args = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", ...own];
    await execute("npm", args, { cwd: project, env: environment });
  }

  /** Writes a page's programs into a project, with what leads them to the devnet. */
  async function paste(page: string, project: string, names: readonly string[], port = 3000): Promise<void> {
    const endpoints = JSON.stringify(devnet.endpoints);
    for (const name of names) {
      const program = programs.find((each) => each.name === `${page}/${name}`);
      if (!program) throw new Error(`docs/${page}.md has no program ${name}`);
      const code = program.code
        .replace("authorize: () =>", `endpoints: ${endpoints},\n  authorize: () =>`)
        .replace("listFiles({", `listFiles({ endpoints: ${endpoints},`)
        .replace(
          'options={{ via: "/api/upload", signer',
          `options={{ endpoints: ${endpoints}, via: "/api/upload", signer`,
        )
        .replace("listen(3000)", `listen(${port}, "127.0.0.1")`)
        .replace("http://localhost:3000", `http://127.0.0.1:${port}`);
      await mkdir(dirname(join(project, name)), { recursive: true });
      await writeFile(join(project, name), code);
    }
  }

  const build = (project: string) => execute("npm", ["run", "build"], { cwd: project, env: environment });

  /** Runs a program of a project until the end of the tests; resolves once it answers at this port. */
  async function serve(project: string, port: number, script: string, ...args: string[]): Promise<void> {
    const env = { ...environment, KEEPLIGHT_API_KEY: apiKey };
    const child = spawn(process.execPath, [join(project, "node_modules", script), ...args], {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exited = once(child, "exit");
    stops.push(async () => {
      child.kill();
      await exited;
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    const ended = exited.then(() => Promise.reject(new Error(`${script} ended: ${output}`)));
    ended.catch(() => undefined);
    await Promise.race([ended, eventually(() => fetch(`http://127.0.0.1:${port}`))]);
  }

  async function open(url: string): Promise<Page> {
    const context = await browser.newContext();
    stops.unshift(() => context.close());
    await context.exposeFunction("callTestWallet", async (method: string, params: unknown[]) => ({
      result: await handleWalletCall({ address: alice().address, method, params }, [alice()], devnet.chain),
    }));
    await context.addInitScript(runInPage, "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>");
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  /** Uploads a picture by an app's first page, once it is hydrated, and finds it in the list of its page `/files`. */
  async function uploadAndList(url: string): Promise<void> {
    const page = await open(url);
    // The input is there before React handles its events.
    await page.waitForFunction(() =>
      Object.keys(document.querySelector("input") ?? {}).some((key) => key.startsWith("__react")),
    );
    await page.locator("input[type=file]").setInputFiles(picture);
    const stored = page.getByText(/^picture\.jpg: baf/);
    await stored.waitFor();
    const line = await stored.textContent();
    await page.goto(`${url}/files`);
    await page
      .getByRole("listitem")
      .filter({ hasText: String(line) })
      .first()
      .waitFor();
  }

  test("Node: the first program stores and opens a letter", { timeout: MINUTES }, async () => {
    const project = join(folder, "my-files");
    await mkdir(project);
    await writeFile(join(project, "package.json"), JSON.stringify({ name: "my-files", type: "module" }));
    await install("start-node", project);
    await paste("start-node", project, ["first.ts"]);
    const { stdout } = await execute(process.execPath, [join(project, "node_modules/tsx/dist/cli.mjs"), "first.ts"], {
      cwd: project,
      env: environment,
    });
    expect(stdout).toMatch(/^bafk\w+\nDear Bob\n$/);
  });

  test("Vite: the page is built, and uploads through its server", { timeout: MINUTES }, async () => {
    const [port, shown] = [await findFreePort(), await findFreePort()];
    const args = ["--template", "vanilla-ts", "--no-interactive"];
    const project = await scaffold("start-vite", "vite-app", CREATE_VITE, args);
    await paste("start-vite", project, ["server.ts", "vite.config.ts", "src/main.ts"], port);
    await build(project);
    await serve(project, port, "tsx/dist/cli.mjs", "server.ts");
    await serve(project, shown, "vite/bin/vite.js", "preview", "--host", "127.0.0.1", "--port", String(shown));
    const page = await open(`http://127.0.0.1:${shown}`);
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByText(/^picture\.jpg: baf/).waitFor();
  });

  test("React: the page is built, and encrypts, uploads and opens", { timeout: MINUTES }, async () => {
    const [port, shown] = [await findFreePort(), await findFreePort()];
    const args = ["--template", "react-ts", "--no-interactive"];
    const project = await scaffold("start-react", "react-app", CREATE_VITE, args);
    await paste("start-vite", project, ["server.ts", "vite.config.ts"], port);
    await paste("start-react", project, ["src/App.tsx"]);
    await build(project);
    await serve(project, port, "tsx/dist/cli.mjs", "server.ts");
    await serve(project, shown, "vite/bin/vite.js", "preview", "--host", "127.0.0.1", "--port", String(shown));
    const page = await open(`http://127.0.0.1:${shown}`);
    await page.getByRole("button", { name: "Harbour Wallet" }).click();
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("img[src^=blob]").waitFor({ state: "attached" });
    const shownBytes = await page
      .locator("img[src^=blob]")
      .evaluate(async (image) =>
        Array.from(new Uint8Array(await (await fetch((image as HTMLImageElement).src)).arrayBuffer())),
      );
    expect(shownBytes).toEqual(bytes);
  });

  test("TanStack Start: the app is built without the API key, uploads through its route, and lists files", {
    timeout: MINUTES,
  }, async () => {
    const args = ["--blank", "--yes", "--package-manager", "npm", "--no-install", "--no-git", "--no-intent"];
    const project = await scaffold("start-tanstack", "tanstack-app", CREATE_TANSTACK, args);
    const names = ["src/routes/api/upload.ts", "src/routes/index.tsx", "src/routes/files.tsx"];
    await paste("start-tanstack", project, names);
    await build(project);
    // No types are checked while it is built.
    await execute(process.execPath, [join(project, "node_modules/typescript/bin/tsc"), "--noEmit"], { cwd: project });
    const port = await findFreePort();
    await serve(project, port, "vite/bin/vite.js", "preview", "--host", "127.0.0.1", "--port", String(port));
    await uploadAndList(`http://127.0.0.1:${port}`);
    for (const name of await readdir(join(project, "dist/client"), { recursive: true })) {
      if (!name.endsWith(".js")) continue;
      expect(await readFile(join(project, "dist/client", name), "utf8"), name).not.toContain("KEEPLIGHT_API_KEY");
    }
  });

  test("Next: the app is built without the API key, uploads through its route, and lists files", {
    timeout: MINUTES,
  }, async () => {
    const args = ["--typescript", "--app", "--yes", "--use-npm", "--skip-install", "--disable-git"];
    const project = await scaffold("start-next", "next-app", CREATE_NEXT_APP, args);
    expect(await readFile(join(project, "next.config.ts"), "utf8")).toContain("cacheComponents: true");
    await useLocalFonts(project);
    await paste("start-next", project, [
      "app/api/upload/route.ts",
      "app/uploader.tsx",
      "app/page.tsx",
      "app/files/page.tsx",
    ]);
    await build(project);
    const port = await findFreePort();
    await serve(project, port, "next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", String(port));
    await uploadAndList(`http://127.0.0.1:${port}`);
  });
});

/** Lists the packages that a page installs: "npm i keeplight ethers && npm i -D tsx". */
function listInstalled(page: string): string[] {
  const text = pages.find(({ path }) => path === `docs/${page}.md`)?.text ?? "";
  return Array.from(text.matchAll(/npm i (?:-D )?([^&\n]+)/g), ([, names = ""]) => names.trim().split(" ")).flat();
}

/** Adds the packages of this repository that those of these names require, as the registry would. */
async function addRequired(names: readonly string[]): Promise<string[]> {
  const all = new Set(names);
  for (const name of all) {
    const folder = packages.find((one) => one.name === name)?.folder;
    if (folder === undefined) continue;
    const { dependencies = {} } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    for (const required of packageNames) if (required in dependencies) all.add(required);
  }
  return [...all];
}

/** The template loads its fonts from Google while it is built; what is tried here needs no other host. */
async function useLocalFonts(project: string): Promise<void> {
  const path = join(project, "app/layout.tsx");
  const layout = await readFile(path, "utf8");
  const without = layout
    .replace(/^import .* from "next\/font\/google";\n/m, "")
    .replace(/^const geist\w+ = [\s\S]*?^}\);\n/gm, "")
    .replace(/\$\{geist\w+\.variable\} ?/g, "");
  await writeFile(path, without);
}
