import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { decrypt, download, encryptBytes, type Progress } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { scratch } from "../support/files.ts";
import { opaqueCid as cid } from "../support/fixtures.ts";
import { createGate } from "../support/gate.ts";
import { createServer, endpointsAt, type Handler } from "../support/http-server.ts";
import { watchLeaks } from "../support/leaks.ts";

const key = "0b".repeat(32);
const CHUNK = 256 * 1024;

function someBytes(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) % 251);
}

/** Lets a test delay the rename that puts a file at its path. */
const disk = vi.hoisted(() => ({ rename: undefined as ((work: () => Promise<void>) => Promise<void>) | undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const rename: typeof real.rename = (from, to) => {
    const work = () => real.rename(from, to);
    return disk.rename ? disk.rename(work) : work();
  };
  return { ...real, rename };
});

/** Blocks the next rename until it is released. */
function holdRename(fails = false) {
  const started = createGate();
  const release = createGate();
  onTestFinished(() => {
    disk.rename = undefined;
  });
  disk.rename = async (work) => {
    started.reach();
    await release.reached;
    if (fails) throw Object.assign(new Error("EIO: i/o error, rename"), { code: "EIO" });
    await work();
  };
  return { started: started.reached, release: release.reach };
}

async function serveFile(file: Uint8Array, handler?: Handler) {
  const server = await createServer(handler ?? ((_, response) => response.end(file)));
  return { ...server, endpoints: endpointsAt(server.url) };
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const plain = someBytes(3 * CHUNK + 5);
const encrypted = await encryptBytes(plain, key);
type Fetch = typeof download;
const fetches: [string, Fetch, Uint8Array][] = [
  ["download", ((id: string, options: object) => download(id, { verifyCid: false, ...options })) as Fetch, plain],
  [
    "decrypt",
    ((id: string, options: object) => decrypt(id, { verifyCid: false, key, ...options })) as Fetch,
    encrypted,
  ],
];

describe.each(fetches)("%s returns", (_, fetch, stored) => {
  test("bytes, a Blob and a stream of the same bytes, and leaves nothing behind", async () => {
    const { endpoints, close, requests } = await serveFile(stored);
    const expectNothingLeft = watchLeaks();
    expect(Buffer.compare(await fetch(cid, { endpoints }), plain)).toBe(0);
    const blob = await fetch(cid, { endpoints, as: "blob" });
    expect(blob.size).toBe(plain.length);
    expect(Buffer.compare(new Uint8Array(await blob.arrayBuffer()), plain)).toBe(0);
    const stream = await fetch(cid, { endpoints, as: "stream" });
    expect(Buffer.compare(await collect(stream), plain)).toBe(0);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill(`POST /api/v0/cat/${cid}`));
    await close();
    await expectNothingLeft();
  });

  test("a stream; cancelling it leaves nothing behind either", async () => {
    const { endpoints, close } = await serveFile(stored);
    const expectNothingLeft = watchLeaks();
    const stream = await fetch(cid, { endpoints, as: "stream" });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await close();
    await expectNothingLeft();
  });

  test.each<[string, (path: string) => string | URL]>([
    ["a path", (path) => path],
    ["a relative path", (path) => relative(process.cwd(), path)],
    ["a file: URL", (path) => pathToFileURL(path)],
  ])("a file at %s, which replaces the previous one", async (__, to) => {
    const folder = await scratch();
    const path = join(folder, "tärget file");
    await writeFile(path, "old");
    const { endpoints } = await serveFile(stored);
    expect(await fetch(cid, { endpoints, to: to(path) })).toEqual({ path, size: plain.length });
    expect(Buffer.compare(await readFile(path), plain)).toBe(0);
    expect(await readdir(folder)).toEqual(["tärget file"]);
  });

  test("the whole file at the path, or nothing new, if it is aborted during the rename", async () => {
    for (const fails of [false, true]) {
      const folder = await scratch();
      const to = join(folder, "target");
      await writeFile(to, "old");
      const { endpoints, close } = await serveFile(stored);
      const expectNothingLeft = watchLeaks();
      const { started, release } = holdRename(fails);
      const controller = new AbortController();
      const call = fetch(cid, { endpoints, to, signal: controller.signal });
      await started;
      expect(await readFile(to, "utf8")).toBe("old");
      controller.abort();
      release();
      if (fails) {
        expect((await failure(call)).code).toBe("CANNOT_WRITE");
        expect(await readFile(to, "utf8")).toBe("old");
      } else {
        // A rename cannot be undone: the error reports the file at the path.
        expect(await call).toEqual({ path: to, size: plain.length });
        expect(Buffer.compare(await readFile(to), plain)).toBe(0);
      }
      expect(await readdir(folder)).toEqual(["target"]);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
      await close();
      await expectNothingLeft();
    }
  });

  test("nothing if it is aborted with the last chunk", async () => {
    const folder = await scratch();
    const { endpoints } = await serveFile(stored);
    const controller = new AbortController();
    const onProgress = ({ loaded, total }: Progress) => {
      if (loaded === total) controller.abort();
    };
    const call = fetch(cid, { endpoints, to: join(folder, "target"), signal: controller.signal, onProgress });
    expect(await failure(call)).toMatchObject({ code: "ABORTED" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("a file whose name is as long as a name can be", async () => {
    const path = join(await scratch(), "n".repeat(255));
    const { endpoints } = await serveFile(stored);
    expect(await fetch(cid, { endpoints, to: path })).toEqual({ path, size: plain.length });
  });

  test.each<[string, (folder: string) => Promise<string>]>([
    ["a folder", async (folder) => folder],
    ["a path below nothing", async (folder) => join(folder, "absent", "file")],
    ["a path below a file", async (folder) => join(folder, "file", "below")],
    [
      "a link to a folder",
      async (folder) => {
        await mkdir(join(folder, "real"));
        await symlink(join(folder, "real"), join(folder, "link"));
        return join(folder, "link");
      },
    ],
  ])("CANNOT_WRITE for %s, before anything is fetched", async (__, make) => {
    const folder = await scratch();
    await writeFile(join(folder, "file"), "x");
    const to = await make(folder);
    const before = await readdir(folder);
    const { endpoints, requests } = await serveFile(stored);
    expect(await failure(fetch(cid, { endpoints, to }))).toMatchObject({
      code: "CANNOT_WRITE",
      message: expect.stringContaining(`Could not write: ${to}`),
    });
    expect(requests).toEqual([]);
    expect(await readdir(folder)).toEqual(before);
  });

  test.each<[string, object]>([
    ["an empty path", { to: "" }],
    ["an http URL", { to: new URL("https://example.com/a") }],
    ["another form", { as: "text" }],
  ])("INVALID_OPTION for %s", async (__, options) => {
    const { endpoints, requests } = await serveFile(stored);
    const error = await failure(fetch(cid, { endpoints, ...options }));
    expect(error.code).toBe("INVALID_OPTION");
    expect(requests).toEqual([]);
  });

  test.each<[string, Handler]>([
    ["a 404", (___, response) => response.writeHead(404).end()],
    ["a truncated body", (___, response) => response.writeHead(200, { "Content-Length": 9e6 }).end(stored)],
    ["a body that breaks", (___, response) => response.write(stored.subarray(0, CHUNK), () => response.destroy())],
    ["a response that stalls", (___, response) => response.write(stored.subarray(0, CHUNK))],
  ])("nothing at the path for %s: the previous file stays", async (__, handler) => {
    const folder = await scratch();
    const to = join(folder, "target");
    await writeFile(to, "old");
    const { endpoints } = await serveFile(stored, handler);
    const error = await failure(fetch(cid, { endpoints, to, timeoutMs: 500 }));
    expect(["HTTP_STATUS", "NETWORK", "TIMEOUT"]).toContain(error.code);
    expect(await readFile(to, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["target"]);
  });
});

describe("decrypt refuses a file that differs from the encrypted one", () => {
  const flipBit = (at: number) => {
    const bytes = new Uint8Array(encrypted);
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    return bytes;
  };
  const cases: [string, Uint8Array, string][] = [
    ["another key", encrypted, "0c".repeat(32)],
    ["a bit of the salt flipped", flipBit(3), key],
    ["a bit of the iv flipped", flipBit(20), key],
    ["the first bit of the ciphertext flipped", flipBit(28), key],
    ["a bit in the middle flipped", flipBit(2 * CHUNK), key],
    ["a bit of the tag flipped", flipBit(encrypted.length - 1), key],
    ["a missing last byte", encrypted.subarray(0, -1), key],
    ["an additional byte", Buffer.concat([encrypted, new Uint8Array(1)]), key],
    ["only its header", encrypted.subarray(0, 28), key],
    ["zero bytes", new Uint8Array(0), key],
  ];
  test.each(cases)("%s: one clear error, no file, and nothing left behind", async (_, file, masterKey) => {
    const folder = await scratch();
    const to = join(folder, "target");
    await writeFile(to, "old");
    const { endpoints, close } = await serveFile(file);
    const expectNothingLeft = watchLeaks();
    const outputs: object[] = [{ to }, { as: "blob" }, { as: "stream" }, {}];
    for (const output of outputs) {
      const error = await failure(decrypt(cid, { verifyCid: false, endpoints, key: masterKey, ...output }));
      expect(error).toMatchObject({
        code: "CANNOT_DECRYPT",
        message: "Decryption failed: wrong key, or the file is damaged",
      });
    }
    expect(await readFile(to, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["target"]);
    await close();
    await expectNothingLeft();
  });

  test.each(["", "0b", "zz".repeat(32), `${key}00`])("%j is not a key", async (bad) => {
    const error = await failure(decrypt(cid, { verifyCid: false, key: bad }));
    expect(error.message).toBe("Invalid master key: expected 64 hexadecimal characters");
  });
});

test.each([0, 1, 43, 44, CHUNK - 1, CHUNK, CHUNK + 1])(
  "a file of %d bytes decrypts, however the gateway cuts it",
  async (size) => {
    const bytes = someBytes(size);
    const file = await encryptBytes(bytes, key);
    const cuts = [0, 1, 15, 27, 28, 29, 43, Math.max(43, file.length - 17), file.length];
    const cut: Handler = (_, response) => {
      for (const [at, end] of cuts.entries()) response.write(file.subarray(cuts[at - 1] ?? 0, end));
      response.end();
    };
    const whole = await serveFile(file);
    expect(Buffer.compare(await decrypt(cid, { verifyCid: false, key, endpoints: whole.endpoints }), bytes)).toBe(0);
    const gateway = await serveFile(file, cut);
    expect(Buffer.compare(await decrypt(cid, { verifyCid: false, key, endpoints: gateway.endpoints }), bytes)).toBe(0);
  },
);

test.skipIf(process.platform === "win32")("a pipe is not replaced by a file", async () => {
  const to = join(await scratch(), "pipe");
  execFileSync("mkfifo", [to]);
  const { endpoints, requests } = await serveFile(plain);
  expect(await failure(download(cid, { verifyCid: false, endpoints, to }))).toMatchObject({ code: "CANNOT_WRITE" });
  expect((await lstat(to)).isFIFO()).toBe(true);
  expect(requests).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "where there is no temporary folder, a stream is refused as such",
  async () => {
    vi.stubEnv("TMPDIR", join(await scratch(), "missing"));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { endpoints } = await serveFile(plain);
    expect(await failure(download(cid, { verifyCid: false, endpoints, as: "stream" }))).toMatchObject({
      code: "CANNOT_WRITE",
      message: "Could not write: the temporary folder (ENOENT)",
    });
  },
);

test.each([{ as: "text" }, { threshold: 1 }, { threshold: 6 }])(
  "decrypt with %j is refused before a key node is queried",
  async (option) => {
    const { endpoints, requests } = await serveFile(plain);
    const owner = { address: `0x${"a".repeat(40)}`, authToken: "jwt:x" };
    expect(await failure(decrypt(cid, { verifyCid: false, endpoints, ...owner, ...(option as object) }))).toMatchObject(
      {
        code: "INVALID_OPTION",
      },
    );
    expect(requests).toEqual([]);
  },
);
