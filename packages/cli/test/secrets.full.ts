import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createApiKey } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { finish, type Person, rigForTests } from "./rig.ts";

const rig = rigForTests();
const PASSWORD = "correct horse battery";

/** Lists the files below a folder that hold one of the secrets, in any common form. */
function findSecrets(folder: string, secrets: readonly string[]): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
  return files.filter((path) => holdsSecret(readFileSync(path), secrets));
}

function holdsSecret(bytes: Buffer | string, secrets: readonly string[]): boolean {
  const text = bytes.toString("latin1" as BufferEncoding);
  const forms = secrets.flatMap((secret) => {
    const plain = secret.replace(/^0x/, "");
    return [plain, plain.toUpperCase(), Buffer.from(plain).toString("base64").replace(/=+$/, "")];
  });
  return forms.some((form) => text.includes(form));
}

/** A signer command that notes its arguments and its environment, and signs with a key of its own. */
async function writeSignerCommand(person: Person): Promise<string> {
  const script = join(person.cwd, "signer.mjs");
  const ethers = fileURLToPath(import.meta.resolve("ethers"));
  await writeFile(
    script,
    `import { appendFileSync, readFileSync } from "node:fs";
     import { Wallet } from ${JSON.stringify(ethers)};
     appendFileSync("seen.json", JSON.stringify({ argv: process.argv, env: process.env }) + "\\n");
     const wallet = new Wallet(readFileSync("key.txt", "utf8"));
     const { id, method, params } = JSON.parse(readFileSync(0, "utf8"));
     const result = method === "eth_accounts" ? [wallet.address]
       : await wallet.signMessage(Buffer.from(params[0].slice(2), "hex"));
     console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));`,
  );
  return `"${process.execPath}" signer.mjs`;
}

test("no secret is in output, in files, or in what child processes see", async () => {
  const person = await rig().createPerson();
  const secrets = [person.privateKey, person.apiKey, PASSWORD];
  const other = Wallet.createRandom();
  await writeTree(person.cwd, { "letter.txt": "private", "key.txt": other.privateKey });
  const printed: string[] = [];
  const run = async (args: string[], env: Record<string, string> = {}, input = "") => {
    const ended = await person.run(args, { env: { KEEPLIGHT_PASSWORD: PASSWORD, ...env }, input });
    printed.push(ended.stdout, ended.stderr);
    return ended;
  };
  const plain = { KEEPLIGHT_PRIVATE_KEY: "", KEEPLIGHT_API_KEY: "" };
  expect((await run(["login", "--private-key-stdin"], plain, person.privateKey)).code).toBe(0);
  const { stdout } = await run(["up", "-e", "letter.txt", "-q"], plain);
  const cid = stdout.trim();
  await run(["decrypt", cid, "-o", "again.txt", "--json"], plain);
  for (const args of [["whoami"], ["ls"], ["info", cid], ["health", cid], ["decrypt", cid, "--force"]]) {
    for (const more of [[], ["--json"]]) await run([...args, ...more]);
  }
  await run(["kit", "make", "kit.age", cid]);
  await run(["kit", "open", "kit.age", "--json"]);
  const friend = Wallet.createRandom().address;
  for (const args of [
    ["delegate", friend, "--yes"],
    ["delegate", "--revoke"],
    ["pin", cid],
  ]) {
    for (const more of [["--dry-run"], [], ["--json"]]) expect((await run([...args, ...more])).code).toBe(0);
  }
  expect((await run(["delegate", friend, "--revoke"])).code).toBe(1);
  expect((await run(["pin", "bafy"])).code).toBe(1);
  rig().devnet.stopNode(5);
  expect((await run(["up", "-e", "letter.txt", "--json"])).code).toBe(2);
  expect((await run(["delegate", friend, "--yes", "--json"])).code).toBe(2);
  rig().devnet.startNode(5);
  expect((await run(["resume", "--json"])).code).toBe(0);
  // The signer command is a child process, and the environment has secrets.
  const apiKey = await createApiKey({ signer: other, endpoints: person.endpoints });
  secrets.push(apiKey);
  const command = { KEEPLIGHT_SIGNER_COMMAND: await writeSignerCommand(person), KEEPLIGHT_API_KEY: apiKey };
  expect((await run(["up", "-e", "letter.txt"], command)).code).toBe(0);
  const seen = await readFile(join(person.cwd, "seen.json"), "utf8");
  expect(seen.split("\n").length).toBeGreaterThan(1);

  expect(printed.filter((text) => holdsSecret(text, secrets))).toEqual([]);
  expect(holdsSecret(seen, secrets)).toBe(false);
  expect(findSecrets(person.home, secrets)).toEqual([]);
  expect(findSecrets(person.cwd, secrets)).toEqual([]);
  const state = join(person.home, ".local/state/keeplight");
  const modes = readdirSync(state, { recursive: true, encoding: "utf8" }).map(
    (name) => statSync(join(state, name)).mode & 0o077,
  );
  expect(modes.length).toBeGreaterThan(2);
  expect(modes.every((mode) => mode === 0)).toBe(true);
});

test("the arguments of a running command hold no secret, and a secret as an argument is refused", async () => {
  const person = await rig().createPerson();
  const child = person.start(["devnet"]);
  const ended = finish(child);
  await eventually(() => expect(readFileSync(`/proc/${child.pid}/cmdline`, "latin1")).toContain("devnet"));
  expect(holdsSecret(readFileSync(`/proc/${child.pid}/cmdline`, "latin1"), [person.privateKey, person.apiKey])).toBe(
    false,
  );
  await eventually(() => child.kill("SIGTERM"));
  await ended;
  for (const option of ["--private-key", "--api-key", "--password"]) {
    const { code, stderr } = await person.run(["whoami", `${option}=${person.privateKey}`]);
    expect(code).toBe(1);
    expect(stderr).not.toContain(person.privateKey);
  }
  await writeFile(join(person.cwd, "secret.json"), JSON.stringify({ privateKey: person.privateKey }));
  const refused = await person.run(["ls"], { env: { KEEPLIGHT_CONFIG: "secret.json" } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("secrets do not belong there") });
  expect(refused.stderr).not.toContain(person.privateKey);
});
