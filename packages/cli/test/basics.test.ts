import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { getBuiltCli } from "./built.ts";
import { finish, parseEvents, rigForTests } from "./rig.ts";

const rig = rigForTests();

const tracing = `data:text/javascript,${encodeURIComponent(`
  import { register } from "node:module";
  register("data:text/javascript," + encodeURIComponent(
    "export async function resolve(s, c, n) { const r = await n(s, c); process._rawDebug('loaded ' + r.url); return r; }"
  ));
`)}`;

/** Prints when the process starts to listen for Ctrl-C. */
const announcing = `data:text/javascript,${encodeURIComponent(
  'process.on("newListener", (name) => name === "SIGINT" && process._rawDebug("listens"));',
)}`;

/** A module of the command line itself. */
const ownModule = /\/packages\/cli\/(bin|dist\/.+)\.js$/;

test("help, completions and the manual load no other package", async () => {
  const manual = ["manual", "markdown"];
  for (const args of [["--help"], ["help", "up"], ["up", "--help"], ["complete", "--", "up", "--"], manual]) {
    const child = spawn(process.execPath, ["--import", tracing, getBuiltCli(), ...args]);
    const { code, stdout, stderr } = await finish(child);
    expect(code).toBe(0);
    expect(stdout).toContain("encrypt");
    const loaded = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url = ""]) => url);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((url) => !url.startsWith("node:") && !ownModule.test(url))).toEqual([]);
  }
});

test("the help is the same, whichever way one asks for it, and loads no parser of arguments", async () => {
  const texts = new Set<string>();
  for (const args of [["--help"], ["-h"], ["help"]]) texts.add((await runAnywhere(args)).stdout);
  const { code, stderr } = await runAnywhere([]);
  expect(code).toBe(1);
  expect([...texts]).toEqual([stderr]);
  expect(stderr).toContain("\n  up             upload files and folders\n");
  const child = spawn(process.execPath, ["--import", tracing, getBuiltCli(), "--help"]);
  expect((await finish(child)).stderr).not.toContain("loaded node:child_process");
});

test("an encrypted folder is uploaded and opens again; files with hostile names are files", async () => {
  const person = await rig().createPerson();
  const files = { "--help": "help me", "-rf": "all", "letters/one.txt": "first" };
  await writeTree(person.cwd, files);
  const sent = await person.events(["up", "-e", "--", "--help", "-rf", "letters"]);
  const items = sent.filter(({ event }) => event === "item");
  expect(items.map(({ name }) => name)).toEqual(["--help", "-rf", "letters/one.txt"]);
  for (const [index, content] of Object.values(files).entries()) {
    const cid = String(items[index]?.["cid"]);
    const { stdout } = await person.run(["decrypt", cid, "-o", "-"]);
    expect(stdout).toBe(content);
  }
  // An existing file is not replaced, and `--name-from-network` yields no option of a command.
  const visible = await person.events(["up", "-e", "--visible-names", "--", "--help"]);
  const cid = String(visible.find(({ event }) => event === "item")?.["cid"]);
  await writeFile(join(person.cwd, "help"), "mine");
  const refused = await person.events(["decrypt", cid, "--name-from-network"], { code: 1 });
  expect(refused.at(-1)).toMatchObject({ event: "error", code: "FILE_EXISTS" });
  expect(await readFile(join(person.cwd, "help"), "utf8")).toBe("mine");
});

test("mistakes in the arguments end with exit code 1, and are events, too", async () => {
  const person = await rig().createPerson();
  const { code, stdout, stderr } = await person.run(["up", "--encript", "file", "--json"]);
  expect(code).toBe(1);
  expect(stderr).toContain("--encrypt");
  expect(parseEvents(stdout)).toMatchObject([{ event: "error", code: "USAGE", exitCode: 1 }]);
});

test("the reader of the output may end early, as head does", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`many/${at}.txt`, `${at}`])));
  await person.events(["up", "many"]);
  const line = `set -o pipefail; "${process.execPath}" "${getBuiltCli()}" ls --json | head -1`;
  const { code, stdout, stderr } = await finish(spawn("bash", ["-c", line], { env: person.env, cwd: person.cwd }));
  expect(parseEvents(stdout)).toMatchObject([{ event: "item" }]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("nobody has to read the help, the completions or the manual", async () => {
  for (const args of [["--help"], ["help", "up"], ["complete", "--", "up", "--"], ["manual", "markdown"]]) {
    const child = spawn(process.execPath, [getBuiltCli(), ...args]);
    child.stdout.destroy();
    expect({ args, ...(await finish(child)) }).toEqual({ args, code: 0, stdout: "", stderr: "" });
  }
});

test("what was typed as the value of an unknown option is not repeated", async () => {
  for (const option of ["--password=o'secret", "--api-key=a\nsecret'", "-psecret", "-p=o'secret"]) {
    const { code, stdout, stderr } = await runAnywhere(["whoami", option, "--json"]);
    expect(code).toBe(1);
    expect(stderr).toContain("unknown option '-");
    expect(stdout + stderr).not.toContain("secret");
  }
});

test("names from the network and from the disk reach no terminal as they are, nor more than one line", async () => {
  const person = await rig().createPerson();
  const hostile = "\u001b]0;owned\u0007\n\u009bname\u202e";
  await writeTree(person.cwd, { "photo.jpg": "a photo", "\u001b[31mred.txt": "red" });
  const cid = (await person.run(["up", "photo.jpg", "-q"])).stdout.trim();
  const row = { id: "1", cid: hostile, fileName: hostile, fileSizeInBytes: "7", encryption: false, createdAt: 1 };
  const responses = [
    ["upload", /./, `${JSON.stringify({ Name: hostile, Hash: cid, Size: "7" })}\n`, ["up", "photo.jpg"]],
    ["api", /file_info/, JSON.stringify({ ...row, cid }), ["info", cid, "-q"]],
    ["api", /files_uploaded/, JSON.stringify({ fileList: [row], totalFiles: 1 }), ["ls", "-q"]],
    ["api", /ipns/, JSON.stringify([{ ipnsName: hostile, ipnsId: hostile, cid: hostile }]), ["names", "list", "-q"]],
  ] as const;
  const printed: string[] = [];
  for (const [service, path, text, args] of responses) {
    const release = rig().devnet.faults.add({ service, path, action: { kind: "respond", text } });
    printed.push((await person.run(args)).stdout);
    release();
  }
  printed.push((await person.run(["up", "--dry-run", "-q", "\u001b[31mred.txt"])).stdout);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(printed.filter((text) => !/^[^\u0000-\u001f\u0080-\u009f\u202e]+\n$/.test(text))).toEqual([]);
});

test("Ctrl-C ends a command that waits for its standard input, and what was read only once is not resumed", async () => {
  const person = await rig().createPerson();
  for (const args of [
    ["health", "bafkreifrgse2qlcbft7kojbq6gjkc5ovtxmkykgu2efjwvbo7n5nyrkb34", "--private-key-stdin", "--json"],
    ["up", "-e", "-", "--json"],
  ]) {
    const child = person.start(args, { env: { NODE_OPTIONS: `--import=${announcing}` } });
    const ended = once(child, "close");
    let stdout = "";
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stdin?.on("error", () => undefined);
    if (args[0] === "up") {
      child.stdin?.write("x".repeat(1_000_000));
      await eventually(() => expect(stdout).toContain("progress"));
    } else await eventually(() => expect(stderr).toContain("listens"));
    child.kill("SIGINT");
    const [code] = await ended;
    expect(code).toBe(130);
    const last = parseEvents(stdout).at(-1);
    expect(last).toMatchObject({ event: "error", code: "ABORTED", exitCode: 130 });
    expect(last).not.toHaveProperty("resume");
  }
  expect((await person.events(["resume", "--list"])).at(-1)).toMatchObject({ open: 0 });
});

test("a login that is damaged is reported as such", async () => {
  const person = await rig().createPerson();
  const path = join(person.home, ".local/state/keeplight/login.json");
  const sealed = { version: 1, address: person.address, store: "sealed" };
  for (const login of [sealed, { ...sealed, sealed: { salt: 5, data: {} } }, { ...sealed, store: "elsewhere" }, null]) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(login));
    const [error] = await person.events(["ls"], { code: 1, env: { KEEPLIGHT_API_KEY: "" } });
    expect(error).toMatchObject({ code: "LOGIN_DAMAGED", message: expect.stringContaining(path) });
  }
  await rm(path);
  await mkdir(path);
  const [error] = await person.events(["whoami"], { code: 1, env: { KEEPLIGHT_PRIVATE_KEY: "" } });
  expect(error).toMatchObject({ code: "LOGIN_DAMAGED", message: `${path} cannot be read (EISDIR)` });
});

test("a login that was killed does not keep a later process with the same id from logging in", async () => {
  const person = await rig().createPerson();
  const folder = join(person.home, ".local/state/keeplight");
  await mkdir(folder, { recursive: true });
  // In a container every run may have the same process id.
  const script = ': > "$1/login.json.$$.tmp"; shift; exec "$@"';
  const login = [process.execPath, getBuiltCli(), "login", "--json"];
  const env = { ...person.env, KEEPLIGHT_API_KEY: "", KEEPLIGHT_PASSWORD: "pass" };
  const { code, stdout } = await finish(spawn("sh", ["-c", script, "sh", folder, ...login], { env }));
  expect(parseEvents(stdout)).toMatchObject([{ event: "result", address: person.address }]);
  expect(code).toBe(0);
});

test("a repair that left a key node alone is incomplete, and names the command that continues it", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "letter.txt": "private" });
  const cid = (await person.run(["up", "-e", "letter.txt", "-q"])).stdout.trim();
  rig().devnet.stopNode(5);
  const events = await person.events(["repair", cid], { code: 2 }).finally(() => rig().devnet.startNode(5));
  expect(events.map(({ event }) => event)).toEqual(["warning", "result"]);
  expect(events[0]?.["message"]).toContain(`keeplight repair ${cid}`);
  expect((await person.events(["repair", cid])).map(({ event }) => event)).toEqual(["result"]);
});

test("a signer command that never stops printing is an error", async () => {
  const person = await rig().createPerson();
  const cid = "bafkreifrgse2qlcbft7kojbq6gjkc5ovtxmkykgu2efjwvbo7n5nyrkb34";
  const [error] = await person.events(["health", cid], { code: 1, env: { KEEPLIGHT_SIGNER_COMMAND: "yes; true" } });
  expect(error).toMatchObject({ event: "error", exitCode: 1 });
});

/** Runs a command that needs no network. */
function runAnywhere(args: readonly string[]) {
  return finish(spawn(process.execPath, [getBuiltCli(), ...args]));
}

test("a dry run refuses what the command would refuse, and sends nothing", async () => {
  const person = await rig().createPerson();
  const friend = "0x2222222222222222222222222222222222222222";
  const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  for (const [code, ...args] of [
    ["INVALID_CID", "share", "bafy", friend],
    ["INVALID_ADDRESS", "share", cid, "0x12"],
    ["INVALID_CID", "revoke", "bafy", friend],
    ["INVALID_ADDRESS", "transfer", cid, "0x12"],
    ["INVALID_CID", "pin", "bafy"],
    ["INVALID_ADDRESS", "delegate", "0x12"],
    ["INVALID_CID", "names", "publish", "name", "bafy"],
  ] as const) {
    const events = await person.events([...args, "--dry-run"], { code: 1 });
    expect({ args, code: events.at(-1)?.["code"] }).toEqual({ args, code });
  }
  // Nothing is there to send anything to.
  const env = { KEEPLIGHT_KEY_NODES_URL: "http://127.0.0.1:1" };
  const [result] = await person.events(["share", cid, friend, "--dry-run"], { env });
  expect(result).toMatchObject({ event: "result", nodes: [] });
});

test("whoami shows no password of a proxy", async () => {
  const person = await rig().createPerson();
  const env = {
    KEEPLIGHT_API_URL: "http://somebody:pass@word@127.0.0.1:9",
    KEEPLIGHT_GATEWAY_URL: "http://somebody:password@127.0.0.1:9,http://somebody:password@127.0.0.1:9/@",
  };
  const { stdout } = await person.run(["whoami", "--json"], { env });
  expect(parseEvents(stdout)).toMatchObject([
    { endpoints: { api: "http://…@127.0.0.1:9", gateway: "http://…@127.0.0.1:9,http://…@127.0.0.1:9/@" } },
  ]);
  expect(stdout).not.toContain("word");
});

test("files are stored, listed and deleted by storage class, and refused where it has no room", async () => {
  const person = await rig().createPerson();
  await writeTree(person.cwd, { "a.txt": "first", "b.txt": "second" });
  const sent = await person.events(["up", "--storage", "walrus", "a.txt"]);
  const stored = sent.find(({ event }) => event === "item");
  expect(stored).toMatchObject({ name: "a.txt", storage: "walrus" });
  await person.run(["up", "b.txt"]);
  const list = async (...args: string[]) =>
    (await person.events(["ls", ...args])).filter(({ event }) => event === "item");
  expect((await list("--storage", "walrus")).map(({ name }) => name)).toEqual(["a.txt"]);
  expect(await list()).toHaveLength(2);
  expect((await person.run(["balance"])).stdout).toMatch(/Walrus: Used +5 B/);
  const full = await person.run(["up", "--storage", "lifetime", "b.txt"]);
  expect([full.code, full.stderr]).toEqual([
    1,
    expect.stringContaining("No room for 6 bytes in the storage class lifetime"),
  ]);
  const cid = String(stored?.["cid"]);
  await person.run(["rm", "--yes", "--storage", "walrus", cid]);
  expect((await list()).map(({ name }) => name)).toEqual(["b.txt"]);
});

test("what is not there is named: the host that does not respond, the file that is not listed", async () => {
  const person = await rig().createPerson();
  // A port that nobody may listen on.
  const down = await person.run(["ls"], { env: { KEEPLIGHT_API_URL: "http://127.0.0.1:9/secret" } });
  expect([down.code, down.stderr]).toEqual([1, expect.stringContaining("No response (127.0.0.1:9: ECONNREFUSED).")]);
  const unknown = await person.run(["rm", "--yes", "a.txt"]);
  const problem = "error: No file of the account has this content id or id: a.txt (NOT_LISTED)";
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining(problem)]);
});
