import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll } from "vitest";
import * as kit from "../../../src/index.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { writeTree } from "../../../test/support/files.ts";
import { type Ended, finish } from "../../cli/test/rig.ts";
import { createTree, encodeCar } from "../../devnet/test/car.ts";
import { runCodemod } from "./command.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A project that has both packages, pointed at a devnet. */
export interface Project {
  folder: string;
  /** Runs a program with Node. */
  run(program: string): Promise<Ended>;
  /** Runs the command below the folder; returns its events. */
  migrate(...args: readonly string[]): Promise<Ended>;
}

/** Creates a project for all tests of a file. */
export function projectForTests(): () => Project {
  const devnet = devnetForTests({ proofDelayMs: 0 });
  let folder = "";
  let env: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "keeplight-codemod-"));
    const { endpoints } = devnet();
    const [owner, friend] = [account(devnet(), 0), account(devnet(), 1)];
    env = { PATH: process.env["PATH"] ?? "", HOME: folder, ENDPOINTS: JSON.stringify(endpoints) };
    for (const name of ["@lighthouse-web3/sdk", "@lighthouse-web3/kavach", "ethers"]) {
      const link = join(folder, "node_modules", name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, "node_modules", name), link, "junction");
    }
    const facts = {
      apiKey: await getApiKey(devnet(), owner),
      privateKey: owner.privateKey,
      address: owner.address,
      friend: friend.address,
      messageUrl: `${endpoints.api}/api/auth/get_auth_message?publicKey=${owner.address}`,
      never: false,
    };
    const exported = Object.entries(facts).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
    const { root: archived, blocks } = await createTree({ file: Buffer.from("archived") });
    await writeTree(folder, {
      "environment.mjs": `${exported.join("\n")}\nexport const unique = String(Math.random());\n`,
      "folder/a.txt": "a",
      "folder/b/c.txt": "c",
      "archive.car": encodeCar([archived], blocks),
      ...writeKit(),
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const start = (args: readonly string[], more: Record<string, string> = {}) =>
    finish(spawn(process.execPath, args, { cwd: folder, env: { ...env, ...more } }));
  return () => ({
    folder,
    run: (program) => start(["--require", fileURLToPath(new URL("point-incumbent.cjs", import.meta.url)), program]),
    migrate: (...args) => runCodemod(folder, ...args),
  });
}

/** The built packages, with the devnet as their network: what a program imports as `keeplight` and the drop-ins. */
function writeKit(): Record<string, string> {
  const built = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);
  const calls = Object.keys(kit).map((name) => `export const ${name} = bound.${name} ?? kit.${name};`);
  const dropIn = (name: string, settings: string) =>
    writeModule(
      `@keeplight/${name}`,
      `import { defaultConfig } from ${built(`packages/${name}/dist/config.js`)};
const endpoints = JSON.parse(process.env.ENDPOINTS);
Object.assign(defaultConfig, ${settings});
export * from ${built(`packages/${name}/dist/index.js`)};
export { default } from ${built(`packages/${name}/dist/index.js`)};
`,
    );
  return {
    ...writeModule(
      "keeplight",
      `import * as kit from ${built("dist/index.js")};
const bound = kit.createKit({ endpoints: JSON.parse(process.env.ENDPOINTS), pauseMs: 0 });
${calls.join("\n")}
`,
    ),
    ...dropIn(
      "lighthouse-sdk",
      "{ lighthouseAPI: endpoints.api, lighthouseNode: endpoints.upload, lighthouseGateway: endpoints.gateway, lighthouseBLSNode: endpoints.keyNodes }",
    ),
    ...dropIn("kavach", "{ lighthouseAuthNode: endpoints.keyNodes, pauseMs: 1 }"),
  };
}

/** Files of an installed package that has one module. */
function writeModule(name: string, text: string): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, type: "module", exports: "./index.js" }),
    [`node_modules/${name}/index.js`]: text,
  };
}
