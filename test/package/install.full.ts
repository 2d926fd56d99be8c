import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import chainPackage from "../chain/package.json" with { type: "json" };
import { programs } from "../docs/pages.ts";
import { listStaticImports } from "./static-imports.ts";
import { packageTarball } from "./tarball.ts";

const MAX_PACKAGES = 30;
const INSTALL_TIMEOUT_MS = 180_000;
const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
const exampleNames = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));

/** A new folder with the packed tarball installed, as a user installs it. */
let folder: string;
/** Names of the packages that were installed with it. */
let added: string[];

async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(command, args, { cwd: folder });
  return stdout.trim();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keeplight-install-"));
  const tarball = await packageTarball(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  await run("npm", "install", "--prefer-offline", "--no-audit", "--no-fund", tarball);
  const lock = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8"));
  added = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ""));
}, INSTALL_TIMEOUT_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

test(`installing keeplight adds at most ${MAX_PACKAGES} packages`, () => {
  expect(added).toContain("keeplight");
  expect(added.length, added.join(" ")).toBeLessThanOrEqual(MAX_PACKAGES);
});

test("the code imports only packages that are installed with it, and Node's modules", async () => {
  const dist = join(folder, "node_modules/keeplight/dist");
  const files = await readdir(dist, { recursive: true });
  const { metafile } = await build({
    entryPoints: files.filter((name) => name.endsWith(".js")).map((name) => join(dist, name)),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outdir: join(folder, "out"),
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const packages = outside.map(({ path }) => path).filter((path) => !isBuiltin(path));
  // An app that imports `@keeplight/react` installs React.
  const declared = Object.keys({ ...packageJson.dependencies, ...packageJson.peerDependencies });
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.filter((path) => !declared.some((name) => path === name || path.startsWith(`${name}/`)))).toEqual([]);
});

test("npx runs its command line, which brings no package of its own", async () => {
  expect(await run("npx", "--no-install", "keeplight", "--version")).toBe(packageJson.version);
  const own = [
    "commander",
    "@clack/prompts",
    "@clack/core",
    "cli-progress",
    "@bomb.sh/tab",
    "fast-string-truncated-width",
  ];
  expect(added.filter((name) => own.includes(name))).toEqual([]);
  expect(await readFile(join(folder, "node_modules/keeplight/dist/cli/keeplight.1"), "utf8")).toMatch(
    /^\.TH KEEPLIGHT 1/,
  );
});

test("a Node program imports it", async () => {
  const program = 'import { upload } from "keeplight"; console.log(typeof upload)';
  expect(await run(process.execPath, "--input-type=module", "--eval", program)).toBe("function");
});

test("a CommonJS program requires it", async () => {
  const program = 'console.log(typeof require("keeplight").upload)';
  expect(await run(process.execPath, "--input-type=commonjs", "--eval", program)).toBe("function");
});

test.each(["script.ts", "script.mts"])("%s imports it, run by tsx", async (name) => {
  const program =
    'import { type Kit, type KitDefaults, createKit } from "keeplight"; const kit: Kit<KitDefaults> = createKit(); console.log(typeof kit.upload);';
  await writeFile(join(folder, name), program);
  expect(await run(process.execPath, join(root, "node_modules/tsx/dist/cli.mjs"), name)).toBe("function");
});

test("the installed package uploads to its devnet and downloads from it", async () => {
  await writeFile(
    join(folder, "round-trip.mjs"),
    `import { Wallet } from "ethers";
     import { createApiKey, download, uploadText } from "keeplight";
     import { startDevnet } from "@keeplight/devnet";
     const devnet = await startDevnet();
     const { endpoints, accounts } = devnet;
     const apiKey = await createApiKey({ endpoints, signer: new Wallet(accounts[0].privateKey) });
     const [file] = await uploadText("hello", { endpoints, apiKey });
     const bytes = await download(file.Hash, { endpoints });
     console.log(new TextDecoder().decode(bytes));
     await devnet.close();`,
  );
  expect(await run(process.execPath, "round-trip.mjs")).toBe("hello");
});

test("a strict TypeScript program compiles against its types, without skipLibCheck", async () => {
  await writeFile(
    join(folder, "program.mts"),
    `import { isKeeplightError, upload } from "keeplight";
     import { type Devnet, startDevnet } from "@keeplight/devnet";
     export const run = async (): Promise<void> => {
       const devnet: Devnet = await startDevnet();
       await upload("file.txt", { apiKey: "key", endpoints: devnet.endpoints }).catch((error: unknown) => {
         if (isKeeplightError(error)) console.log(error.code);
       });
     };`,
  );
  await writeFile(
    join(folder, "node-only.mts"),
    `import { type Source } from "keeplight";
     // @ts-expect-error a missing DOM type must not make the parameter accept everything
     export const source: Source = 5;`,
  );
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const compile = (...args: string[]) =>
    run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...options, ...args);
  await compile("--lib", "es2022,dom", "program.mts");
  await compile("--lib", "es2022", "node-only.mts");
  const types = (await readdir(join(folder, "node_modules/keeplight/dist"), { recursive: true })).filter((name) =>
    name.endsWith(".d.ts"),
  );
  expect(types).toContain("index.d.ts");
  for (const name of types) {
    const text = await readFile(join(folder, "node_modules/keeplight/dist", name), "utf8");
    expect(text, name).not.toMatch(/from ['"](#|axios|hono|busboy|jose|ipfs-)/);
  }
}, 300_000);

const compiler = join(root, "node_modules/typescript/bin/tsc");
const strict = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--verbatimModuleSyntax", "--skipLibCheck"];
const stricter = ["--exactOptionalPropertyTypes", "--noPropertyAccessFromIndexSignature"];

test.each([
  ["NodeNext", ["--module", "nodenext"]],
  ["ESNext and Bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
])(
  "the documentation's programs compile against its types under strict %s",
  async (_, module) => {
    const others = /from "(?!keeplight|ethers|node:)/;
    const chosen = programs.filter(({ name, code }) => name.endsWith(".ts") && !others.test(code));
    const names: string[] = [];
    for (const { name, code } of chosen) {
      const file = name.replaceAll("/", "-").replace(/\.ts$/, ".mts");
      await writeFile(join(folder, file), code);
      names.push(file);
    }
    expect(names.length).toBeGreaterThan(30);
    // Rejects if the compiler reports anything.
    const compile = [compiler, ...strict, ...module, "--target", "es2022", "--types", "node", ...names];
    expect(await run(process.execPath, ...compile)).toBe("");
    expect(await run(process.execPath, ...compile, ...stricter)).toBe("");
  },
  300_000,
);

describe("with the other packages that the documentation names", () => {
  const anvil = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const [anvilVersion] = Object.values(chainPackage.optionalDependencies);
  const tsx = () => join(folder, "node_modules/tsx/dist/cli.mjs");

  beforeAll(async () => {
    const packages = [`tsx@${packageJson.devDependencies.tsx}`, `${anvil}@${anvilVersion}`];
    await run("npm", "install", "--save-dev", "--prefer-offline", "--no-audit", "--no-fund", ...packages);
  }, INSTALL_TIMEOUT_MS);

  test("the devnet page's program stores a file and reads it back with one key node down", async () => {
    const [program, ...others] = programs.filter(({ code }) => code.includes("stopNode("));
    expect(others).toEqual([]);
    await writeFile(join(folder, "devnet.mts"), program?.code ?? "");
    expect(await run(process.execPath, tsx(), "devnet.mts")).toBe("hello");
  });

  test.each(exampleNames)("the example %s runs from the package alone", async (name) => {
    const { KEEPLIGHT_API_KEY: _key, KEEPLIGHT_PRIVATE_KEY: _privateKey, ...rest } = process.env;
    const env = { ...rest, KEEPLIGHT_DEMO_MIB: "8" };
    const program = [tsx(), `node_modules/keeplight/examples/${name}`];
    // Rejects unless the exit code is 0.
    const { stdout } = await execute(process.execPath, program, { cwd: folder, env });
    expect(stdout).toMatch(/[1-9]\d* checks passed, 0 failed\.\n$/);
  });
});

test("a page's bundle has no polyfills and no Node modules", async () => {
  const { outputs, inputs } = await bundleForBrowser("export { upload } from 'keeplight'");
  const imported = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external));
  expect(imported).toEqual([]);
  const files = Object.keys(inputs).map((path) => path.replaceAll("\\", "/"));
  expect(files.some((path) => path.endsWith("keeplight/dist/platform/browser.js"))).toBe(true);
  expect(files.filter((path) => /keeplight\/dist\/platform\/node/.test(path))).toEqual([]);
});

test("a page that only uploads does not load ethers", async () => {
  const { outputs } = await bundleForBrowser("export { upload } from 'keeplight'");
  const loaded = listInitialFiles(outputs).flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
  expect(loaded.some((path) => path.includes("keeplight/dist/transfer/upload/upload.js"))).toBe(true);
  expect(loaded.filter((path) => path.includes("node_modules/ethers/"))).toEqual([]);
});

async function bundleForBrowser(contents: string): Promise<Metafile> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: folder, sourcefile: "page.js" },
    absWorkingDir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return metafile;
}

/** Lists the entry file and its static imports. */
function listInitialFiles(outputs: Metafile["outputs"]): string[] {
  const entries = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === "page.js");
  return entries.flatMap((entry) => [...listStaticImports(outputs, entry)]);
}
