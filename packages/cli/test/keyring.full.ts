import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packages } from "../../../scripts/packages.mjs";
import { scratch } from "../../../test/support/files.ts";
import { getBuiltCli } from "./built.ts";
import { type Person, rigForTests } from "./rig.ts";

const rig = rigForTests();
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Stands for `@napi-rs/keyring`: keeps what it is given in a file. */
const FAKE_PACKAGE = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const path = process.env.FAKE_KEYRING;
const read = () => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});
export class AsyncEntry {
  constructor(service, account) { this.name = service + " " + account; }
  async getPassword() { return read()[this.name] ?? null; }
  async setPassword(password) { writeFileSync(path, JSON.stringify({ ...read(), [this.name]: password })); }
  async deletePassword() { writeFileSync(path, JSON.stringify({ ...read(), [this.name]: undefined })); }
}
`;

/** Installs the built packages beside a keyring, in a folder of its own; returns the path of the command line. */
async function installBesideKeyring(): Promise<string> {
  const modules = join(await scratch(), "node_modules");
  await mkdir(modules);
  const installed = await readdir(join(root, "node_modules"));
  const own = ["keeplight", "@keeplight", "@napi-rs"];
  const others = installed.filter((name) => !name.startsWith(".") && !own.includes(name));
  for (const name of others) await symlink(join(root, "node_modules", name), join(modules, name));
  for (const { name, folder } of packages) {
    for (const file of ["package.json", "dist"]) {
      await cp(join(root, folder, file), join(modules, name, file), { recursive: true });
    }
  }
  const cli = join(modules, "@keeplight/cli/bin.js");
  await cp(getBuiltCli(), cli);
  const keyring = join(modules, "@napi-rs/keyring");
  await mkdir(keyring, { recursive: true });
  await writeFile(
    join(keyring, "package.json"),
    '{ "name": "@napi-rs/keyring", "type": "module", "exports": "./index.js" }',
  );
  await writeFile(join(keyring, "index.js"), FAKE_PACKAGE);
  return cli;
}

test("with a keyring, a login needs no password, and its files hold no secret", async () => {
  const cli = await installBesideKeyring();
  const person: Person = await rig().createPerson({ cli });
  const kept = join(person.home, "keyring.json");
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PRIVATE_KEY: "", FAKE_KEYRING: kept };
  const login = await person.events(["login", "--private-key-stdin"], { env, input: person.privateKey });
  expect(login.at(-1)).toMatchObject({ address: person.address, store: "keyring" });
  await writeFile(join(person.cwd, "letter.txt"), "private");
  const sent = await person.events(["up", "-e", "letter.txt"], { env });
  const cid = String(sent.find(({ event }) => event === "item")?.["cid"]);
  expect((await person.run(["decrypt", cid, "-o", "-"], { env })).stdout).toBe("private");
  const file = await readFile(join(person.home, ".local/state/keeplight/login.json"), "utf8");
  expect(JSON.parse(file)).toEqual({ version: 1, address: person.address, store: "keyring" });
  const other = await rig().createPerson({ cli });
  const refused = await person.events(["login", "--private-key-stdin"], { env, input: other.privateKey, code: 1 });
  expect(refused.at(-1)).toMatchObject({ code: "LOGGED_IN" });

  // The private key stays, because it opens files, unless it is to be forgotten.
  await person.events(["logout"], { env });
  expect(await readFile(kept, "utf8")).toContain(person.privateKey);
  await person.events(["login", "--private-key-stdin"], { env, input: person.privateKey });
  // A keyring that is locked, or that nothing opens any more, keeps what it has: nobody is told otherwise.
  const locked = { env: { ...env, FAKE_KEYRING: person.home } };
  const forget = await person.events(["logout", "--forget-key", "--yes"], { ...locked, code: 1 });
  expect(forget).toMatchObject([{ event: "error", code: "NO_KEYRING" }]);
  const logout = await person.events(["logout"], locked);
  expect(logout).toMatchObject([
    { event: "warning", message: expect.stringContaining("still has the API key") },
    { event: "result", keyForgotten: false },
  ]);
  await person.events(["login", "--private-key-stdin"], { env, input: person.privateKey });
  await person.events(["logout", "--forget-key", "--yes"], { env });
  expect(await readFile(kept, "utf8")).not.toContain(person.privateKey);
});

test("a login that leaves the keyring gets a password, and leaves there what another profile uses only", async () => {
  const cli = await installBesideKeyring();
  const person: Person = await rig().createPerson({ cli });
  const kept = join(person.home, "keyring.json");
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_PRIVATE_KEY: "", FAKE_KEYRING: kept };
  const listKept = async () => Object.keys(JSON.parse(await readFile(kept, "utf8"))).sort();
  const privateKey = `keeplight private-key ${person.address}`;
  for (const profile of ["default", "work"]) {
    const args = ["login", "--private-key-stdin", "--profile", profile];
    await person.events(args, { env, input: person.privateKey });
  }
  const leave = (...typed: string[]) => {
    const waits = ["New password", "same again"];
    const steps = typed.map((text, at) => ({ wait: waits[at] ?? "", send: `${text}\r` }));
    return person.terminal(["login", "--no-keyring"], { env, columns: 200, steps });
  };
  expect((await leave("")).output).toContain("The password is empty");
  expect((await leave("a word", "a wrod")).output).toContain("The two passwords differ");
  expect(await listKept()).toEqual(["keeplight api-key", "keeplight api-key work", privateKey]);
  const left = await leave("a word", "a word");
  expect(left.output).toContain(`The keyring keeps the private key of ${person.address}: another profile uses it.`);
  expect(await listKept()).toEqual(["keeplight api-key work", privateKey]);

  const withPassword = { ...env, KEEPLIGHT_PASSWORD: "a word" };
  await person.events(["login", "--no-keyring", "--profile", "work"], { env: withPassword });
  expect(await listKept()).toEqual([]);
  for (const profile of ["default", "work"]) {
    await person.events(["balance", "--profile", profile], { env: withPassword });
  }
  const forget = await person.events(["logout", "--forget-key", "--yes"], { env });
  expect(forget.at(-1)).toMatchObject({ keyForgotten: true });

  // A keyring that is locked keeps what it has.
  await person.events(["login", "--private-key-stdin"], { env, input: person.privateKey });
  const locked = { ...withPassword, FAKE_KEYRING: person.home };
  const args = ["login", "--no-keyring", "--private-key-stdin"];
  const [warning] = await person.events(args, { env: locked, input: person.privateKey });
  expect(warning).toMatchObject({ event: "warning", message: expect.stringContaining("The keyring still has") });
});
