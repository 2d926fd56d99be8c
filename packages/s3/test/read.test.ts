import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { KeeplightError } from "../../../src/index.ts";
import { failure } from "../../../test/support/failure.ts";
import type { S3Fault, S3Request } from "../../../test/support/s3-server.ts";
import { getBytes, listAll, openBucket, readAll, toFile } from "./bucket.ts";
import { createClient, openSource } from "./client.ts";

const large = "large-3000000b.bin";

const isReading = (key: string) => (request: S3Request) => request.operation === "GetObject" && request.key === key;

test.each([
  ["with another size", { size: 21 }],
  ["with the same size, later", {}],
  ["within the same second, if its ETag is known", { mtime: Date.UTC(2026, 0, 1) }],
])("an object that was written again %s is refused", async (_, change) => {
  const { server, source } = await openBucket({ keys: ["a"] });
  const { files } = await listAll(source);
  server.objects.write("a", change);
  const error = await failure(readAll(source, files[0] as never));
  expect(error).toMatchObject({ code: "SOURCE_CHANGED", details: { name: "a" } });
});

test("without an ETag, its size and time show whether an object was written again", async () => {
  const { server, source } = await openBucket({ keys: ["a"] });
  const { etag: _, ...file } = toFile(server, "a");
  await readAll(source, file);
  server.objects.write("a");
  expect((await failure(readAll(source, file))).code).toBe("SOURCE_CHANGED");
});

test("the connection of a body that is refused, or only tried, is closed", async () => {
  const { server, source } = await openBucket({ keys: ["huge-300000000b.bin", "other"] });
  const { etag: _, ...file } = toFile(server, "huge-300000000b.bin");
  expect((await failure(readAll(source, { ...file, size: 5 }))).code).toBe("SOURCE_CHANGED");
  await expect.poll(() => server.connections()).toBe(0);
  server.setFaults(({ key }) => (key === "other" ? { is: "refuse", status: 403, code: "AccessDenied" } : undefined));
  expect((await failure(readAll(source, toFile(server, "other")))).details["name"]).toBe("other");
  // One waits for another request.
  await expect.poll(() => server.connections()).toBeLessThanOrEqual(1);
});

test("times of a listing and of a header are compared in seconds", async () => {
  const { server, source } = await openBucket();
  server.objects.write("a", { mtime: Date.UTC(2026, 0, 1) + 999 });
  const { files } = await listAll(source);
  expect(files[0]?.mtime).toBe(Date.UTC(2026, 0, 1) + 999);
  expect((await readAll(source, files[0] as never)).equals(getBytes(server, "a"))).toBe(true);
});

test("an object that is gone, or in an archive, is one that cannot be read", async () => {
  const { server, source } = await openBucket({ keys: ["archived", "gone"] });
  const gone = toFile(server, "gone");
  server.objects.remove("gone");
  server.setFaults(({ key }) =>
    key === "archived" ? { is: "refuse", status: 403, code: "InvalidObjectState" } : undefined,
  );
  const archived = await failure(readAll(source, toFile(server, "archived")));
  expect(archived).toMatchObject({
    code: "SOURCE_UNREADABLE",
    details: { name: "archived", code: "InvalidObjectState" },
  });
  expect(await failure(readAll(source, gone))).toMatchObject({
    code: "SOURCE_UNREADABLE",
    details: { name: "gone", code: "NoSuchKey" },
  });
});

test("a body that breaks off is continued where it was, as long as something arrives", async () => {
  const { server, source } = await openBucket({ keys: [large] });
  server.setFaults((request) => (isReading(large)(request) ? { is: "cut", atByte: 300_000 } : undefined));
  const read = await readAll(source, toFile(server, large));
  expect(read.equals(getBytes(server, large))).toBe(true);
  const [first, ...others] = server.requests;
  expect(first?.headers.range).toBe(undefined);
  expect(others.length).toBeGreaterThan(8);
  expect(others.every(({ headers }) => headers.range !== undefined && headers["if-match"] !== undefined)).toBe(true);
});

test("a body of another version than its beginning is refused", async () => {
  const { server, source } = await openBucket({ keys: [large] });
  const { etag: _, ...file } = toFile(server, large);
  let isFirst = true;
  server.setFaults((request) => {
    if (!isReading(large)(request) || !isFirst) return undefined;
    isFirst = false;
    setImmediate(() => server.objects.write(large));
    return { is: "cut", atByte: 1_000_000 };
  });
  expect((await failure(readAll(source, file))).code).toBe("SOURCE_CHANGED");
});

test.each<[string, S3Fault, string]>([
  ["resets connections", { is: "reset" }, "NETWORK"],
  ["sends nothing of a body", { is: "cut", atByte: 0 }, "NETWORK"],
  ["throttles", { is: "refuse", status: 503, code: "SlowDown" }, "HTTP_STATUS"],
  ["is asked too much", { is: "refuse", status: 429, code: "TooManyRequests" }, "HTTP_STATUS"],
  ["fails", { is: "refuse", status: 500, code: "InternalError" }, "HTTP_STATUS"],
  ["says that it waited for too long", { is: "refuse", status: 400, code: "RequestTimeout" }, "TIMEOUT"],
])("a bucket that %s is tried a few times, and then an outage", async (_, fault, code) => {
  const { server, source } = await openBucket({ keys: ["a"] });
  const file = toFile(server, "a");
  let failures = 2;
  server.setFaults(() => (failures-- > 0 ? fault : undefined));
  if (code !== "TIMEOUT") expect((await readAll(source, file)).equals(getBytes(server, "a"))).toBe(true);
  server.setFaults(() => fault);
  const error = await failure(readAll(source, file));
  expect(error).toMatchObject({ code, details: { method: "GetObject", url: "s3://datasets/" } });
  if (fault.is !== "cut") expect((await failure(listAll(source))).code).toBe(code);
  server.setFaults();
  expect((await listAll(source)).paths).toEqual(["a"]);
});

test("the time for which a bucket requests to be left alone is passed on", async () => {
  const { server, source } = await openBucket({ keys: ["a"] });
  server.setFaults(() => ({ is: "refuse", status: 503, code: "SlowDown", headers: { "retry-after": "7" } }));
  expect(await failure(listAll(source))).toMatchObject({ details: { status: 503, retryAfterSeconds: 7 } });
});

test.each([0, 100_000])("a bucket that sends nothing more after %i bytes is given up", async (atByte) => {
  const { server, source } = await openBucket({ keys: [large], idleMs: 200 });
  server.setFaults((request) => (isReading(large)(request) ? { is: "hang", atByte } : undefined));
  const error = await failure(readAll(source, toFile(server, large)));
  expect(error).toMatchObject({ code: "TIMEOUT", details: { idleMs: 200 } });
});

test("an abort ends a request that waits, and closes its connection", async () => {
  const { server, source } = await openBucket({ keys: [large] });
  server.setFaults(() => ({ is: "hang", atByte: 100_000 }));
  const stop = new AbortController();
  const reading = failure(readAll(source, toFile(server, large), stop.signal));
  await expect.poll(() => server.requests.length).toBe(1);
  stop.abort();
  expect((await reading).code).toBe("ABORTED");
  await expect.poll(() => server.connections()).toBe(0);
});

test("a reader that stops early closes the connection", async () => {
  const { server, source } = await openBucket({ keys: ["huge-300000000b.bin"] });
  for await (const _ of source.open(toFile(server, "huge-300000000b.bin"), new AbortController().signal)) break;
  await expect.poll(() => server.connections()).toBe(0);
});

const refusals: [string, S3Fault][] = [
  ["AccessDenied", { is: "refuse", status: 403, code: "AccessDenied" }],
  ["ExpiredToken", { is: "refuse", status: 400, code: "ExpiredToken" }],
  ["NoSuchBucket", { is: "refuse", status: 404, code: "NoSuchBucket" }],
  ["PermanentRedirect", { is: "refuse", status: 301, code: "PermanentRedirect" }],
  ["AuthorizationHeaderMalformed", { is: "refuse", status: 400, code: "AuthorizationHeaderMalformed" }],
];

test.each(refusals)("%s of everything is an error of the bucket, at once", async (code, fault) => {
  const { server, source } = await openBucket({ keys: ["a", "b"] });
  server.setFaults(() => fault);
  const ofBucket = { code: "SOURCE_UNREADABLE", details: { name: source.place, code } };
  expect(await failure(listAll(source))).toMatchObject(ofBucket);
  expect(server.requests).toHaveLength(1);
  expect(await failure(readAll(source, toFile(server, "a")))).toMatchObject(ofBucket);
  // Objects that nobody may read although they are listed.
  server.setFaults(({ operation }) => (operation === "GetObject" ? fault : undefined));
  expect(await failure(readAll(source, toFile(server, "a")))).toMatchObject(ofBucket);
});

test("an object that alone is refused is an error of that object, whatever was read before", async () => {
  const { server, source } = await openBucket({ keys: ["a", "b", "c"] });
  server.setFaults(({ key }) => (key === "b" ? { is: "refuse", status: 403, code: "AccessDenied" } : undefined));
  const ofObject = { code: "SOURCE_UNREADABLE", details: { name: "b", code: "AccessDenied" } };
  expect(await failure(readAll(source, toFile(server, "b")))).toMatchObject(ofObject);
  await readAll(source, toFile(server, "c"));
  expect(await failure(readAll(source, toFile(server, "b")))).toMatchObject(ofObject);
  // The right to read ends meanwhile.
  server.setFaults(({ operation }) =>
    operation === "GetObject" ? { is: "refuse", status: 403, code: "AccessDenied" } : undefined,
  );
  expect(await failure(readAll(source, toFile(server, "b")))).toMatchObject({ details: { name: source.place } });
});

test("an object that fails again and again while others are read is at fault itself, unless it is throttled", async () => {
  const { server, source } = await openBucket({ keys: ["a", "failing", "throttled"] });
  const statuses: Record<string, number> = { failing: 500, throttled: 503 };
  server.setFaults(({ key }) => {
    const status = statuses[key];
    return status === undefined ? undefined : { is: "refuse", status, code: "InternalError" };
  });
  const read = async (key: string) => (await failure(readAll(source, toFile(server, key)))).code;
  // While nothing else is read, it is an outage.
  const early = await Promise.all(Array.from({ length: 15 }, () => read("failing")));
  expect(new Set(early)).toEqual(new Set(["HTTP_STATUS"]));
  const codes = { failing: [] as string[], throttled: [] as string[] };
  for (let at = 0; at < 12; at++) {
    await readAll(source, toFile(server, "a"));
    const [failing, throttled] = await Promise.all([read("failing"), read("throttled")]);
    codes.failing.push(failing);
    codes.throttled.push(throttled);
  }
  expect(codes.failing.slice(0, 10)).toEqual([...Array(9).fill("HTTP_STATUS"), "SOURCE_UNREADABLE"]);
  expect(codes.throttled).toEqual(Array(12).fill("HTTP_STATUS"));
});

test("wrong credentials end a request at once, and no error repeats them", async () => {
  const { server } = await openBucket({ keys: ["a"] });
  const { accessKeyId, secretAccessKey } = server.credentials;
  const wrong = [
    [{ accessKeyId: "AKIAWRONGWRONGWRONG0", secretAccessKey }, "InvalidAccessKeyId"],
    [{ accessKeyId, secretAccessKey: "wrong-secret" }, "SignatureDoesNotMatch"],
  ] as const;
  for (const [credentials, code] of wrong) {
    const source = openSource(server, { client: createClient(server, { credentials, maxAttempts: 3 }) });
    const errors: KeeplightError[] = [
      await failure(listAll(source)),
      await failure(readAll(source, toFile(server, "a"))),
    ];
    for (const error of errors) {
      expect(error).toMatchObject({ code: "SOURCE_UNREADABLE", details: { name: source.place, code } });
      const texts = [
        error.message,
        String(error),
        JSON.stringify(error),
        inspect(error, { depth: 10, showHidden: true }),
      ];
      for (const text of texts) {
        for (const secret of [credentials.accessKeyId, credentials.secretAccessKey, "Signature=", "StringToSign"]) {
          expect(text).not.toContain(secret);
        }
      }
    }
  }
});

test("credentials that cannot be found, and an address that nobody has, are different errors", async () => {
  const { server } = await openBucket({ keys: ["a"] });
  const none = createClient(server, {
    credentials: async () => {
      throw Object.assign(new Error("no secret-of-a-provider"), { name: "CredentialsProviderError" });
    },
  });
  const missing = await failure(listAll(openSource(server, { client: none })));
  expect(missing).toMatchObject({ code: "SOURCE_UNREADABLE", details: { code: "CredentialsProviderError" } });
  expect(inspect(missing, { depth: 10 })).not.toContain("secret-of-a-provider");
  await server.close();
  expect(await failure(listAll(openSource(server)))).toMatchObject({
    code: "NETWORK",
    details: { reason: "ECONNREFUSED" },
  });
});
