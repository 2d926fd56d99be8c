import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, readdir, readFile, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { decrypt, download, encryptBytes } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid as cid } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

const key = "0b".repeat(32);
const plain = new TextEncoder().encode("secret ".repeat(300_000));
const encrypted = await encryptBytes(plain, key);

/** Operations on files and folders, in order; `fail` names the one that fails. */
const disk = vi.hoisted(() => ({ done: [] as string[], fail: "" }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    disk.done.push(name);
    if (disk.fail === name) throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO" });
    return work();
  };
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest);
    const kind = (await handle.stat()).isDirectory() ? "folder" : "file";
    const sync = handle.sync.bind(handle);
    return Object.assign(handle, { sync: () => step(`sync ${kind}`, sync) });
  };
  return { ...real, open, rename: (from: string, to: string) => step("rename", () => real.rename(from, to)) };
});

async function readMode(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o7777).toString(8);
}

async function startGateway() {
  const { url } = await createServer(({ path }, response) => response.end(path.endsWith("plain") ? plain : encrypted));
  return endpointsAt(url);
}

describe.skipIf(process.platform === "win32")("a saved file", () => {
  const calls: [string, (to: string) => Promise<unknown>][] = [
    ["download", async (to) => download(cid, { verifyCid: false, endpoints: await startGateway(), to })],
    ["decrypt", async (to) => decrypt(cid, { verifyCid: false, endpoints: await startGateway(), key, to })],
  ];

  test.each(calls)("by %s is readable only by its owner", async (_, call) => {
    const to = join(await scratch(), "file");
    await call(to);
    expect(await readMode(to)).toBe("600");
  });

  test.each(
    calls.flatMap(([name, call]) => [0o600, 0o644, 0o640, 0o400, 0o4755].map((mode) => [name, mode, call] as const)),
  )(
    "by %s in place of one of mode %o may be read by the same people, and is never run as its owner",
    async (_, mode, call) => {
      const to = join(await scratch(), "file");
      await writeFile(to, "old");
      await chmod(to, mode);
      await call(to);
      expect(await readMode(to)).toBe((mode & 0o777).toString(8));
    },
  );

  test.each(calls)("by %s replaces a symbolic link, not its target", async (_, call) => {
    const folder = await scratch();
    const [to, other] = [join(folder, "link"), join(folder, "other")];
    await writeFile(other, "old", { mode: 0o666 });
    await symlink(other, to);
    await call(to);
    expect((await lstat(to)).isFile()).toBe(true);
    expect(await readMode(to)).toBe("600");
    expect(await readFile(other, "utf8")).toBe("old");
  });

  test("is readable only by its owner while it is written, regardless of the file it replaces", async () => {
    const folder = await scratch();
    const to = join(folder, "file");
    await writeFile(to, "old", { mode: 0o644 });
    const { url } = await createServer(
      (_, response) => void response.writeHead(200, { "Content-Length": 9e9 }).write(encrypted),
    );
    const controller = new AbortController();
    const call = failure(
      decrypt(cid, { verifyCid: false, endpoints: endpointsAt(url), key, to, signal: controller.signal }),
    );
    const [name] = await waitForParts(folder);
    expect(await readMode(join(folder, name ?? ""))).toBe("600");
    controller.abort();
    expect(await call).toMatchObject({ code: "ABORTED" });
    expect(await readdir(folder)).toEqual(["file"]);
  });
});

describe("a power cut", () => {
  test("leaves the old file or all of the new one: the file is synced before the rename, and the folder after it", async () => {
    const to = join(await scratch(), "file");
    disk.done = [];
    await decrypt(cid, { verifyCid: false, endpoints: await startGateway(), key, to });
    expect(disk.done).toEqual(
      process.platform === "win32" ? ["sync file", "rename"] : ["sync file", "rename", "sync folder"],
    );
  });

  test("a disk that cannot store the file is an error, and leaves nothing at the path", async () => {
    const folder = await scratch();
    disk.fail = "sync file";
    onTestFinished(() => {
      disk.fail = "";
    });
    const call = decrypt(cid, { verifyCid: false, endpoints: await startGateway(), key, to: join(folder, "file") });
    expect(await failure(call)).toMatchObject({ code: "CANNOT_WRITE" });
    expect(await readdir(folder)).toEqual([]);
  });
});

/** Waits for `count` temporary files with content in the folder; returns their names. */
async function waitForParts(folder: string, count = 1): Promise<string[]> {
  let names: string[] = [];
  await expect
    .poll(
      async () => {
        names = (await readdir(folder)).filter((name) => name.endsWith(".part"));
        const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
        return sizes.filter((size) => size > 0).length;
      },
      // The test's time limit: other processes must start first, which takes long on a busy machine.
      { timeout: 60_000 },
    )
    .toBe(count);
  return names;
}

describe.skipIf(process.platform === "win32")("a temporary file of a killed process", () => {
  const script = fileURLToPath(new URL("download-forever.ts", import.meta.url));
  const flags = ["--conditions=keeplight-source", "--import=tsx"];

  /** Starts a process that is decrypting to `to`. */
  async function startDecrypting(to: string): Promise<ChildProcess> {
    const { url } = await createServer(
      (_, response) => void response.writeHead(200, { "Content-Length": 9e9 }).write(encrypted),
    );
    const child = spawn(process.execPath, [...flags, script, url, key, to], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  test("is removed by the next call; a file of a running process is not", async () => {
    const folder = await scratch();
    const [killed, living] = [await startDecrypting(join(folder, "a")), await startDecrypting(join(folder, "b"))];
    await waitForParts(folder, 2);
    await kill(killed);
    await download(cid, { verifyCid: false, endpoints: await startGateway(), to: join(folder, "c") });
    const left = await readdir(folder);
    expect(left).toHaveLength(2);
    expect(left).toContain("c");
    expect(left.find((name) => name !== "c")).toContain(`-${living.pid}-`);
    await kill(living);
    await download(cid, { verifyCid: false, endpoints: await startGateway(), to: join(folder, "c") });
    expect(await readdir(folder)).toEqual(["c"]);
  });

  test.skipIf(process.platform !== "linux")("is removed even if its parent never waited for its exit", async () => {
    const folder = await scratch();
    const { url } = await createServer(
      (_, response) => void response.writeHead(200, { "Content-Length": 9e9 }).write(encrypted),
    );
    const args = [...flags, script, url, key, join(folder, "a")];
    const parent = spawn("sh", ["-c", '"$@" & exec sleep 600', "sh", process.execPath, ...args], { stdio: "ignore" });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [name = ""] = await waitForParts(folder);
    const pid = Number(name.split("-")[2]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFile(`/proc/${pid}/stat`, "latin1"), { timeout: 60_000 }).toMatch(/\) Z /);
    await download(cid, { verifyCid: false, endpoints: await startGateway(), to: join(folder, "c") });
    expect(await readdir(folder)).toEqual(["c"]);
  });

  test("is distinguished from a later process with the same id", async () => {
    const folder = await scratch();
    await kill((await Promise.all([startDecrypting(join(folder, "a")), waitForParts(folder)]))[0]);
    const [name = ""] = await readdir(folder);
    const [, prefix, , start, random] = /^(\.keeplight-[^-]+)-(\d+)-(\d+)-(.+)$/.exec(name) ?? [];
    await rename(join(folder, name), join(folder, `${prefix}-${process.pid}-${start}-${random}`));
    await download(cid, { verifyCid: false, endpoints: await startGateway(), to: join(folder, "c") });
    // Other systems do not report when a process started, so the file stays.
    expect(await readdir(folder)).toHaveLength(process.platform === "linux" ? 1 : 2);
  });

  test("stays if it belongs to another machine or is not keeplight's, regardless of its age", async () => {
    const folder = await scratch();
    const names = [
      `.keeplight-0123456789ab-1-1-${"0".repeat(16)}.part`,
      ".keeplight-notes.part",
      `.keeplight-0123456789ab-1-1-${"0".repeat(16)}.part.bak`,
    ];
    for (const name of names) {
      await writeFile(join(folder, name), "x");
      await utimes(join(folder, name), 0, 0);
    }
    await download(cid, { verifyCid: false, endpoints: await startGateway(), to: join(folder, "c") });
    expect((await readdir(folder)).sort()).toEqual([...names, "c"].sort());
  });
});
