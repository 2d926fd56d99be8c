import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, add, cat, devnetForTests, getApiKey, getJwt, send, sign } from "../../../test/support/devnet-wire.ts";
import { startDevnet } from "../src/index.ts";
import { createTree } from "./car.ts";
import { listContent } from "./list-content.ts";

const devnet = devnetForTests();
let key = "";
beforeAll(async () => {
  key = await getApiKey(devnet(), account(devnet(), 0));
});

const hello = "hello world\n";
const helloFolder = {
  0: "QmfLiVjH2vujCVP2e75zyzBYmpcjktmDeU1YBz6Ct8BBsc",
  1: "bafybeidhkumeonuwkebh2i4fc7o7lguehauradvlk57gzake6ggjsy372a",
};

describe("content ids", () => {
  test.each([0, 1] as const)("a file wrapped with a folder, in version %i", async (version) => {
    const query = `cid-version=${version}&wrap-with-directory=true`;
    const response = await add(devnet(), key, { "hello.txt": hello }, query);
    expect(await response.json()).toMatchObject({ Name: "", Hash: helloFolder[version] });
  });

  test.each([0, 1] as const)("a folder, in version %i", async (version) => {
    const response = await add(devnet(), key, { "any/hello.txt": hello }, `cid-version=${version}`);
    expect(await response.json()).toMatchObject({ Name: "any", Hash: helloFolder[version] });
  });

  test("a content id of either version and any base leads to the same bytes", async () => {
    await add(devnet(), key, { "any/hello.txt": hello }, "cid-version=0");
    expect(Buffer.from(await cat(devnet(), `${helloFolder[0]}/hello.txt`)).toString()).toBe(hello);
    expect(Buffer.from(await cat(devnet(), `${helloFolder[1]}/hello.txt`)).toString()).toBe(hello);
  });

  test("files can be split like by another upload node", async () => {
    const content = randomBytes(3_000_000);
    const chunking = { chunkBytes: 1_048_576, links: 1_024 };
    const other = await startDevnet({ chunking });
    try {
      const response = await add(other, await getApiKey(other, account(other, 0)), { content });
      const { Hash } = (await response.json()) as { Hash: string };
      const { root } = await createTree({ content }, chunking.chunkBytes);
      expect(Hash).toBe(root.toString());
      expect(Buffer.from(await cat(other, Hash)).equals(content)).toBe(true);
      expect(((await (await add(devnet(), key, { content })).json()) as { Hash: string }).Hash).not.toBe(Hash);
    } finally {
      await other.close();
    }
  });

  test("an empty folder", async () => {
    const form = new FormData();
    form.append("file", new Blob([], { type: "application/x-directory" }), "empty");
    const response = await fetch(`${devnet().endpoints.upload}/api/v0/add?cid-version=0`, {
      method: "POST",
      body: form,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await response.json()).toMatchObject({ Hash: "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn" });
  });
});

describe("names", () => {
  test("quotes, line breaks, unicode and percent signs arrive unchanged", async () => {
    const names = ['a "b".txt', "line\r\nbreak.txt", "Grüße 🎉.txt", "100%.txt", "back\\slash.txt"];
    const files = Object.fromEntries(names.map((name) => [`dir/${name}`, name]));
    const { Hash } = (await (await add(devnet(), key, files)).json()) as { Hash: string };
    for (const name of names) {
      const bytes = await cat(devnet(), `${Hash}/${encodeURIComponent(name)}`);
      expect(Buffer.from(bytes).toString()).toBe(name);
    }
  });

  test.each(["../outside.txt", "dir/../../outside.txt"])("%s is refused", async (name) => {
    const response = await add(devnet(), key, { [name]: "x" });
    expect([response.status, await response.json()]).toEqual([400, { message: "Invalid file name" }]);
  });
});

describe("deep paths", () => {
  const nested = (folders: number) => `${"d/".repeat(folders)}file`;

  test("999 nested folders are accepted", async () => {
    expect((await add(devnet(), key, { [nested(999)]: "x" })).status).toBe(200);
  });

  test.each([1_000, 3_000])("a path of %i folders is refused", async (folders) => {
    const response = await add(devnet(), key, { [nested(folders)]: "x" });
    expect([response.status, await response.json()]).toEqual([400, { message: "Path too deep" }]);
  });
});

describe("bearers", () => {
  test("a JWT of the key nodes is accepted", async () => {
    const { token } = await getJwt(devnet(), account(devnet(), 1));
    expect((await add(devnet(), token, { a: "a" })).status).toBe(200);
  });

  test("a one-time token works once", async () => {
    const owner = account(devnet(), 2);
    const { body } = await send("GET", `${devnet().endpoints.api}/api/auth/get_message?publicKey=${owner.address}`);
    const token = `${owner.address}$${await sign(owner, body)}`;
    expect((await add(devnet(), token, { a: "a" })).status).toBe(200);
    expect((await add(devnet(), token, { a: "a" })).status).toBe(401);
  });

  test.each(["", "nonsense", "jwt:nonsense", "0x1234$0x1234"])("%j is refused with 401", async (bearer) => {
    const response = await add(devnet(), bearer, { a: "a" });
    expect([response.status, await response.json()]).toEqual([401, { error: "Authentication failed" }]);
  });

  test("the connection of a refused large upload stays reusable", async () => {
    const files = { a: randomBytes(5_000_000) };
    const statuses: number[] = [];
    for (const bearer of ["wrong", key, "wrong", key]) statuses.push((await add(devnet(), bearer, files)).status);
    expect(statuses).toEqual([401, 200, 401, 200]);
  });
});

describe("responses", () => {
  const twoFiles = { "d/a.txt": "a", "d/b.txt": "b" };

  test("the response to an encrypted upload is a list of its files", async () => {
    const response = await add(devnet(), key, { a: "a", b: "b" }, "cid-version=1", { Encryption: "true" });
    expect(await response.json()).toMatchObject([{ Name: "a" }, { Name: "b" }]);
  });

  test.each([
    ["object", /^\{"Name":"d","Hash":"bafy[^}]+"Size":"\d+"\}$/],
    ["list", /^\[\{"Name":"d\/a.txt".*"Name":"d".*\]$/],
    ["prefixed-list", /^\{"Name":"d\/a.txt","Bytes":1\}\n.*\n\[\{"Name":"d\/a.txt".*"Name":"d".*\]$/s],
    ["ndjson", /^\{"Name":"d\/a.txt".*\}\n\{"Name":"d\/b.txt".*\}\n\{"Name":"d".*\}\n$/],
  ] as const)("the form %s is available", async (responseForm, pattern) => {
    const other = await startDevnet({ responseForm });
    try {
      const response = await add(other, await getApiKey(other, account(other, 0)), twoFiles);
      expect(await response.text()).toMatch(pattern);
    } finally {
      await other.close();
    }
  });

  test.each([
    ["no multipart body", "application/json", "{}", "Expected a multipart body"],
    ["no file", "multipart/form-data; boundary=b", "--b--\r\n", "No file in the request"],
    ["a truncated body", "multipart/form-data; boundary=b", "--b\r\n", "Malformed multipart body"],
  ])("%s is a 400", async (_, type, body, message) => {
    const response = await fetch(`${devnet().endpoints.upload}/api/v0/add`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": type },
    });
    expect([response.status, await response.json()]).toEqual([400, { message }]);
  });
});

describe("disk", () => {
  let dataDir = "";
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "devnet-test-"));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  test("more than the limit is refused and leaves nothing behind", async () => {
    const other = await startDevnet({ dataDir, dataLimit: 1_000 });
    try {
      const otherKey = await getApiKey(other, account(other, 0));
      const response = await add(other, otherKey, { a: randomBytes(999), b: randomBytes(500_000) });
      expect([response.status, await response.json()]).toEqual([403, { message: "Data limit exceeded" }]);
      expect(await listContent(dataDir)).toEqual(["blocks", "spool"]);
    } finally {
      await other.close();
    }
  });

  test("a connection that ends midway leaves nothing behind", async () => {
    const other = await startDevnet({ dataDir });
    try {
      const otherKey = await getApiKey(other, account(other, 0));
      const upload = request(`${other.endpoints.upload}/api/v0/add`, {
        method: "POST",
        headers: { authorization: `Bearer ${otherKey}`, "content-type": "multipart/form-data; boundary=b" },
      });
      upload.on("error", () => {});
      const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n';
      upload.write(part);
      upload.write(randomBytes(3_000_000));
      await expect.poll(() => readdir(join(dataDir, "spool"))).toHaveLength(1);
      upload.destroy();
      await expect.poll(() => listContent(dataDir)).toEqual(["blocks", "spool"]);
    } finally {
      await other.close();
    }
  });

  test("connections that end before their upload is handled leave nothing behind, and do not delay close", async () => {
    const other = await startDevnet({ dataDir });
    const otherKey = await getApiKey(other, account(other, 0));
    const head = [
      "POST /api/v0/add HTTP/1.1",
      "host: devnet",
      `authorization: Bearer ${otherKey}`,
      "content-type: multipart/form-data; boundary=b",
      "content-length: 1000000",
    ].join("\r\n");
    for (let sent = 0; sent < 40; sent++) {
      const socket = connect(Number(new URL(other.endpoints.upload).port), "127.0.0.1");
      socket.on("error", () => {}).end(`${head}\r\n\r\n`);
      await once(socket.resume(), "close");
    }
    expect(other.requests().filter(({ path }) => path === "/api/v0/add")).toHaveLength(40);
    await other.close();
    expect(await listContent(dataDir)).toEqual(["blocks", "spool"]);
  });

  test("a data folder that cannot be created is refused", async () => {
    await expect(startDevnet({ dataDir: "/dev/null/data" })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/^Invalid option dataDir: ENOTDIR.*'\/dev\/null\/data/),
    });
  });

  test("an explicit data folder keeps the content", async () => {
    const first = await startDevnet({ dataDir });
    await add(first, await getApiKey(first, account(first, 0)), { "any/hello.txt": hello });
    await first.close();
    const second = await startDevnet({ dataDir });
    try {
      expect(Buffer.from(await cat(second, `${helloFolder[1]}/hello.txt`)).toString()).toBe(hello);
    } finally {
      await second.close();
    }
  });
});

test("a folder whose names fill more than one block is sharded, and found by path", async () => {
  const long = "x".repeat(200);
  const files = Object.fromEntries(Array.from({ length: 1_300 }, (_, n) => [`big/${n}-${long}`, `${n}`]));
  const { Hash } = (await (await add(devnet(), key, files)).json()) as { Hash: string };
  expect(Buffer.from(await cat(devnet(), `${Hash}/1299-${long}`)).toString()).toBe("1299");
});
