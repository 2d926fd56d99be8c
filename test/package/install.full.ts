import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { createEditor } from "../kit/editor.ts";
import { installPacked, nameAt, type Project } from "./installed.ts";
import { listStaticImports } from "./static-imports.ts";

const MAX_PACKAGES = 30;
const MAX_BYTES = 60_000_000;
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A project with nothing but the SDK. */
let project: Project;
/** Names of the packages that were installed with it. */
let added: string[];

beforeAll(async () => {
  project = await installPacked(["keeplight"]);
  added = Object.keys(project.installed).map(nameAt);
});

afterAll(() => project?.remove());

test(`installing keeplight adds at most ${MAX_PACKAGES} packages`, () => {
  expect(added).toContain("keeplight");
  expect(added.length, added.join(" ")).toBeLessThanOrEqual(MAX_PACKAGES);
});

test(`installing keeplight takes at most ${MAX_BYTES} bytes`, async () => {
  const files = await readdir(join(project.folder, "node_modules"), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  const bytes = (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test("it brings none of the packages beside it, and no command", async () => {
  expect(added.filter((name) => name.startsWith("@keeplight/"))).toEqual([]);
  expect(added).not.toContain("commander");
  const commands = await readdir(join(project.folder, "node_modules/.bin")).catch(() => []);
  expect(commands).not.toContain("keeplight");
});

test("the code imports only packages that are installed with it, and Node's modules", async () => {
  const dist = join(project.folder, "node_modules/keeplight/dist");
  const files = await readdir(dist, { recursive: true });
  const { metafile } = await build({
    entryPoints: files.filter((name) => name.endsWith(".js")).map((name) => join(dist, name)),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outdir: join(project.folder, "out"),
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const packages = outside.map(({ path }) => path).filter((path) => !isBuiltin(path));
  const declared = Object.keys({ ...packageJson.dependencies, ...packageJson.peerDependencies });
  expect(packages.length).toBeGreaterThan(0);
  expect(packages.filter((path) => !declared.some((name) => path === name || path.startsWith(`${name}/`)))).toEqual([]);
});

test("a Node program imports it", async () => {
  const program = 'import { upload } from "keeplight"; console.log(typeof upload)';
  expect(await project.run(process.execPath, "--input-type=module", "--eval", program)).toBe("function");
});

test("a CommonJS program requires it", async () => {
  const program = 'console.log(typeof require("keeplight").upload)';
  expect(await project.run(process.execPath, "--input-type=commonjs", "--eval", program)).toBe("function");
});

test.each(["script.ts", "script.mts"])("%s imports it, run by tsx", async (name) => {
  const program =
    'import { type Kit, type KitDefaults, createKit } from "keeplight"; const kit: Kit<KitDefaults> = createKit(); console.log(typeof kit.upload);';
  await writeFile(join(project.folder, name), program);
  expect(await project.run(process.execPath, join(root, "node_modules/tsx/dist/cli.mjs"), name)).toBe("function");
});

test("a strict TypeScript program compiles against its types, without skipLibCheck", async () => {
  const { folder } = project;
  await writeFile(
    join(folder, "program.mts"),
    `import { isKeeplightError, upload } from "keeplight";
     export const run = async (): Promise<void> => {
       await upload("file.txt", { apiKey: "key" }).catch((error: unknown) => {
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
    project.run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...options, ...args);
  await compile("--lib", "es2022,dom", "program.mts");
  await compile("--lib", "es2022", "node-only.mts");
  const dist = join(folder, "node_modules/keeplight/dist");
  const types = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(".d.ts"));
  expect(types).toContain("index.d.ts");
  for (const name of types) {
    const text = await readFile(join(dist, name), "utf8");
    expect(text, name).not.toMatch(/from ['"](hono|busboy|jose|ipfs-)/);
    // The building blocks of a runtime are found by the importer's own conditions.
    if (!name.startsWith("parts")) expect(text, name).not.toMatch(/from ['"]#/);
  }
}, 600_000);

test("an editor shows what each method of a kit does, and a type that can be read", () => {
  const editor = createEditor(join(project.folder, "in-editor.ts"), "keeplight");
  for (const method of editor.methods) {
    const { type, documentation } = editor.show(method);
    expect(documentation, method).not.toBe("");
    expect(type.match(/( \| [^|\n]+){3}/)?.[0], method).toBeUndefined();
  }
});

test("a page's bundle has no polyfills and no Node modules", async () => {
  const { outputs, inputs } = await bundleForBrowser("export { upload } from 'keeplight'");
  const imported = Object.values(outputs).flatMap((output) => output.imports.filter(({ external }) => external));
  expect(imported).toEqual([]);
  const files = Object.keys(inputs).map((path) => path.replaceAll("\\", "/"));
  expect(files.some((path) => path.endsWith("keeplight/dist/platform/browser/index.js"))).toBe(true);
  expect(files.filter((path) => /keeplight\/dist\/platform\/node/.test(path))).toEqual([]);
});

test("a page that only uploads does not load ethers", async () => {
  const { outputs } = await bundleForBrowser("export { upload } from 'keeplight'");
  const loaded = listInitialFiles(outputs).flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
  expect(loaded.some((path) => path.includes("keeplight/dist/storage/upload/upload.js"))).toBe(true);
  expect(loaded.filter((path) => path.includes("node_modules/ethers/"))).toEqual([]);
});

async function bundleForBrowser(contents: string): Promise<Metafile> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: project.folder, sourcefile: "page.js" },
    absWorkingDir: project.folder,
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
