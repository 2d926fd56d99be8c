import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { account, devnetForTests } from "../support/devnet-wire.ts";
import { scratch } from "../support/files.ts";
import { cid } from "../support/fixtures.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const execute = promisify(execFile);
const devnet = devnetForTests({ chain: true });

beforeAll(async () => {
  if (!process.env["KEEPLIGHT_TARBALLS"]) await execute(process.execPath, ["scripts/build.mjs"], { cwd: root });
}, 600_000);

test("ES modules and CommonJS in one process know each other's errors and journals, and pay and sign in once", async () => {
  const { endpoints, chain, requests } = devnet();
  const { privateKey } = account(devnet(), 0);
  const input = { endpoints, network: chain?.network, privateKey, folder: join(await scratch(), "journal"), cid };
  const script = fileURLToPath(new URL("both-formats.mjs", import.meta.url));
  const { stdout } = await execute(process.execPath, [script, JSON.stringify(input)]);
  const { unfinished, hashes, ...found } = JSON.parse(stdout);
  expect(found).toEqual({
    areTwo: true,
    isOneClass: true,
    recognised: [true, true, true, true],
    printed: ["KeeplightError", "KeeplightError", "UnfinishedError"],
    entries: [{ id: unfinished.id, kind: "share" }],
    saved: Array(2).fill({ nodes: [1, 2, 3, 4, 5] }),
  });
  expect(unfinished).toEqual({ isUnfinished: true, id: expect.any(String) });
  expect(hashes).toEqual([expect.stringMatching(/^0x/), hashes[0]]);
  const signIns = requests().filter(({ method, path }) => method === "POST" && path === "/api/message/get-jwt");
  expect(signIns).toHaveLength(1);
  // Changes to one file's key run one after another.
  const saves = requests().filter(({ path }) => path.startsWith("/api/setSharedKey/"));
  expect(saves.map(({ node }) => node)).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
});

test("every entry is CommonJS throughout: Node loads no ES module for it, nor does a test runner", async () => {
  const entries = Object.keys(packageJson.exports).filter((path) => !path.endsWith(".json"));
  const code = await readFile(join(root, "dist/cjs/all.cjs"), "utf8");
  // What is loaded later, too; the keyring is optional.
  const others = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].flatMap(([, name = ""]) =>
    name.startsWith("@napi-rs/") ? [] : [name],
  );
  expect(others).toContain("ethers/abi");
  const specifiers = [
    ...entries.map((path) => join("keeplight", path)),
    ...["kavach", "kavach/config", "lighthouse-sdk", "lighthouse-sdk/config"].map((path) => `@keeplight/${path}`),
    ...new Set(others),
  ];
  const program = `${JSON.stringify(specifiers)}.forEach((one) => require(one)); console.log(Object.keys(require("keeplight")).length)`;
  const args = ["--no-experimental-require-module", "--input-type=commonjs", "--eval", program];
  const { stdout } = await execute(process.execPath, args, { cwd: root });
  const listed = await execute(
    process.execPath,
    ["--input-type=module", "--eval", 'console.log(Object.keys(await import("keeplight")).length)'],
    { cwd: root },
  );
  expect(stdout).toBe(listed.stdout);
});
