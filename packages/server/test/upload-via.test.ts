import { inspect } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createKit,
  decrypt,
  download,
  isUnfinished,
  listFiles,
  type UploadAccess,
  upload,
  uploadEncrypted,
} from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { createServer, endpointsAt, sendJson } from "../../../test/support/http-server.ts";
import { type Endpoint, serveUploads } from "./endpoint.ts";

const devnet = devnetForTests();
let apiKey = "";

beforeAll(async () => {
  apiKey = await getApiKey(devnet(), account(devnet(), 0));
});

const serve = (): Promise<Endpoint> =>
  serveUploads({ apiKey, endpoints: devnet().endpoints, limits: { folders: true } });
const bytes = Uint8Array.from({ length: 3_000_017 }, (_, at) => (at * 31) % 251);
const same = (other: Uint8Array) => Buffer.compare(other, bytes) === 0;

describe("through an endpoint of one's own server", () => {
  test("a file is uploaded without an API key, and its content id verified", async () => {
    const { url } = await serve();
    const [file, ...others] = await upload(bytes, { via: url, name: "bytes.bin", verifyCid: true });
    expect(file).toMatchObject({ Name: "bytes.bin" });
    expect(others).toEqual([]);
    expect(same(await download(file.Hash, { endpoints: devnet().endpoints }))).toBe(true);
  });

  test("an upload is stored in the class that it names, if the endpoint allows it", async () => {
    const { endpoints } = devnet();
    const { url } = await serveUploads({ apiKey, endpoints, limits: { storage: ["walrus"] } });
    const [file] = await upload(bytes, { via: url, storage: "walrus" });
    expect(file.storage).toBe("walrus");
    const own = { ...as(devnet(), 0), via: url, storage: "walrus" };
    const [sealed] = await uploadEncrypted(new Uint8Array(7), own);
    const { fileList } = await listFiles({ apiKey, endpoints, storage: "walrus" });
    expect(fileList.map(({ cid }) => cid)).toEqual([sealed?.Hash, file.Hash]);
    expect(await failure(upload(bytes, { via: url, storage: "annual" }))).toMatchObject({
      code: "UPLOAD_REFUSED",
      details: { reason: "storage" },
    });
  });

  test("a folder keeps its paths, names and content ids", async () => {
    const { url } = await serve();
    const files = ["a.txt", "sub/b c+d%41.txt", 'sub/"é".txt'].map((name) => ({
      name: `folder/${name}`,
      stream: new Blob([name]).stream(),
    }));
    const stored = await upload(files, { via: url, verifyCid: true });
    expect(stored.map(({ Name }) => Name)).toContain("folder");
  });

  test("several files are wrapped, or not, and get the version that is requested", async () => {
    const { url } = await serve();
    const files = [new File(["1"], "1.txt"), new File(["2"], "2.txt")];
    const wrapped = await upload(files, { via: url, wrapWithDirectory: true, cidVersion: 0, verifyCid: true });
    expect(wrapped[0]).toMatchObject({ Name: "", Hash: expect.stringMatching(/^Qm/) });
    const two = await upload(files, { via: new URL(url), verifyCid: true });
    expect(two.map(({ Name }) => Name)).toEqual(["1.txt", "2.txt"]);
  });

  test("an empty file is uploaded", async () => {
    const { url } = await serve();
    const [file] = await upload(new File([], "empty"), { via: url, verifyCid: true });
    expect(file.Name).toBe("empty");
  });

  test("files are encrypted on the client, and their keys saved by it", async () => {
    const { url, requests } = await serve();
    const owner = as(devnet(), 0);
    const files = [new File([bytes], "secret.bin"), new File(["text"], "secret.txt")];
    const stored = await uploadEncrypted(files, { ...owner, via: { url, token: "session-token" } });
    expect(stored.map(({ Name }) => Name)).toEqual(["secret.bin", "secret.txt"]);
    expect(same(await decrypt(stored[0].Hash, owner))).toBe(true);
    expect(requests[0]?.headers.get("authorization")).toBe("Bearer session-token");
  });

  test("a bound endpoint or key is replaced by the other one", async () => {
    const { url, requests } = await serve();
    const { endpoints } = devnet();
    await createKit({ via: url, endpoints }).uploadText("1");
    await createKit({ via: `${url}?album=3` }).uploadText("2");
    await createKit({ apiKey, endpoints }).uploadText("3", { via: url });
    expect(requests).toHaveLength(3);
    expect(new URL(requests[1]?.url ?? "").searchParams.get("album")).toBe("3");
    await createKit({ via: url, endpoints }).uploadText("4", { apiKey });
    expect(requests).toHaveLength(3);
  });

  const invalid: [string, unknown][] = [
    ["a path outside of a page", { via: "/api/upload" }],
    ["another protocol", { via: "ftp://localhost/" }],
    ["credentials", { via: "http://user:secret@localhost/" }],
    ["an unknown field", { via: { url: "http://localhost/", tokn: "x" } }],
    ["a token that no header can carry", { via: { url: "http://localhost/", token: "a\nb" } }],
    ["an API key beside it", { via: "http://localhost/", apiKey: "key" }],
  ];
  test.each(invalid)("%s is refused before anything is sent", async (_, access) => {
    const error = await failure(upload(bytes, access as UploadAccess));
    expect(error.code).toBe("INVALID_OPTION");
    expect(inspect(error)).not.toContain("secret");
  });

  test("neither a key nor an endpoint is an error", async () => {
    expect((await failure(upload(bytes, {} as UploadAccess))).code).toBe("MISSING_API_KEY");
  });
});

describe("what fails behind the endpoint", () => {
  const key = "key-7f3a9c1e5b20d864";
  const failing: [string, { status: number; body: string }, object][] = [
    [
      "a refusal",
      { status: 401, body: `{"error":"bad key ${key}"}` },
      { code: "HTTP_STATUS", details: { status: 502 } },
    ],
    ["an HTML page", { status: 500, body: `<html><title>${key}</title></html>` }, { code: "HTTP_STATUS" }],
    ["HTML for JSON", { status: 200, body: `<html>${key}</html>` }, { code: "INVALID_JSON" }],
    ["no content id", { status: 200, body: '{"Name":"x"}' }, { code: "INVALID_RESPONSE" }],
  ];
  test.each(failing)(
    "%s has its code in the page, and says nothing of the account",
    async (_, { status, body }, expected) => {
      const node = await createServer((__, response) => response.writeHead(status).end(body));
      const { url, errors } = await serveUploads({ apiKey: key, endpoints: endpointsAt(node.url) });
      const error = await failure(upload(bytes, { via: url }));
      expect(error).toMatchObject(expected);
      expect(error.details).toMatchObject({ method: "POST", url });
      expect(`${inspect(error)} ${JSON.stringify(error)}`).not.toContain(key);
      expect(inspect(errors, { depth: 9 })).not.toContain(key);
      expect(errors).toHaveLength(1);
      expect(node.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    },
  );

  test("a connection that breaks is a network error", async () => {
    devnet().faults.add({ service: "upload", action: { kind: "reset", afterBytes: 100_000 }, times: 1 });
    const { url } = await serve();
    const error = await failure(upload(bytes, { via: url }));
    expect(error).toMatchObject({ code: "NETWORK" });
  });

  test("keys of files that may be stored can be saved by resuming", async () => {
    const { url } = await serve();
    const owner = as(devnet(), 0);
    devnet().faults.add({ service: "upload", action: { kind: "cut", atByte: 0 }, times: 1 });
    const error = await failure(uploadEncrypted(new Blob(["lost"]), { ...owner, via: url, name: "lost.txt" }));
    expect(error.details).toMatchObject({ bodySent: true, names: ["lost.txt"] });
    expect(isUnfinished(error)).toBe(true);
  });

  test("a refusal that comes before the end of the body is no upload that may be stored", async () => {
    const { url } = await serveUploads({ apiKey, endpoints: devnet().endpoints, limits: { maxBytes: 10 } });
    const error = await failure(uploadEncrypted(new Blob(["0123456789"]), { ...as(devnet(), 0), via: url }));
    expect(error).toMatchObject({ code: "FILE_TOO_LARGE", details: { limit: 10 } });
    expect(isUnfinished(error)).toBe(false);
  });

  test("a response that no handler made keeps its status", async () => {
    const proxy = await createServer((_, response) =>
      response.writeHead(413).end("<html><title>Too Large</title></html>"),
    );
    const error = await failure(upload(bytes, { via: `${proxy.url}/api/upload` }));
    expect(error).toMatchObject({ code: "HTTP_STATUS", details: { status: 413, serverMessage: "Too Large" } });
    const odd = await createServer((_, response) =>
      sendJson(response, { error: { code: "toString", message: 1 } }, 400),
    );
    expect(await failure(upload(bytes, { via: odd.url }))).toMatchObject({ code: "HTTP_STATUS" });
  });
});
