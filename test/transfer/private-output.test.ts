import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, readdir, readFile, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { decrypt, download, encryptBytes } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { cid } from "../support/fixtures.ts";
import { createServer, endpointsAt } from "../support/http-server.ts";

const key = "0b".repeat(32);
const plain = new TextEncoder().encode("secret ".repeat(300_000));
const encrypted = await encryptBytes(plain, key);

/** What is done to files and folders, in order; `fail` names what fails. */
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

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o7777).toString(8);
}

async function gateway() {
  const { url } = await createServer(({ path }, response) => response.end(path.endsWith("plain") ? plain : encrypted));
  return endpointsAt(url);
}

describe.skipIf(process.platform === "win32")("a file that is saved", () => {
  const calls: [string, (to: string) => Promise<unknown>][] = [
    ["download", async (to) => download(cid, { endpoints: await gateway(), to })],
    ["decrypt", async (to) => decrypt(cid, { endpoints: await gateway(), key, to })],
  ];

  test.each(calls)("by %s can be read by its owner only", async (_, call) => {
    const to = join(await scratch(), "file");
    await call(to);
    expect(await modeOf(to)).toBe("600");
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
      expect(await modeOf(to)).toBe((mode & 0o777).toString(8));
    },
  );

  test.each(calls)("by %s replaces a symbolic link, not what it leads to", async (_, call) => {
    const folder = await scratch();
    const [to, other] = [join(folder, "link"), join(folder, "other")];
    await writeFile(other, "old", { mode: 0o666 });
    await symlink(other, to);
    await call(to);
    expect((await lstat(to)).isFile()).toBe(true);
    expect(await modeOf(to)).toBe("600");
    expect(await readFile(other, "utf8")).toBe("old");
  });

  test("is readable by its owner only while it is written, regardless of what it replaces", async () => {
    const folder = await scratch();
    const to = join(folder, "file");
    await writeFile(to, "old", { mode: 0o644 });
    const { url } = await createServer(
      (_, response) => void response.writeHead(200, { "Content-Length": 9e9 }).write(encrypted),
    );
    const controller = new AbortController();
    const call = failure(decrypt(cid, { endpoints: endpointsAt(url), key, to, signal: controller.signal }));
    const [name] = await partOf(folder);
    expect(await modeOf(join(folder, name ?? ""))).toBe("600");
    controller.abort();
    expect(await call).toMatchObject({ code: "ABORTED" });
    expect(await readdir(folder)).toEqual(["file"]);
  });
});

describe("a power cut", () => {
  test("finds the old file or all of the new one: it is on the disk before it gets its name, and then its name is", async () => {
    const to = join(await scratch(), "file");
    disk.done = [];
    await decrypt(cid, { endpoints: await gateway(), key, to });
    expect(disk.done).toEqual(
      process.platform === "win32" ? ["sync file", "rename"] : ["sync file", "rename", "sync folder"],
    );
  });

  test("a disk that cannot keep the file is an error, and nothing is at the path", async () => {
    const folder = await scratch();
    disk.fail = "sync file";
    onTestFinished(() => {
      disk.fail = "";
    });
    const call = decrypt(cid, { endpoints: await gateway(), key, to: join(folder, "file") });
    expect(await failure(call)).toMatchObject({ code: "CANNOT_WRITE" });
    expect(await readdir(folder)).toEqual([]);
  });
});

/** Temporary files in the folder, as soon as there are some with bytes in them. */
async function partOf(folder: string, count = 1): Promise<string[]> {
  let names: string[] = [];
  await expect
    .poll(
      async () => {
        names = (await readdir(folder)).filter((name) => name.endsWith(".part"));
        const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
        return sizes.filter((size) => size > 0).length;
      },
      // The test's own limit: other processes have to start first, which takes long on a busy machine.
      { timeout: 60_000 },
    )
    .toBe(count);
  return names;
}

describe.skipIf(process.platform === "win32")("what a process that was killed has left", () => {
  const script = fileURLToPath(new URL("download-forever.ts", import.meta.url));
  const flags = ["--conditions=keeplight-source", "--import=tsx"];

  /** A process that is in the middle of decrypting to `to`. */
  async function decrypting(to: string): Promise<ChildProcess> {
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

  test("is removed by the next call, and what a living one uses is not", async () => {
    const folder = await scratch();
    const [killed, living] = [await decrypting(join(folder, "a")), await decrypting(join(folder, "b"))];
    await partOf(folder, 2);
    await kill(killed);
    await download(cid, { endpoints: await gateway(), to: join(folder, "c") });
    const left = await readdir(folder);
    expect(left).toHaveLength(2);
    expect(left).toContain("c");
    expect(left.find((name) => name !== "c")).toContain(`-${living.pid}-`);
    await kill(living);
    await download(cid, { endpoints: await gateway(), to: join(folder, "c") });
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
    const [name = ""] = await partOf(folder);
    const pid = Number(name.split("-")[2]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => readFile(`/proc/${pid}/stat`, "latin1"), { timeout: 60_000 }).toMatch(/\) Z /);
    await download(cid, { endpoints: await gateway(), to: join(folder, "c") });
    expect(await readdir(folder)).toEqual(["c"]);
  });

  test("is distinguished from a later process with the same id", async () => {
    const folder = await scratch();
    await kill((await Promise.all([decrypting(join(folder, "a")), partOf(folder)]))[0]);
    const [name = ""] = await readdir(folder);
    const [, prefix, , start, random] = /^(\.keeplight-[^-]+)-(\d+)-(\d+)-(.+)$/.exec(name) ?? [];
    await rename(join(folder, name), join(folder, `${prefix}-${process.pid}-${start}-${random}`));
    await download(cid, { endpoints: await gateway(), to: join(folder, "c") });
    // Other systems do not report when a process started, and the file stays.
    expect(await readdir(folder)).toHaveLength(process.platform === "linux" ? 1 : 2);
  });

  test("stays if it is another machine's, or no file of ours, however old", async () => {
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
    await download(cid, { endpoints: await gateway(), to: join(folder, "c") });
    expect((await readdir(folder)).sort()).toEqual([...names, "c"].sort());
  });
});
