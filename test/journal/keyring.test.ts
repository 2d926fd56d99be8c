import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { bundleScript } from "../support/bundle-script.ts";
import { scratch } from "../support/files.ts";

/** Stands for `@napi-rs/keyring`: keeps what it is given in a file, and fails if the system has no keyring. */
const FAKE_PACKAGE = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const path = process.env.FAKE_KEYRING;
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});
const change = (account, password) => writeFileSync(path, JSON.stringify({ ...read(), [account]: password }));
export class AsyncEntry {
  constructor(service, account) {
    if (path === undefined) throw new Error("Platform secure storage failure");
    this.name = service + " " + account;
  }
  async getPassword() { return read()[this.name] ?? null; }
  async setPassword(password) { change(this.name, password); }
  async deletePassword() { change(this.name, undefined); }
}
`;

let bundled: string;

/** Creates a project with the script, and with the package; returns what runs the script in a process of its own. */
async function createProject({ isInstalled = true } = {}) {
  const project = await scratch();
  const script = join(project, "script.mjs");
  await copyFile(bundled, script);
  if (isInstalled) {
    const installed = join(project, "node_modules", "@napi-rs", "keyring");
    await mkdir(installed, { recursive: true });
    const manifest = { name: "@napi-rs/keyring", version: "2.1.2", type: "module", exports: "./index.js" };
    await writeFile(join(installed, "package.json"), JSON.stringify(manifest));
    await writeFile(join(installed, "index.js"), FAKE_PACKAGE);
  }
  const journal = join(project, "journal");
  return async (action: string, { keyring, id = "" }: { keyring?: string; id?: string } = {}) => {
    const env = { ...process.env, ...(keyring === undefined ? {} : { FAKE_KEYRING: join(project, keyring) }) };
    const { stdout } = await promisify(execFile)(process.execPath, [script, journal, action, id], { env });
    return JSON.parse(stdout);
  };
}

beforeAll(async () => {
  bundled = await bundleScript(
    await mkdtemp(join(tmpdir(), "keeplight-keyring-")),
    new URL("./keyring-child.ts", import.meta.url),
  );
});

test("the keyring of the system opens a journal, until its slot is removed", async () => {
  const run = await createProject();
  const keyring = "keyring.json";
  const added = await run("add", { keyring });
  expect(added).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), kind: "keyring" });
  expect(await run("open", { keyring })).toMatchObject([{ kind: "machine" }, added]);
  expect(await run("open", { keyring: "other.json" })).toMatchObject({ code: "JOURNAL_LOCKED" });
  expect(await run("open")).toMatchObject({ code: "UNSUPPORTED" });
  expect(await run("remove", { keyring, id: added.id })).toBeNull();
  expect(await run("secrets", { keyring })).toEqual({});
  expect(await run("open", { keyring })).toMatchObject({ code: "JOURNAL_LOCKED" });
});

test("a new journal may have the keyring as its only slot", async () => {
  const run = await createProject();
  const keyring = "keyring.json";
  expect(await run("open", { keyring })).toMatchObject([{ kind: "keyring" }]);
  expect(await run("open", { keyring })).toMatchObject([{ kind: "keyring" }]);
  const [secret] = Object.values<string>(await run("secrets", { keyring }));
  expect(secret).toHaveLength(44);
  expect(JSON.stringify(await run("description"))).not.toContain(secret);
});

test("a keyring whose package is not installed is a typed error that names it", async () => {
  const run = await createProject({ isInstalled: false });
  const result = await run("add");
  expect(result).toMatchObject({ code: "UNSUPPORTED", message: expect.stringContaining("@napi-rs/keyring") });
});
