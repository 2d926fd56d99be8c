import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as index from "../../src/index.ts";
import * as paymentIndex from "../../src/payment/index.ts";
import { listStaticImports } from "./static-imports.ts";
import { packageTarball } from "./tarball.ts";
import { measureVitePage } from "./vite-page.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);

/**
 * Bytes that a page with these calls may load initially, minified and compressed with gzip. esbuild puts every module
 * that is also used later into a chunk of its own, which costs 15 to 40 %.
 */
const payment = new Set(Object.keys(paymentIndex));
const everything = Object.keys(index).filter((name) => !payment.has(name));
const pages: { calls: string; names: string[]; from?: string; vite: number; esbuild: number }[] = [
  { calls: "{ upload }", names: ["upload"], vite: 16_600, esbuild: 23_500 },
  { calls: "{ uploadEncrypted, decrypt }", names: ["uploadEncrypted", "decrypt"], vite: 37_600, esbuild: 45_700 },
  { calls: "everything but payment", names: everything, vite: 63_300, esbuild: 74_000 },
  {
    calls: "the drop-in's { upload }",
    names: ["upload"],
    from: "@keeplight/lighthouse-sdk",
    vite: 17_300,
    esbuild: 29_900,
  },
];

/** Bytes that a page may load later, by the dynamically imported file. */
const laterBudgets: Record<string, number> = {
  "@noble/hashes/pbkdf2.js": 5_000,
  "@noble/hashes/sha2.js": 9_000,
  "base/validation/adapt-signer.js": 1_300,
  // age-encryption as it is published imports the post-quantum curves, too.
  "formats/age.js": 63_000,
  "formats/recovery-file/recorder.js": 66_000,
  "keys/access/access-request.js": 12_300,
  "keys/nodes/call-entry.js": 4_000,
  "keys/shards/gf256-shares.js": 3_000,
  "payment/lazy.js": 87_000,
  "payment/price.js": 14_000,
  "platform/aes-gcm/noble.js": 5_000,
  "platform/browser/journal-database.js": 2_600,
  "platform/browser/opfs-file.js": 2_000,
  "platform/browser/streamed-body.js": 1_500,
  "storage/account/keystore.js": 43_000,
  "storage/download/download-entry.js": 1_300,
  "storage/lazy.js": 56_500,
  "storage/on-demand.js": 35_600,
  "storage/upload/journal-entry.js": 3_300,
  "storage/upload/mime-types.js": 4_000,
  "storage/upload/verify-upload.js": 4_000,
};

/** A new project with the package; its dependencies resolve to this checkout's. */
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "keeplight-size-"));
  await unpack(await packageTarball(project), "keeplight");
  for (const name of ["kavach", "lighthouse-sdk"]) {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
    const { stdout } = await execute("npm", args, { cwd: join(root, "packages", name) });
    await unpack(join(project, JSON.parse(stdout)[0].filename), `@keeplight/${name}`);
  }
}, 180_000);

/** Installs a package of this checkout. */
async function unpack(tarball: string, packageName: string): Promise<void> {
  const home = join(project, "node_modules", packageName);
  await mkdir(home, { recursive: true });
  await execute("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies).filter((one) => !one.includes("keeplight"))) {
    const link = join(project, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    if (!existsSync(link)) await symlink(join(root, "node_modules", name), link, "junction");
  }
}

afterAll(() => rm(project, { recursive: true, force: true }));

/** Bundles a page that imports these names; returns the compressed bytes of each chunk. */
async function bundle(
  names: readonly string[],
  from = "keeplight",
): Promise<{ sizes: Map<string, number>; outputs: Metafile["outputs"] }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export { ${names.join(", ")} } from "${from}"`, resolveDir: project, sourcefile: "page.js" },
    absWorkingDir: project,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const outputs = metafile.outputs;
  const sizes = new Map(
    outputFiles.map(({ path, contents }) => {
      const name = Object.keys(outputs).find((output) => path.replaceAll("\\", "/").endsWith(`/${output}`));
      return [name ?? path, gzipSync(contents).length];
    }),
  );
  return { sizes, outputs };
}

const sum = (sizes: Map<string, number>, chunks: Iterable<string>) =>
  [...chunks].reduce((total, chunk) => total + (sizes.get(chunk) ?? Number.NaN), 0);

test.each(pages)("a page that calls $calls loads at most $esbuild bytes, built by esbuild", async (page) => {
  const { sizes, outputs } = await bundle(page.names, page.from);
  const entry = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === "page.js") ?? "";
  const bytes = sum(sizes, listStaticImports(outputs, entry));
  console.log(`${page.calls}, by esbuild: ${bytes} bytes`);
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThanOrEqual(page.esbuild);
});

test.each(pages)(
  "a page that calls $calls loads at most $vite bytes, built by Vite",
  async ({ calls, names, from, vite }) => {
    const bytes = await measureVitePage(project, names, from);
    console.log(`${calls}, by Vite: ${bytes} bytes`);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(vite);
  },
);

test("every chunk that is loaded later has a budget", async () => {
  const { sizes, outputs } = await bundle(["upload"]);
  const page = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === "page.js") ?? "";
  const initial = listStaticImports(outputs, page);
  const later = Object.entries(outputs).flatMap(([chunk, { entryPoint }]) => {
    if (entryPoint === undefined || chunk === page) return [];
    const file = entryPoint.replaceAll("\\", "/").replace(/^.*node_modules\/(keeplight\/dist\/)?/, "");
    const added = [...listStaticImports(outputs, chunk)].filter((name) => !initial.has(name));
    return [[file, sum(sizes, added)] as const];
  });
  for (const [file, bytes] of later) console.log(`${file}, loaded on demand: ${bytes} bytes`);
  expect(later.map(([file]) => file).sort()).toEqual(Object.keys(laterBudgets).sort());
  expect(later.filter(([file, bytes]) => bytes > (laterBudgets[file] ?? 0))).toEqual([]);
});

test("the package declares all its files free of side effects", async () => {
  const { sideEffects } = JSON.parse(await readFile(join(project, "node_modules/keeplight/package.json"), "utf8"));
  expect(sideEffects).toBe(false);
});
