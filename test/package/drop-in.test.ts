import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, devnetForTests, getApiKey } from "../support/devnet-wire.ts";
import { withOneUrl } from "./one-url.ts";
import { packageTarball } from "./tarball.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scripts = fileURLToPath(new URL("drop-in/", import.meta.url));
const execute = promisify(execFile);
const devnet = devnetForTests({ proofDelayMs: 0 });

/** A new project whose `@lighthouse-web3` packages are ours, as `npm:` aliases install them. */
let project: string;

/** Unpacks a tarball as an installed package, with links to its dependencies in this checkout. */
async function install(tarball: string, name: string): Promise<void> {
  const home = join(project, "node_modules", name);
  await mkdir(home, { recursive: true });
  await execute("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
  const { dependencies } = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
  for (const dependency of Object.keys(dependencies).filter((one) => !one.includes("keeplight"))) {
    const link = join(project, "node_modules", dependency);
    await mkdir(dirname(link), { recursive: true });
    if (!existsSync(link)) await symlink(join(root, "node_modules", dependency), link, "junction");
  }
}

async function pack(folder: string): Promise<string> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const { stdout } = await execute("npm", args, { cwd: join(root, "packages", folder) });
  return join(project, JSON.parse(stdout)[0].filename);
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "keeplight-drop-in-"));
  await install(await packageTarball(project), "keeplight");
  await install(await pack("lighthouse-sdk"), "@lighthouse-web3/sdk");
  // Under its own name it is installed once more, for the SDK.
  const kavach = await pack("kavach");
  for (const name of ["@lighthouse-web3/kavach", "@keeplight/kavach"]) await install(kavach, name);
}, 600_000);

afterAll(() => rm(project, { recursive: true, force: true }));

describe.each(["script.mjs", "script.cjs"])("%s", (script) => {
  test("prints with our packages what it prints with the incumbent's", async () => {
    const file = join(project, "photo.txt");
    await writeFile(file, "a file");
    await cp(join(scripts, script), join(project, script));
    const apiKey = await getApiKey(devnet(), account(devnet(), 0));
    const [ours, theirs] = await withOneUrl(devnet().endpoints, async (url) => {
      const run = async (folder: string) => {
        const { stdout } = await execute(process.execPath, [join(folder, script), url, apiKey, file]);
        return JSON.parse(stdout);
      };
      return [await run(project), await run(scripts)];
    });
    expect(ours.uploaded.data.Name).toBe("photo.txt");
    expect(ours).toEqual(theirs);
  });
});

test("classes and calls have their own names once they are built", async () => {
  const list =
    'import("keeplight").then((built) => console.log(JSON.stringify(' +
    "Object.entries(built).map(([name, value]) => [name, value.name ?? name]))))";
  const { stdout } = await execute(process.execPath, ["-e", list], { cwd: project });
  const names = JSON.parse(stdout) as [exported: string, own: string][];
  expect(names).toContainEqual(["UnfinishedError", "UnfinishedError"]);
  expect(names.filter(([exported, own]) => exported !== own)).toEqual([]);
});

test.each([ts.ModuleResolutionKind.Node10, ts.ModuleResolutionKind.Node16, ts.ModuleResolutionKind.Bundler])(
  "programs compile with moduleResolution %s, deep imports included",
  async (moduleResolution) => {
    const program = join(project, "program.ts");
    await writeFile(
      program,
      `import kavach, { generate } from "@lighthouse-web3/kavach";
import type { KeyShard } from "@lighthouse-web3/kavach/dist/types";
import lighthouse, { upload } from "@lighthouse-web3/sdk";
import { lighthouseConfig } from "@lighthouse-web3/sdk/dist/lighthouse.config";
import type { IFileUploadedResponse, UploadFilesOptions } from "@lighthouse-web3/sdk/dist/types";

lighthouseConfig.lighthouseAPI = "http://localhost";
const options: UploadFilesOptions = { onProgress: ({ progress }) => console.log(progress) };
export const file: Promise<IFileUploadedResponse> = upload("path", "key", options).then(({ data }) => data);
export const shards: Promise<KeyShard[]> = generate().then(({ keyShards }) => keyShards);
export const hash: Promise<string> = lighthouse.uploadText("text", "key").then(({ data }) => data.anything);
export const jwt: Promise<string | null> = kavach.getJWT("address", "signature").then(({ JWT }) => JWT);
// @ts-expect-error no path
upload();
`,
    );
    const isNode16 = moduleResolution === ts.ModuleResolutionKind.Node16;
    const isNode10 = moduleResolution === ts.ModuleResolutionKind.Node10;
    const checked = ts.createProgram([program], {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      esModuleInterop: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: isNode16 ? ts.ModuleKind.Node16 : isNode10 ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext,
      moduleResolution,
      ...(isNode10 ? { ignoreDeprecations: "6.0" } : {}),
    });
    const problems = ts
      .getPreEmitDiagnostics(checked)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    expect(problems).toEqual([]);
  },
);
