import { execFileSync } from "node:child_process";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { formatEntry, type RecoveryKey } from "../../../src/formats/recovery-file/entry.ts";
import { createRecoveryIdentity, kavachGenerate } from "../../../src/index.ts";
import { ensureRecoveryTools } from "../../../test/support/external-tools.mjs";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import { cid } from "../../../test/support/fixtures.ts";
import { openRecoveryKit } from "../src/index.ts";

const { identity, recipient } = await createRecoveryIdentity();
const { masterKey } = await kavachGenerate();
const key: RecoveryKey = { cid, name: "a.txt", size: 1, masterKey };
const line = new TextDecoder().decode(await formatEntry(key));

beforeAll(ensureRecoveryTools);

/** Encrypts lines by Debian's age. */
const byAge = (text: string | Uint8Array, to = recipient) =>
  new Uint8Array(execFileSync("age", ["-r", to], { input: text, maxBuffer: 1e9 }));

const open = (bytes: Uint8Array, secret: object = { identity }) =>
  openRecoveryKit(bytes, secret as { identity: string });

test("a kit that age has encrypted opens", async () => {
  const kit = await open(byAge(line));
  expect(kit.entries).toEqual([{ cid, name: "a.txt", size: 1 }]);
  expect([kit.keys(cid), kit.unread]).toEqual([[masterKey], []]);
  expect((await open(byAge(""))).entries).toEqual([]);
});

test("10,000 lines open, whatever their names contain", async () => {
  const names = ["line\nbreak", "\u0000\u001b[31m", '"quotes"\\', "\u2028", "😀", "\ud800"];
  const { encodeCid, formatCid } = await import("../../../src/formats/cid/content-id.ts");
  const keys = Array.from({ length: 10_000 }, (_, at) => {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, at);
    return { ...key, cid: formatCid(encodeCid(1, "raw", hash)), name: names[at % names.length] ?? null };
  });
  const lines = await Promise.all(keys.map(formatEntry));
  const kit = await open(byAge(Buffer.concat(lines)));
  expect(kit.entries.map(({ name }) => name)).toEqual(keys.map(({ name }) => name));
  expect(kit.entries.map((entry) => entry.cid)).toEqual(keys.map((entry) => entry.cid));
});

describe("a kit that cannot be opened", () => {
  const kit = () => byAge(line);
  test("with another identity or a passphrase", async () => {
    const { identity: other } = await createRecoveryIdentity();
    for (const secret of [{ identity: other }, { passphrase: "wrong" }]) {
      const error = await failure(open(kit(), secret));
      expect(error).toMatchObject({ code: "CANNOT_DECRYPT", details: { file: "blob" } });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(other);
    }
  });

  test("because it is cut off anywhere, or a byte is changed", async () => {
    const bytes = kit();
    for (let length = 0; length < bytes.length; length++) {
      expect(await failure(open(bytes.slice(0, length)))).toMatchObject({ code: "CANNOT_DECRYPT" });
    }
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(await failure(open(changed))).toMatchObject({ code: "CANNOT_DECRYPT" });
    }
  });

  test.each([
    ["a changed key", line.replace(/"masterKey":"..../, '"masterKey":"0000'), "COMMITMENT_MISMATCH", { cid }],
    ["no commitment", line.replace(/,"commitment":"\w+"/, ""), "INVALID_KIT", { file: "blob", line: 1 }],
    ["a malformed content id", line.replace(cid, "x"), "INVALID_KIT", { file: "blob", line: 1 }],
    ["a negative size", line.replace('"size":1', '"size":-1'), "INVALID_KIT", { file: "blob", line: 1 }],
    [
      "a malformed chunk profile",
      line.replace('"size":1', '"size":1,"chunkProfile":"rabin"'),
      "INVALID_KIT",
      { file: "blob", line: 1 },
    ],
    ["a line that is none", `nothing\n${line}`, "INVALID_KIT", { file: "blob", line: 1 }],
    ["an empty line", `\n${line}`, "INVALID_KIT", { file: "blob", line: 1 }],
    ["a last line without end", line.trimEnd(), "INVALID_KIT", { file: "blob" }],
    ["a line that never ends", "a".repeat(2_000_000), "INVALID_KIT", { file: "blob" }],
    ["bytes that are no text", Uint8Array.of(0xff, 0x0a), "INVALID_KIT", { file: "blob" }],
  ])("with %s", async (_, text, code, details) => {
    const error = await failure(open(byAge(text)));
    expect(error).toMatchObject({ code, details });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(masterKey.slice(4));
  });

  test("without a secret, or with two", async () => {
    for (const secret of [{}, { identity: recipient }, { passphrase: "" }, { identity, passphrase: "a" }]) {
      expect(await failure(open(kit(), secret))).toMatchObject({ code: "INVALID_OPTION" });
    }
  });
});

test.each([
  ["a second line that is none", `${line}nothing\n`, { code: "INVALID_KIT", details: { file: "blob", line: 2 } }],
  ["a last line without end", `${line}${line.trimEnd()}`, { code: "INVALID_KIT" }],
  ["a line that never ends", `${line}${"a".repeat(2_000_000)}`, { code: "INVALID_KIT" }],
])("what is before %s is read", async (_, text, error) => {
  const kit = await open(byAge(text));
  expect(kit.keys(cid)).toEqual([masterKey]);
  expect(kit.unread).toMatchObject([{ file: "blob", error }]);
});

test("of a truncated kit the entries before the damage are read", async () => {
  const bytes = byAge(line + " ".repeat(200_000));
  const kit = await open(bytes.slice(0, -1));
  expect(kit.keys(cid)).toEqual([masterKey]);
  expect(kit.unread).toMatchObject([{ error: { code: "CANNOT_DECRYPT" } }]);
});

test("in a folder only *.age files are read, and those that cannot be are reported", async () => {
  const folder = await scratch();
  await writeFile(join(folder, "note.txt"), "no kit");
  expect(await failure(openRecoveryKit(folder, { identity }))).toMatchObject({ code: "INVALID_SOURCE" });
  await writeFile(join(folder, "a.age"), byAge(line));
  expect((await openRecoveryKit(folder, { identity })).entries).toHaveLength(1);
  const { recipient: other } = await createRecoveryIdentity();
  const damaged = {
    "0 truncated.age": byAge(line).slice(0, -1),
    "1 empty.age": new Uint8Array(),
    "2 foreign.age": byAge(line, other),
    "3 text.age": "not an age file",
    "z other.age": byAge("something else\n"),
  };
  for (const [name, bytes] of Object.entries(damaged)) await writeFile(join(folder, name), bytes);
  const kit = await openRecoveryKit(folder, { identity });
  expect([kit.entries, kit.keys(cid)]).toEqual([[{ cid, name: "a.txt", size: 1 }], [masterKey]]);
  const code = "CANNOT_DECRYPT";
  expect(kit.unread).toMatchObject([
    { file: expect.stringContaining("0 truncated.age"), error: { code } },
    { file: expect.stringContaining("1 empty.age"), error: { code } },
    { file: expect.stringContaining("2 foreign.age"), error: { code } },
    { file: expect.stringContaining("3 text.age"), error: { code } },
    { file: expect.stringContaining("z other.age"), error: { code: "INVALID_KIT" } },
  ]);
  await rm(join(folder, "a.age"));
  const error = await failure(openRecoveryKit(folder, { identity }));
  expect(error).toMatchObject({ code, details: { file: expect.stringContaining("0 truncated.age") } });
});

test.skipIf(process.platform === "win32")("what is no file in a folder does not close the kit", async () => {
  const folder = await scratch();
  await writeFile(join(folder, "b.age"), byAge(line));
  execFileSync("mkfifo", [join(folder, "0 pipe.age"), join(folder, "z pipe")]);
  await symlink(join(folder, "nothing"), join(folder, "1 dangling.age"));
  await symlink(folder, join(folder, "c"));
  const kit = await openRecoveryKit(folder, { identity });
  expect(kit.keys(cid)).toEqual([masterKey]);
  expect(kit.unread.map(({ file, error }) => [file.split("/").pop(), error.code])).toEqual([
    ["0 pipe.age", "INVALID_SOURCE"],
    ["1 dangling.age", "SOURCE_UNREADABLE"],
    ["c", "INVALID_SOURCE"],
    ["z pipe", "INVALID_SOURCE"],
  ]);
});

test.each(["-> X25519 ", "---"])("a file whose header does not end after %j is not read to its end", async (start) => {
  let chunks = 0;
  async function* endless() {
    yield new TextEncoder().encode(`age-encryption.org/v1\n${start}`);
    for (; chunks < 500; chunks++) yield new Uint8Array(65_536).fill(97);
  }
  expect(await failure(openRecoveryKit(endless(), { identity }))).toMatchObject({ code: "CANNOT_DECRYPT" });
  expect(chunks).toBeLessThan(20);
});

test("of two entries for one file both keys are kept, each once, and the first name", async () => {
  const { masterKey: other } = await kavachGenerate();
  const second = new TextDecoder().decode(await formatEntry({ ...key, name: "b.txt", masterKey: other }));
  const kit = await open(byAge(line + second + line));
  expect([kit.entries, kit.keys(cid)]).toEqual([[{ cid, name: "a.txt", size: 1 }], [masterKey, other]]);
});

test("a passphrase is not tried on files whose cost would take the memory of the machine", async () => {
  const folder = await scratch();
  const bytes = (length: number) => Buffer.alloc(length, 1).toString("base64").replace(/=+$/, "");
  const forge = (cost: number) =>
    `age-encryption.org/v1\n-> scrypt ${bytes(16)} ${cost}\n${bytes(32)}\n--- ${bytes(32)}\n${"a".repeat(32)}`;
  for (let at = 0; at < 9; at++) await writeFile(join(folder, `${at}.age`), forge(21));
  // All of them would take longer than this test may.
  const error = await failure(openRecoveryKit(folder, { passphrase: "correct horse" }));
  expect(error).toMatchObject({ code: "CANNOT_DECRYPT", details: { file: expect.stringContaining("0.age") } });
});

test("an abort ends it, even while a passphrase is tried", async () => {
  const bytes = byAge(line);
  expect(await failure(openRecoveryKit(bytes, { identity, signal: AbortSignal.abort() }))).toMatchObject({
    code: "ABORTED",
  });
  const stream = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
  const abort = new AbortController();
  const opening = failure(openRecoveryKit(stream, { identity, signal: abort.signal }));
  abort.abort();
  expect((await opening).code).toBe("ABORTED");
});
