import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import chainPackage from "../chain/package.json" with { type: "json" };
import { programs } from "../docs/pages.ts";
import { installPacked, nameAt, type Project } from "./installed.ts";
import { packageNames } from "./tarball.ts";

const INSTALL_TIMEOUT_MS = 300_000;
const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
const exampleNames = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".ts"));

/** A project with all packages. */
let project: Project;

beforeAll(async () => {
  project = await installPacked(packageNames);
}, INSTALL_TIMEOUT_MS);

afterAll(() => project?.remove());

test("all packages are the packed ones, each once", () => {
  const own = Object.entries(project.installed).filter(([place]) => packageNames.includes(nameAt(place)));
  expect(own.map(([place]) => nameAt(place)).sort()).toEqual([...packageNames].sort());
  expect(own.filter(([, { resolved }]) => !resolved?.startsWith("file:"))).toEqual([]);
});

test("every entry that Node may import is imported", async () => {
  const specifiers: string[] = [];
  for (const name of packageNames) {
    const path = join(project.folder, "node_modules", name, "package.json");
    const { exports = {} } = JSON.parse(await readFile(path, "utf8"));
    const entries = Object.keys(exports).filter((entry) => !/\*|package\.json$/.test(entry));
    specifiers.push(...entries.map((entry) => name + entry.slice(1)));
  }
  expect(specifiers.length).toBeGreaterThan(8);
  // In one process, as a program that uses them all.
  const program = `for (const name of ${JSON.stringify(specifiers)}) {
    const { length } = Object.keys(await import(name));
    if (length === 0) throw new Error(name + " exports nothing");
  }
  console.log("all");`;
  expect(await project.run(process.execPath, "--input-type=module", "--eval", program)).toBe("all");
});

test.each([
  ["keeplight", "@keeplight/cli"],
  ["codemod", "@keeplight/codemod"],
])("npx runs %s of %s", async (command, name) => {
  expect(await project.run("npx", "--no-install", command, "--version")).toBe(packageJson.version);
  expect(await project.run("npx", "--no-install", name, "--version")).toBe(packageJson.version);
});

test("the command line brings its manual", async () => {
  const manual = join(project.folder, "node_modules/@keeplight/cli/dist/keeplight.1");
  expect(await readFile(manual, "utf8")).toMatch(/^\.TH KEEPLIGHT 1/);
});

test("the installed package uploads to its devnet and downloads from it", async () => {
  await writeFile(
    join(project.folder, "round-trip.mjs"),
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
  expect(await project.run(process.execPath, "round-trip.mjs")).toBe("hello");
});

const compiler = join(root, "node_modules/typescript/bin/tsc");

test("a strict TypeScript program compiles against the types of the packages, without skipLibCheck", async () => {
  await writeFile(
    join(project.folder, "program.mts"),
    `import { backupFolder } from "@keeplight/backup";
     import { planBulk } from "@keeplight/bulk";
     import { type Devnet, startDevnet } from "@keeplight/devnet";
     import { isKeeplightError, upload } from "keeplight";
     export const run = async (): Promise<void> => {
       const devnet: Devnet = await startDevnet();
       await upload("file.txt", { apiKey: "key", endpoints: devnet.endpoints }).catch((error: unknown) => {
         if (isKeeplightError(error)) console.log(error.code);
       });
     };
     export const calls = [planBulk, backupFolder];
     // @ts-expect-error a type that is not found must not accept everything
     export const endpoints: Devnet["endpoints"] = 5;`,
  );
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const compile = [compiler, ...options, "--lib", "es2022,dom,dom.iterable", "program.mts"];
  // Rejects if the compiler reports anything.
  expect(await project.run(process.execPath, ...compile)).toBe("");
}, 600_000);

test("a strict TypeScript program in CommonJS compiles against every entry that it may require", async () => {
  await writeFile(
    join(project.folder, "program.cts"),
    `import kavach = require("@keeplight/kavach");
     import lighthouse = require("@keeplight/lighthouse-sdk");
     import { createKit, type GetPriceOptions, upload } from "keeplight";
     import * as parts from "keeplight/parts";
     import * as nodeParts from "keeplight/parts/node";
     export const modules = [kavach, lighthouse, parts, nodeParts, upload];
     export const price = (options: GetPriceOptions) => createKit({ apiKey: "key" }).getPrice(5, options);
     // @ts-expect-error a type that is not found must not accept everything
     export const options: GetPriceOptions = 5;
     // @ts-expect-error as above
     export const bound: number = createKit({ apiKey: "key" }).upload;`,
  );
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const compile = [compiler, ...options, "--lib", "es2022,dom,dom.iterable", "program.cts"];
  expect(await project.run(process.execPath, ...compile)).toBe("");
}, 600_000);

/** The compiler whose programs take a tenth of the time. */
const fastCompiler = join(root, "node_modules/typescript-7/bin/tsc");
const strict = ["--noEmit", "--strict", "--noUncheckedIndexedAccess", "--verbatimModuleSyntax", "--skipLibCheck"];
const stricter = ["--exactOptionalPropertyTypes", "--noPropertyAccessFromIndexSignature"];

test.each([
  ["NodeNext", ["--module", "nodenext"]],
  ["ESNext and Bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
])(
  "the documentation's programs compile against its types under strict %s",
  async (_, module) => {
    const others = /from "(?!keeplight|@keeplight\/|ethers|node:)/;
    const chosen = programs.filter(({ name, code }) => name.endsWith(".ts") && !others.test(code));
    const names: string[] = [];
    for (const { name, code } of chosen) {
      const file = name.replaceAll("/", "-").replace(/\.ts$/, ".mts");
      await writeFile(join(project.folder, file), code);
      names.push(file);
    }
    expect(names.length).toBeGreaterThan(30);
    const compile = [fastCompiler, ...strict, ...module, "--target", "es2022", "--types", "node", ...names];
    expect(await project.run(process.execPath, ...compile)).toBe("");
    expect(await project.run(process.execPath, ...compile, ...stricter)).toBe("");
  },
  600_000,
);

describe("with the other packages that the documentation names", () => {
  const anvil = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const [anvilVersion] = Object.values(chainPackage.optionalDependencies);
  const tsx = () => join(project.folder, "node_modules/tsx/dist/cli.mjs");

  beforeAll(async () => {
    await project.add(`tsx@${packageJson.devDependencies.tsx}`, `${anvil}@${anvilVersion}`);
    await cp(join(root, "examples"), join(project.folder, "examples"), { recursive: true });
    // One of them uploads it.
    await cp(join(root, "README.md"), join(project.folder, "README.md"));
    await writeFile(join(project.folder, "examples/package.json"), '{ "type": "module" }');
  }, INSTALL_TIMEOUT_MS);

  test("the devnet page's program stores a file and reads it back with one key node down", async () => {
    const [program, ...others] = programs.filter(({ code }) => code.includes("stopNode("));
    expect(others).toEqual([]);
    await writeFile(join(project.folder, "devnet.mts"), program?.code ?? "");
    expect(await project.run(process.execPath, tsx(), "devnet.mts")).toBe("hello");
  });

  test.each(exampleNames)("the example %s runs with the packages alone", async (name) => {
    const { KEEPLIGHT_API_KEY: _key, KEEPLIGHT_PRIVATE_KEY: _privateKey, ...rest } = process.env;
    const env = { ...rest, KEEPLIGHT_DEMO_MIB: "8" };
    // Rejects unless the exit code is 0.
    const { stdout } = await execute(process.execPath, [tsx(), `examples/${name}`], { cwd: project.folder, env });
    expect(stdout).toMatch(/[1-9]\d* checks passed, 0 failed\.\n$/);
  });
});
