import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { scratch } from "../../../test/support/files.ts";
import { startDevnet } from "../src/index.ts";
import { openState } from "../src/state/open-state.ts";
import { takeFolder } from "../src/state/take-folder.ts";

const HEADER = '{"format":"keeplight-devnet-state","version":1}\n';

/** Opens a state and returns what is in it, by map and key; closes it. */
function readState(dir: string, names = ["a", "b"]): Record<string, unknown> {
  const state = openState(dir);
  const entries = names.flatMap((name) => {
    const map = state.map(name);
    return [...map.keys()].map((key) => [`${name}.${key}`, map.get(key)]);
  });
  state.close();
  return Object.fromEntries(entries);
}

describe("a state", () => {
  test("has after it is opened again what was set, in the same order, and not what was deleted", async () => {
    const dir = await scratch();
    const names = ["é\u2028\u2029\r\n", "__proto__", "constructor", ""];
    const state = openState(dir);
    const map = state.map<unknown>("a");
    for (const [index, name] of names.entries()) map.set(name, { index, at: name });
    map.set("gone", 1);
    map.set("__proto__", [null, "changed"]);
    expect([map.delete("gone"), map.delete("never")]).toEqual([true, false]);
    state.map("b").set("__proto__", 5);
    expect([map.size, map.has("gone"), map.get("gone")]).toEqual([4, false, undefined]);
    state.close();
    for (let times = 0; times < 3; times++) {
      const again = openState(dir);
      expect([...again.map("a").keys()]).toEqual(names);
      expect([...again.map("a").values()]).toEqual([
        { index: 0, at: names[0] },
        [null, "changed"],
        { index: 2, at: names[2] },
        { index: 3, at: names[3] },
      ]);
      expect(again.map("b").get("__proto__")).toBe(5);
      again.close();
    }
  });

  test("is written before a call returns", async () => {
    const dir = await scratch();
    const { map, close } = openState(dir);
    const keys = map<string>("a");
    for (const [value, line] of [
      ["one", '["a","key","one"]\n'],
      ["two", '["a","key","two"]\n'],
    ]) {
      keys.set("key", value ?? "");
      expect((await readFile(join(dir, "state.jsonl"), "utf8")).endsWith(line ?? "")).toBe(true);
    }
    keys.delete("key");
    expect((await readFile(join(dir, "state.jsonl"), "utf8")).endsWith('["a","key"]\n')).toBe(true);
    close();
  });

  test("has all lines but one that was cut, wherever it was", async () => {
    const last = '["b","key €",{"value":"ü"}]\n';
    for (let length = 0; length < Buffer.byteLength(last); length++) {
      const dir = await scratch();
      const bytes = Buffer.from(`${HEADER}["a","key",1]\n${last}`);
      await writeFile(join(dir, "state.jsonl"), bytes.subarray(0, bytes.length - length));
      expect(readState(dir)).toEqual({ "a.key": 1, ...(length === 0 ? { "b.key €": { value: "ü" } } : {}) });
      // what follows is not appended to the rest of a line
      const state = openState(dir);
      state.map("b").set("later", 2);
      state.close();
      expect(readState(dir)).toMatchObject({ "a.key": 1, "b.later": 2 });
    }
  });

  test.each([
    [
      "of another version",
      '{"format":"keeplight-devnet-state","version":2}\n',
      "is of another version, or none of a devnet",
    ],
    ["empty", "", "is of another version, or none of a devnet"],
    ["cut in its first line", HEADER.trimEnd(), "is of another version, or none of a devnet"],
    ["another file", "notes\n", "is of another version, or none of a devnet"],
    ["damaged", `${HEADER}["a","key",1]\n["a","ke\n["a","other",1]\n`, "is damaged in line 3"],
    ["overwritten", `${HEADER}\0\0\0\n["a","key",1]\n`, "is damaged in line 2"],
    ["of other changes", `${HEADER}["a","key",1]\n["a",5]\n`, "is damaged in line 3"],
  ])("that is %s is refused and left alone", async (_, content, problem) => {
    const dir = await scratch();
    const path = join(dir, "state.jsonl");
    await writeFile(path, content);
    const message = `Invalid option dataDir: ${path} ${problem}`;
    await expect(startDevnet({ dataDir: dir })).rejects.toMatchObject({ code: "INVALID_OPTION", message });
    expect(await readFile(path, "utf8")).toBe(content);
    expect((await readdir(dir)).filter((name) => name.startsWith("lock."))).toEqual([]);
  });

  test("does not grow with each start", async () => {
    const dir = await scratch();
    const state = openState(dir);
    for (let times = 0; times < 1_000; times++) state.map("a").set("key", "x".repeat(times));
    state.close();
    readState(dir);
    expect((await stat(join(dir, "state.jsonl"))).size).toBeLessThan(1_100);
  });

  test("of many megabytes is written and read", async () => {
    const dir = await scratch();
    const state = openState(dir);
    const value = "ü".repeat(500);
    for (let key = 0; key < 20_000; key++) state.map("a").set(String(key), { key, value });
    state.close();
    for (let times = 0; times < 2; times++) {
      const again = openState(dir);
      const map = again.map("a");
      expect([map.size, map.get("0"), map.get("19999")]).toEqual([20_000, { key: 0, value }, { key: 19_999, value }]);
      again.close();
    }
  });

  test("is not written any more once it is closed", async () => {
    const dir = await scratch();
    const state = openState(dir);
    const map = state.map("a");
    state.close();
    expect(() => map.set("key", 1)).toThrow("closed");
    expect([map.has("key"), readState(dir)]).toEqual([false, {}]);
  });

  test.skipIf(process.platform === "win32")("has no part of a line that does not fit on the disk", async () => {
    const dir = await scratch();
    const script = fileURLToPath(new URL("./fill-state.ts", import.meta.url));
    const args = ["--import", "tsx", "--conditions=keeplight-source", script, dir];
    // 8 or 16 KiB, by the shell
    const limited = 'ulimit -f 16; trap "" XFSZ; exec "$@"';
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", limited, "sh", process.execPath, ...args], {
      env: { ...process.env, TSX_DISABLE_CACHE: "1" },
    });
    const keys = ["small", "large", "other"];
    expect(JSON.parse(stdout)).toEqual({ written: keys, known: keys });
    expect(Object.keys(readState(dir))).toEqual(keys.map((key) => `a.${key}`));
  });

  test.skipIf(process.platform === "win32")("is for its user alone", async () => {
    const dir = join(await scratch(), "new");
    const devnet = await startDevnet({ dataDir: dir });
    const modes = async () => {
      const names = (await readdir(dir)).filter((name) => name !== "blocks" && name !== "spool");
      return Promise.all(names.sort().map(async (name) => [name, (await stat(join(dir, name))).mode & 0o777]));
    };
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    expect(await modes()).toEqual([
      ["lock.1", 0o600],
      ["state.jsonl", 0o600],
    ]);
    await devnet.close();
    // a file that everybody may read was there before
    await writeFile(join(dir, "state.jsonl.new"), "", { mode: 0o644 });
    const again = await startDevnet({ dataDir: dir });
    expect(await modes()).toEqual([
      ["lock.1", 0o600],
      ["state.jsonl", 0o600],
    ]);
    await again.close();
  });
});

describe("a data folder", () => {
  const inUse = (dir: string) => ({
    code: "INVALID_OPTION",
    message: `Invalid option dataDir: another devnet uses ${dir}`,
  });

  test("that something else has used is refused, and stays as it is", async () => {
    for (const path of ["spool/upload.bin", "blocks/one", "lock.7"]) {
      const dataDir = await scratch();
      await mkdir(dirname(join(dataDir, path)), { recursive: true });
      await writeFile(join(dataDir, path), "not a devnet's");
      await writeFile(join(dataDir, "notes.txt"), "notes");
      await expect(startDevnet({ dataDir })).rejects.toMatchObject({ code: "INVALID_OPTION" });
      expect(await readFile(join(dataDir, path), "utf8")).toBe("not a devnet's");
      expect(await readdir(dataDir)).toHaveLength(2);
    }
  });

  test("is used by one devnet at a time", async () => {
    const dataDir = await scratch();
    const first = await startDevnet({ dataDir });
    await expect(startDevnet({ dataDir })).rejects.toMatchObject(inUse(dataDir));
    await first.close();
    const next = await startDevnet({ dataDir });
    await expect(startDevnet({ dataDir })).rejects.toMatchObject(inUse(dataDir));
    await next.close();
    expect((await readdir(dataDir)).sort()).toEqual(["blocks", "spool", "state.jsonl"]);
  });

  test("is taken by one of several devnets that start at the same time", async () => {
    const dataDir = await scratch();
    const started = await Promise.allSettled(Array.from({ length: 6 }, () => startDevnet({ dataDir })));
    const running = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    onTestFinished(async () => void (await Promise.all(running.map(({ close }) => close()))));
    expect(running).toHaveLength(1);
    for (const each of started) if (each.status === "rejected") expect(each.reason).toMatchObject(inUse(dataDir));
  });

  test("that another container has used is free once its lock has been silent", async () => {
    const dataDir = await scratch();
    await writeFile(join(dataDir, "lock.7"), JSON.stringify({ pid: process.pid, space: "another" }));
    const devnet = await startDevnet({ dataDir });
    expect((await readdir(dataDir)).filter((name) => name.startsWith("lock."))).toEqual(["lock.8"]);
    await devnet.close();
  });

  test("that another container uses is refused, whatever its clock says, and so is a damaged lock that lives", async () => {
    for (const owner of [JSON.stringify({ pid: 2 ** 22 + 1, space: "another" }), "", "[]", "null"]) {
      const dataDir = await scratch();
      const lock = join(dataDir, "lock.1");
      await writeFile(lock, owner);
      let time = 1;
      const alive = setInterval(() => void utimes(lock, ++time, time).catch(() => {}), 500);
      onTestFinished(() => clearInterval(alive));
      await expect(startDevnet({ dataDir })).rejects.toMatchObject(inUse(dataDir));
      clearInterval(alive);
    }
  });

  test("is free after its process was killed, and rid of what that was receiving", async () => {
    const dataDir = await scratch();
    const dead = 2 ** 22 + 1;
    const release = await takeFolder(dataDir);
    const [own] = await readdir(dataDir);
    const owner = JSON.parse(await readFile(join(dataDir, own ?? ""), "utf8"));
    await release();
    await writeFile(join(dataDir, "lock.1"), JSON.stringify({ ...owner, pid: dead }));
    openState(dataDir).close();
    await mkdir(join(dataDir, "spool", "1-00000000-abcdef"), { recursive: true });
    const devnet = await startDevnet({ dataDir });
    expect(await readdir(join(dataDir, "spool"))).toEqual([]);
    await devnet.close();
  });

  test("a devnet shows that it is alive", async () => {
    const dataDir = await scratch();
    const devnet = await startDevnet({ dataDir });
    const lock = join(dataDir, "lock.1");
    const { mtimeMs } = await stat(lock);
    await expect.poll(async () => (await stat(lock)).mtimeMs).toBeGreaterThan(mtimeMs);
    await devnet.close();
  });
});
