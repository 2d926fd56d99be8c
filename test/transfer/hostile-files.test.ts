import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, open, rename, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { createServer as createSocketServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Source, upload, uploadEncrypted } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch, writeTree } from "../support/files.ts";
import { owner } from "../support/fixtures.ts";
import { createServer, endpointsAt, sendJson } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";
import { parseMultipart } from "../support/multipart.ts";

const uploaded = { Name: "name", Hash: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", Size: "1" };

const sends: [string, typeof upload][] = [
  ["upload", upload],
  ["uploadEncrypted", (source, options) => uploadEncrypted(source, { ...owner, ...options })],
];

describe.skipIf(process.platform === "win32").each(sends)("%s refuses before it sends anything", (_, send) => {
  const cases: [string, (dir: string) => Promise<unknown>, string][] = [
    [
      "a link to its own folder",
      (dir) => symlink(".", join(dir, "loop")),
      "Invalid source: dir/loop links back to a folder it is in",
    ],
    [
      "links in a circle",
      async (dir) => {
        await mkdir(join(dir, "a"));
        await symlink("../b", join(dir, "a", "to-b"));
        await mkdir(join(dir, "b"));
        await symlink("../a", join(dir, "b", "to-a"));
      },
      "Invalid source: dir/a/to-b/to-a links back to a folder it is in",
    ],
    ["a link to itself", (dir) => symlink("self", join(dir, "self")), "The source could not be read: dir/self (ELOOP)"],
    [
      "a link to nothing",
      (dir) => symlink("nowhere", join(dir, "dangling")),
      "The source could not be read: dir/dangling (ENOENT)",
    ],
    [
      "a pipe",
      async (dir) => execFileSync("bash", ["-c", 'mkfifo "$0"', join(dir, "pipe")]),
      "Invalid source: dir/pipe is neither a file nor a folder",
    ],
    ["a socket", (dir) => listenAt(join(dir, "socket")), "Invalid source: dir/socket is neither a file nor a folder"],
    [
      "a device",
      (dir) => symlink("/dev/zero", join(dir, "zero")),
      "Invalid source: dir/zero is neither a file nor a folder",
    ],
  ];

  async function listenAt(path: string): Promise<void> {
    const server = createSocketServer().listen(path);
    await once(server, "listening");
    onTestFinished(() => void server.close());
  }

  test.each(cases)("%s", async (__, make, message) => {
    const dir = join(await writeTree(await scratch(), { "dir/file.txt": "x" }), "dir");
    await make(dir);
    const server = await createServer(() => undefined);
    const error = await failure(send(dir, { apiKey: "key", endpoints: endpointsAt(server.url) }));
    expect(error.message.replace(`${dirname(dir)}/`, "")).toBe(message);
    expect(server.requests).toEqual([]);
  });

  test("a folder without files, and a path to nothing", async () => {
    const folder = await scratch();
    await mkdir(join(folder, "dir", "deeper"), { recursive: true });
    const options = { apiKey: "key" };
    expect(await failure(send(join(folder, "dir"), options))).toMatchObject({
      code: "INVALID_SOURCE",
      message: "Invalid source: the folder dir has no files",
    });
    expect(await failure(send(join(folder, "absent"), options))).toMatchObject({
      code: "SOURCE_UNREADABLE",
      message: `The source could not be read: ${join(folder, "absent")} (ENOENT)`,
      cause: { code: "ENOENT" },
    });
  });
});

describe.each(sends)("%s, of a file that changes after it was listed", (_, send) => {
  const SIZE = 1_000_000;
  const changes: [string, (path: string) => Promise<unknown>, string][] = [
    ["is deleted", (path) => rm(path), "SOURCE_UNREADABLE The source could not be read: b.bin (ENOENT)"],
    ["grows by a byte", (path) => appendFile(path, "x"), "SOURCE_CHANGED The source changed while it was read: b.bin"],
    ["grows a lot", (path) => truncate(path, 10 * SIZE), "SOURCE_CHANGED The source changed while it was read: b.bin"],
    [
      "shrinks by a byte",
      (path) => truncate(path, SIZE - 1),
      "SOURCE_CHANGED The source changed while it was read: b.bin",
    ],
    ["is emptied", (path) => truncate(path, 0), "SOURCE_CHANGED The source changed while it was read: b.bin"],
    ["is written to in place", overwrite, "SOURCE_CHANGED The source changed while it was read: b.bin"],
    [
      "is replaced by another of its size and times",
      async (path) => {
        await writeFile(`${path}.new`, new Uint8Array(SIZE).fill(1));
        await sameTimes(`${path}.new`, path);
        await rename(`${path}.new`, path);
      },
      "SOURCE_CHANGED The source changed while it was read: b.bin",
    ],
    [
      "becomes a link to another of its size",
      async (path) => {
        await rename(path, `${path}.old`);
        await writeFile(`${path}.secret`, new Uint8Array(SIZE).fill(1));
        await symlink(`${path}.secret`, path);
      },
      "SOURCE_CHANGED The source changed while it was read: b.bin",
    ],
    [
      "becomes a folder",
      async (path) => {
        await rm(path);
        await mkdir(path);
      },
      "SOURCE_CHANGED The source changed while it was read: b.bin",
    ],
    [
      "becomes a pipe that nobody writes to",
      async (path) => {
        await rm(path);
        execFileSync("mkfifo", [path]);
      },
      "SOURCE_CHANGED The source changed while it was read: b.bin",
    ],
  ];

  test.each(changes)("it %s: one error, immediately, and nothing is left open", async (__, change, expected) => {
    const path = join(await writeTree(await scratch(), { "b.bin": new Uint8Array(SIZE) }), "b.bin");
    const expectNothingLeft = watchLeaks();
    const server = await createServer((___, response) => sendJson(response, uploaded));
    async function* first(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      await change(path);
    }
    const source: Source = [{ name: "a.bin", size: 10, stream: first() }, path];
    const error = await failure(send(source, { apiKey: "key", endpoints: endpointsAt(server.url) }));
    expect(`${error.code} ${error.message.replace(path, "b.bin")}`).toBe(expected);
    await expect.poll(server.connections).toBe(0);
    await server.close();
    await expectNothingLeft();
  });
});

describe("a file that changes while it is read is refused, of the same size or not:", () => {
  const SIZE = 8 * 1024 * 1024;
  const changes: [string, (path: string) => Promise<unknown>][] = [
    ["grown", (path) => appendFile(path, "more")],
    ["written to in place", overwrite],
    [
      "cut and grown back",
      async (path) => {
        const before = await stat(path);
        await truncate(path, SIZE - 1);
        await truncate(path, SIZE);
        await utimes(path, before.atime, before.mtime);
      },
    ],
  ];
  test.each(changes)("%s", async (_, change) => {
    const path = join(await scratch(), "log.txt");
    await writeFile(path, new Uint8Array(SIZE));
    const server = await createServer(
      (__, response, incoming) => {
        incoming
          .on("error", () => undefined)
          .on("end", () => sendJson(response, uploaded))
          .once("data", () => void change(path).then(() => incoming.resume()));
        incoming.once("data", () => incoming.pause());
      },
      { read: false },
    );
    const error = await failure(upload(path, { apiKey: "key", endpoints: endpointsAt(server.url) }));
    expect(error).toMatchObject({ code: "SOURCE_CHANGED", details: { expectedBytes: SIZE } });
  });
});

/** Writes to the last byte and restores the file's times; only its ctime shows the change. */
async function overwrite(path: string): Promise<void> {
  const before = await stat(path, { bigint: true });
  let now = before;
  // A file system's clock may tick as seldom as every 10 ms.
  while (now.ctimeNs === before.ctimeNs) {
    const handle = await open(path, "r+");
    await handle.write("x", Number(before.size) - 1);
    await handle.utimes(Number(before.atimeMs) / 1000, Number(before.mtimeMs) / 1000);
    await handle.close();
    now = await stat(path, { bigint: true });
  }
}

async function sameTimes(path: string, of: string): Promise<void> {
  const { atime, mtime } = await stat(of);
  await utimes(path, atime, mtime);
}

test.skipIf(process.platform !== "linux").each(["/proc/version", "/proc/self/status"])(
  "a file that does not report its size is refused before anything is sent: %s",
  async (path) => {
    const server = await createServer((_, response) => sendJson(response, uploaded));
    const error = await failure(upload(path, { apiKey: "key", endpoints: endpointsAt(server.url) }));
    expect(error.code).toBe("INVALID_SOURCE");
    expect(error.message).toMatch(/does not report its size/);
    expect(server.requests).toEqual([]);
  },
);

test("folders may be nested a thousand deep", async () => {
  const folder = await scratch();
  const deep = Array.from({ length: 1_000 }, () => "d").join("/");
  await mkdir(join(folder, deep), { recursive: true });
  await writeFile(join(folder, deep, "file.txt"), "deep");
  const server = await createServer((_, response) => sendJson(response, uploaded));
  await upload(join(folder, "d"), { apiKey: "key", endpoints: endpointsAt(server.url) });
  const [request] = server.requests;
  const [part] = await parseMultipart(request?.headers ?? {}, request?.body ?? Buffer.alloc(0));
  expect(part).toMatchObject({ filename: `${deep}/file.txt` });
  expect(part?.bytes.toString()).toBe("deep");
});
