import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import type { S3Fault } from "../../../test/support/s3-server.ts";
import { createClient, openSource } from "../../s3/test/client.ts";
import { planBulk, runBulk } from "../src/index.ts";
import { countUploads, readRows } from "./rig.ts";
import { createKeys, expectObjects, firstTimes, listStoredCids, openBucket } from "./s3-rig.ts";

const devnet = devnetForTests();
const quick = { retryMs: 1 };

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

test("a bucket is planned and stored, each object once, and a second run sends nothing", async () => {
  const keys = [...createKeys(300), "é ü/a+b %41.txt", "\u{1F600}"];
  const { server, source, plan: makePlan, upload } = await openBucket(devnet(), keys, { pageSize: 70 });
  const plan = await makePlan();
  expect(plan).toMatchObject({ place: "s3://datasets/", name: "datasets", files: 302, bytes: 300_040 });
  const before = countUploads(devnet());
  expect(await runBulk(plan, { upload, source })).toMatchObject({ filesDone: 302, setAside: 0, state: "done" });
  const rows = await readRows(plan, join(plan.folder, "ledger"));
  expect(new Set(rows.map(({ path }) => path))).toEqual(new Set(keys));
  await expectObjects(devnet(), server, rows);
  const reads = server.requests.filter(({ operation }) => operation === "GetObject");
  expect(reads).toHaveLength(302);
  await runBulk(plan, { upload, source });
  expect(countUploads(devnet()) - before).toBe(plan.batches);
  expect(server.requests.filter(({ operation }) => operation === "GetObject")).toHaveLength(302);
});

test("a plan whose process ends is continued behind the last object, and reports what is left out once", async () => {
  const keys = createKeys(1_500);
  const bad = [`${keys[130]}//x`, `${keys[850]}//x`, `${keys[1_250]}/..`];
  const { server, source } = await openBucket(devnet(), [...keys, ...bad], { pageSize: 500 });
  const folder = join(await scratch(), "plan");
  server.setFaults(() =>
    server.requests.length > 2 ? { is: "refuse", status: 403, code: "AccessDenied" } : undefined,
  );
  const skipped: string[] = [];
  const onSkipped = ({ path }: { path: string }) => void skipped.push(path);
  const ended = await failure(planBulk(source, { folder, onSkipped }));
  expect(ended).toMatchObject({ code: "SOURCE_UNREADABLE", details: { name: source.place, code: "AccessDenied" } });
  server.setFaults();
  skipped.length = 0;
  const { plan } = await planBulk(source, { folder, onSkipped });
  expect(plan).toMatchObject({ files: 1_500, skipped: { count: 3 } });
  expect(skipped).toEqual(bad);
  // What is written at once.
  const start = server.requests.find(({ query }) => query.has("start-after"))?.query.get("start-after");
  expect(keys.indexOf(start ?? "")).toBeGreaterThan(500);
});

const outages: [string, S3Fault][] = [
  ["breaks connections", { is: "reset" }],
  ["asks to slow down", { is: "refuse", status: 503, code: "SlowDown" }],
];

test.each(outages)("a listing waits for a bucket that %s", async (_, fault) => {
  const keys = createKeys(30);
  // The last one of the first page.
  const bad = `${keys[8]}//x`;
  const { server, source } = await openBucket(devnet(), [...keys, bad], { pageSize: 10 });
  const seen = { errors: [] as unknown[], skipped: [] as string[] };
  // Twice as often as the source itself tries.
  server.setFaults(firstTimes(10, () => (server.requests.length > 1 ? fault : undefined)));
  const { plan } = await planBulk(source, {
    folder: join(await scratch(), "plan"),
    onError: (error) => void seen.errors.push(error),
    onSkipped: ({ path }) => void seen.skipped.push(path),
  });
  expect(plan).toMatchObject({ files: 30, skipped: { count: 1 } });
  expect(seen.skipped).toEqual([bad]);
  const code = fault.is === "reset" ? "NETWORK" : "HTTP_STATUS";
  expect(seen.errors).toMatchObject([
    { code, details: { url: source.place } },
    { code, details: { url: source.place } },
  ]);
  const limited = { folder: join(await scratch(), "plan"), outageMs: 0 };
  server.setFaults(() => fault);
  expect((await failure(planBulk(source, limited))).code).toBe(code);
});

describe.each([
  ["files", false],
  ["encrypted files", true],
])("%s", (_, encrypted) => {
  const count = encrypted ? 10 : 60;

  test.each(outages)("of a bucket that %s are waited for, and no attempt is counted", async (__, fault) => {
    const bucket = await openBucket(devnet(), createKeys(count));
    const { server, source } = bucket;
    const plan = await bucket.plan({ encrypted });
    const upload = encrypted ? bucket.owner : bucket.upload;
    const before = countUploads(devnet());
    const start = server.requests.length + count / 2;
    const errors: unknown[] = [];
    server.setFaults(() => (server.requests.length > start && errors.length < 3 ? fault : undefined));
    const options = { upload, source, ...quick, attempts: 1, onError: (error: unknown) => void errors.push(error) };
    expect(await runBulk(plan, options)).toMatchObject({ filesDone: count, setAside: 0 });
    expect(errors).toMatchObject(Array(3).fill({ details: { url: source.place, method: "GetObject" } }));
    expect(countUploads(devnet()) - before).toBe(1);
    const rows = await readRows(plan, join(plan.folder, "ledger"));
    await expectObjects(devnet(), server, rows, encrypted);
  });

  test("that were changed or deleted since the plan are set aside, and the others are stored", async () => {
    const keys = createKeys(count);
    const bucket = await openBucket(devnet(), keys);
    const { server, source } = bucket;
    const plan = await bucket.plan({ encrypted });
    server.objects.write(keys[3] ?? "", { size: 1_001 });
    server.objects.write(keys[5] ?? "");
    server.objects.remove(keys[7] ?? "");
    const upload = encrypted ? bucket.owner : bucket.upload;
    const run = await runBulk(plan, { upload, source, ...quick, attempts: 1 });
    expect(run).toMatchObject({ filesDone: count - 3, setAside: 3 });
    const rows = await readRows(plan, join(plan.folder, "ledger"));
    expect(rows.flatMap(({ path, problem }) => (problem ? [[path, problem.code]] : []))).toEqual([
      [keys[3], "SOURCE_CHANGED"],
      [keys[5], "SOURCE_CHANGED"],
      [keys[7], "SOURCE_UNREADABLE"],
    ]);
    const stored = rows.filter(({ problem }) => !problem);
    await expectObjects(devnet(), server, stored, encrypted);
  });

  test("that cannot be read by these credentials end the run at once, and nothing is set aside", async () => {
    const bucket = await openBucket(devnet(), createKeys(count));
    const { server, source } = bucket;
    const plan = await bucket.plan({ encrypted });
    const upload = encrypted ? bucket.owner : bucket.upload;
    const credentials = { accessKeyId: "AKIAWRONGWRONGWRONG0", secretAccessKey: "wrong" };
    const denied = openSource(server, { client: createClient(server, { credentials }) });
    const errors: unknown[] = [];
    const run = runBulk(plan, { upload, source: denied, onError: (error) => void errors.push(error) });
    expect(await failure(run)).toMatchObject({
      code: "SOURCE_UNREADABLE",
      details: { name: source.place, code: "InvalidAccessKeyId" },
    });
    expect(errors).toEqual([]);
    expect(await runBulk(plan, { upload, source })).toMatchObject({ filesDone: count, setAside: 0 });
  });
});

test("an object that is throttled while another batch is stored is waited for", async () => {
  // Two batches: a node takes their names for one.
  const { server, source, plan: makePlan, upload } = await openBucket(devnet(), ["%61", "a"]);
  const plan = await makePlan();
  expect(plan.batches).toBe(2);
  const throttle = (key: string, times: number) =>
    firstTimes(times, (request) => (request.key === key ? { is: "refuse", status: 503, code: "SlowDown" } : undefined));
  // Both fail once, then only one of them is stored.
  const [short, long] = [throttle("a", 7), throttle("%61", 17)];
  server.setFaults((request) => short(request) ?? long(request));
  const run = await runBulk(plan, { upload, source, ...quick, attempts: 1, workers: 2 });
  expect(run).toMatchObject({ filesDone: 2, setAside: 0 });
});

test("a batch whose response is lost is found, and not sent again, while its bucket is down", async () => {
  const bucket = await openBucket(devnet(), createKeys(40));
  const { server, source, upload } = bucket;
  const plan = await bucket.plan();
  const before = await listStoredCids(devnet(), upload.apiKey);
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "cut", atByte: 1 } });
  const errors: unknown[] = [];
  server.setFaults(() => (errors.length > 0 ? { is: "reset" } : undefined));
  const onError = (error: unknown) => void errors.push(error);
  const run = await runBulk(plan, { upload, source, ...quick, attempts: 2, onError });
  expect(run).toMatchObject({ filesDone: 40, setAside: 0 });
  expect(errors).toHaveLength(1);
  expect((await listStoredCids(devnet(), upload.apiKey)).length - before.length).toBe(1);
  await expectObjects(devnet(), server, await readRows(plan, join(plan.folder, "ledger")));
});

test("small objects are read before their turn, each once, and large ones are not", async () => {
  const large = "b-1000000b.bin";
  const bucket = await openBucket(devnet(), ["a", large, ...Array.from({ length: 40 }, (_, at) => `c${10 + at}`)]);
  const { server, source, upload } = bucket;
  const plan = await bucket.plan();
  const planned = server.requests.length;
  let late = 0;
  server.setFaults(({ key }) => {
    if (key === large) late = server.requests.length - planned;
    return undefined;
  });
  expect(await runBulk(plan, { upload, source })).toMatchObject({ filesDone: 42, setAside: 0 });
  expect(server.requests.length - planned).toBe(42);
  // The first one, and those of the eight behind it that are small.
  expect(late).toBeGreaterThan(8);
  await expectObjects(devnet(), server, await readRows(plan, join(plan.folder, "ledger")));
});

test("an object, and others in a folder of its name, are stored", async () => {
  const keys = ["a", "a-b", "a/b", "a/b/c", "a/d", "b%2Fc", "b/c", "b/c/d"];
  const bucket = await openBucket(devnet(), keys);
  const plan = await bucket.plan();
  const run = await runBulk(plan, { upload: bucket.upload, source: bucket.source, ...quick });
  expect(run).toMatchObject({ filesDone: keys.length, setAside: 0 });
  await expectObjects(devnet(), bucket.server, await readRows(plan, join(plan.folder, "ledger")));
});
