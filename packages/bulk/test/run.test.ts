import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { scratch } from "../../../test/support/files.ts";
import {
  type BulkStatus,
  cancelBulk,
  formatBulkMetrics,
  getBulkStatus,
  listSetAside,
  openBulkLedger,
  pauseBulk,
  planBulk,
  readRunStatus,
  retryBulk,
  runBulk,
} from "../src/index.ts";
import {
  countUploads,
  expectStored,
  misreportUploads,
  planBatches,
  planDataset,
  planEncrypted,
  readRows,
} from "./rig.ts";

const devnet = devnetForTests();
const quick = { retryMs: 1 };

afterEach(() => {
  devnet().faults.clear();
  devnet().attacks.clear();
});

test("every file of a plan is stored under the content id of its row, and a second run sends nothing", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 2_100);
  const seen: BulkStatus[] = [];
  const status = await runBulk(plan, { upload, workers: 2, onProgress: (each) => seen.push(each) });
  expect(status).toMatchObject({ id: plan.id, files: 2_100, filesDone: 2_100, setAside: 0, state: "done" });
  expect(status.counts).toEqual({ found: 0, sent: 0, stored: 2_100, saved: 0, verified: 0 });
  expect(seen.map(({ filesDone }) => filesDone)).toEqual(
    [...seen.map(({ filesDone }) => filesDone)].sort((a, b) => a - b),
  );
  expect(seen.at(0)).toMatchObject({ filesDone: 0, counts: { found: 2_100 } });
  expect(seen.at(-1)).toEqual(status);
  const rows = await readRows(plan, ledgerPlace);
  expect(new Set(rows.map(({ path }) => path)).size).toBe(2_100);
  await expectStored(
    devnet(),
    data,
    rows.filter((_, at) => at % 100 === 0),
  );
  const uploads = countUploads(devnet());
  expect(await runBulk(plan, { upload })).toEqual(status);
  expect(countUploads(devnet())).toBe(uploads);
});

test("a batch whose response is lost is found on the network, and not sent again", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 150);
  const before = countUploads(devnet());
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "cut", atByte: 1 } });
  expect(await runBulk(plan, { upload, ...quick })).toMatchObject({ filesDone: 150 });
  expect(countUploads(devnet()) - before).toBeLessThanOrEqual(1);
  await expectStored(devnet(), data, await readRows(plan, ledgerPlace));
});

test("a batch that fails is tried again, and set aside after the last attempt until it is retried", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 30);
  devnet().faults.add({ service: "upload", action: { kind: "respond", status: 503 } });
  const failed = await runBulk(plan, { upload, ...quick, attempts: 3, outageMs: 0 });
  expect(failed).toMatchObject({ filesDone: 0, setAside: 30 });
  devnet().faults.clear();
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 0, setAside: 30 });
  const ledger = await openBulkLedger(ledgerPlace);
  const problems = [];
  for await (const file of listSetAside(plan.id, ledger)) problems.push(file.code);
  expect(problems).toEqual(Array(30).fill("HTTP_STATUS"));
  expect(await retryBulk(plan.id, ledger)).toBe(30);
  expect(await retryBulk(plan.id, ledger)).toBe(0);
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 30, setAside: 0 });
  await ledger.close();
  await expectStored(devnet(), data, await readRows(plan, ledgerPlace));
});

test("files that cannot be sent are set aside, and the others are stored", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 40);
  await rm(join(data, "d000/f000003.txt"));
  await writeFile(join(data, "d000/f000007.txt"), "it changed");
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 38, setAside: 2 });
  const rows = await readRows(plan, ledgerPlace);
  expect(rows.flatMap(({ path, problem }) => (problem ? [[path, problem.code]] : []))).toEqual([
    ["d000/f000003.txt", "SOURCE_UNREADABLE"],
    ["d000/f000007.txt", "SOURCE_CHANGED"],
  ]);
  await expectStored(
    devnet(),
    data,
    rows.filter(({ problem }) => !problem),
  );
});

test("a refused request is halved, until only the file that is refused is set aside", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 8);
  // The whole batch, its first half, and so on.
  devnet().faults.add({ service: "upload", times: 4, action: { kind: "respond", status: 422 } });
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 7, setAside: 1 });
  const rows = await readRows(plan, ledgerPlace);
  expect(rows.map(({ problem }) => problem?.code)).toEqual(["HTTP_STATUS", ...Array(7).fill(undefined)]);
  await expectStored(devnet(), data, rows.slice(1));
});

test.each([
  ["is down", 503],
  ["has received too many requests", 429],
])("a service that %s is waited for, and not counted as attempts", async (_, status) => {
  const { plan, upload } = await planDataset(devnet(), 5);
  devnet().faults.add({ service: "upload", times: 4, action: { kind: "respond", status } });
  const errors: unknown[] = [];
  const onError = (error: unknown) => {
    const own = new Error("of the listener");
    if (errors.push(error) % 2 === 1) throw own;
    return Promise.reject(own);
  };
  expect(await runBulk(plan, { upload, ...quick, attempts: 1, onError })).toMatchObject({ filesDone: 5, setAside: 0 });
  expect(errors).toMatchObject(Array(4).fill({ code: "HTTP_STATUS", details: { status } }));
});

test("a batch that fails while another succeeds is no outage: it is set aside after its attempts", async () => {
  const { plan, upload } = await planBatches(devnet(), 2);
  const stop = new AbortController();
  let failures = 0;
  const onError = () => {
    // An outage would be waited for, for an hour.
    if (++failures > 12) stop.abort();
  };
  // Whether a batch is stored is looked for only after its upload has failed.
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "respond", status: 503 } });
  devnet().faults.add({ service: "api", path: /file_info/, action: { kind: "respond", status: 503 } });
  const options = { upload: { ...upload, attempts: 1 }, retryMs: 1, attempts: 1, workers: 2 };
  const run = await runBulk(plan, { ...options, onError, signal: stop.signal });
  expect(run).toMatchObject({ filesDone: 1, setAside: 1 });
});

test("a batch whose files are all set aside ends no outage", async () => {
  const { upload } = await planDataset(devnet(), 1);
  let onDown = () => {};
  const down = new Promise<void>((resolve) => {
    onDown = resolve;
  });
  const source = {
    place: "s3://bucket",
    // A batch each: a node may take their names for one.
    async *list() {
      for (const path of ["%61", "a"]) yield { path, size: 1 };
    },
    async open({ path }: { path: string }) {
      if (path === "%61") return new Blob(["1"]).stream();
      await down;
      throw new Error("The key does not exist");
    },
  };
  const { plan } = await planBulk(source, { folder: join(await scratch(), "plan") });
  devnet().faults.add({ service: "upload", action: { kind: "respond", status: 503 } });
  let isAside = false;
  let failures = 0;
  const run = await runBulk(plan, {
    upload: { ...upload, attempts: 1 },
    source,
    retryMs: 1,
    attempts: 1,
    workers: 2,
    onProgress({ setAside }) {
      isAside = setAside > 0;
    },
    onError() {
      onDown();
      if (isAside && ++failures > 1) devnet().faults.clear();
    },
  });
  expect(run).toMatchObject({ filesDone: 1, setAside: 1 });
});

test("a service that refuses all of many files ends the run, and no file is set aside", async () => {
  const { plan, upload } = await planDataset(devnet(), 20);
  devnet().faults.add({ service: "upload", action: { kind: "respond", status: 400 } });
  const refused = await failure(runBulk(plan, { upload, ...quick }));
  expect(refused).toMatchObject({ code: "HTTP_STATUS", details: { status: 400 } });
  devnet().faults.clear();
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 20, setAside: 0 });
});

test("of files with one base name, only the one that cannot be sent is set aside", async () => {
  const root = await scratch();
  const { upload } = await planDataset(devnet(), 1);
  const contents: Record<string, string> = { "a/f": "one", f: "two", "z/f": "three" };
  const source = {
    place: "s3://names",
    async *list() {
      for (const [path, text] of Object.entries(contents)) yield { path, size: text.length };
    },
    open: ({ path }: { path: string }) => new Blob([path === "z/f" ? "other" : "", contents[path] ?? ""]).stream(),
  };
  const { plan } = await planBulk(source, { folder: join(root, "plan") });
  expect(await runBulk(plan, { upload, source, ...quick })).toMatchObject({ filesDone: 2, setAside: 1 });
  const rows = await readRows(plan, join(plan.folder, "ledger"));
  expect(rows.flatMap(({ path, problem }) => (problem ? [path] : []))).toEqual(["z/f"]);
});

test("an upload node that names another content id is not believed, and receives the files no second time", async () => {
  const { plan, upload, ledgerPlace } = await planDataset(devnet(), 5);
  const before = countUploads(devnet());
  misreportUploads(devnet());
  expect(await runBulk(plan, { upload, ...quick })).toMatchObject({ filesDone: 0, setAside: 5 });
  expect(countUploads(devnet()) - before).toBe(1);
  const [row] = await readRows(plan, ledgerPlace);
  expect(row).toMatchObject({ status: "sent", problem: { code: "CID_MISMATCH" } });
  expect(row?.cid).toBe(undefined);
});

test("an upload node that names other content ids for two batches in a row receives no third one", async () => {
  const { plan, upload } = await planBatches(devnet(), 4);
  const before = countUploads(devnet());
  misreportUploads(devnet());
  expect((await failure(runBulk(plan, { upload, ...quick, workers: 1 }))).code).toBe("CID_MISMATCH");
  expect(countUploads(devnet()) - before).toBe(2);
  const rows = await readRows(plan, join(plan.folder, "ledger"));
  expect(rows.map(({ problem }) => problem?.code)).toEqual(["CID_MISMATCH", "CID_MISMATCH", undefined, undefined]);
  devnet().attacks.clear();
  expect(await runBulk(plan, { upload, ...quick })).toMatchObject({ filesDone: 2, setAside: 2 });
});

test("a plan is done once every file is done or set aside, unless it is paused or cancelled", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 3);
  await rm(join(data, "d000/f000001.txt"));
  const ledger = await openBulkLedger(ledgerPlace);
  const states: string[] = [];
  const onProgress = ({ state }: { state: string }) => void states.push(state);
  const run = await runBulk(plan, { upload, ledger, onProgress });
  expect(run).toMatchObject({ state: "done", filesDone: 2, setAside: 1 });
  expect([states[0], states.at(-1)]).toEqual(["running", "done"]);
  expect(await getBulkStatus(plan, ledger)).toEqual(run);
  expect(await readRunStatus(plan)).toMatchObject(run);
  expect(formatBulkMetrics([run])).toMatch(/^keeplight_bulk_running\{.*\} 0$/m);
  await retryBulk(plan.id, ledger);
  expect(await getBulkStatus(plan, ledger)).toMatchObject({ state: "running" });
  await pauseBulk(plan.id, ledger);
  await runBulk(plan, { upload, ledger });
  for (const [end, state] of [
    [pauseBulk, "paused"],
    [cancelBulk, "cancelled"],
  ] as const) {
    await end(plan.id, ledger);
    expect(await getBulkStatus(plan, ledger)).toMatchObject({ state, filesDone: 2, setAside: 1 });
  }
  await ledger.close();
});

test("what every batch would end in ends the run at once", async () => {
  const { plan, upload } = await planDataset(devnet(), 3);
  const refused = await failure(runBulk(plan, { upload: { ...upload, apiKey: "wrong" } }));
  expect(refused).toMatchObject({ code: "HTTP_STATUS", details: { status: 401 } });
  const { apiKey: _, ...anonymous } = upload;
  expect((await failure(runBulk(plan, { upload: anonymous }))).code).toBe("MISSING_API_KEY");
  expect((await failure(runBulk(plan, { upload, workers: 0 }))).code).toBe("INVALID_OPTION");
  const misspelt = { ...upload, endPoints: upload.endpoints };
  const unknown = await failure(runBulk(plan, { upload: misspelt }));
  expect(unknown.message).toBe("Unknown option upload.endPoints: did you mean upload.endpoints?");
  expect(unknown.details).toEqual({ option: "upload.endPoints", nearest: "upload.endpoints" });
  const invalid = await failure(runBulk(plan, { upload: { ...upload, timeoutMs: 0 } }));
  expect(invalid.message).toMatch(/^Invalid option upload\.timeoutMs: expected a whole number/);
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 3 });
});

test("an aborted run continues where it was", async () => {
  const { data, plan, upload, ledgerPlace } = await planDataset(devnet(), 3_000);
  const abort = new AbortController();
  devnet().faults.add({ service: "upload", after: 1, action: { kind: "hang" } });
  const stopped = runBulk(plan, {
    upload,
    workers: 2,
    signal: abort.signal,
    onProgress: ({ filesDone }) => filesDone > 0 && abort.abort(),
  });
  expect((await failure(stopped)).code).toBe("ABORTED");
  devnet().faults.clear();
  expect(await runBulk(plan, { upload })).toMatchObject({ filesDone: 3_000, setAside: 0 });
  const rows = await readRows(plan, ledgerPlace);
  await expectStored(
    devnet(),
    data,
    rows.filter((_, at) => at % 300 === 0),
  );
});

test("a paused plan continues, a cancelled one does not", async () => {
  const { plan, upload, ledgerPlace } = await planDataset(devnet(), 3_000);
  const ledger = await openBulkLedger(ledgerPlace);
  let pausing: Promise<void> | undefined;
  const paused = await runBulk(plan, {
    upload,
    ledger,
    workers: 1,
    onProgress: ({ filesDone }) => {
      if (filesDone > 0) pausing ??= pauseBulk(plan.id, ledger);
    },
  });
  await pausing;
  expect(paused.filesDone).toBeLessThan(3_000);
  expect(paused.state).toBe("paused");
  expect(await runBulk(plan, { upload, ledger })).toMatchObject({ filesDone: 3_000, state: "done" });
  await cancelBulk(plan.id, ledger);
  expect((await getBulkStatus(plan.id, ledger)).state).toBe("cancelled");
  expect((await failure(runBulk(plan, { upload, ledger }))).code).toBe("INVALID_OPTION");
  expect((await failure(pauseBulk(plan.id, ledger))).code).toBe("INVALID_OPTION");
  expect((await failure(getBulkStatus("unknown", ledger))).code).toBe("INVALID_OPTION");
  await ledger.close();
});

test("files of a store are streamed, and one with other bytes than its listing says is set aside", async () => {
  const root = await scratch();
  const { upload } = await planDataset(devnet(), 1);
  const contents: Record<string, string> = { "a/1": "one", "a/2": "two", "b/3": "three" };
  const sha256 = "f7846f55cf23e14eebeab5b4e1550cad5b509e3348fbc4efa3a1413d393cb650";
  const source = {
    place: "s3://bucket",
    async *list() {
      for (const [path, text] of Object.entries(contents))
        yield { path, size: text.length, ...(path === "a/1" ? { sha256 } : {}) };
    },
    open: ({ path }: { path: string }) => new Blob([contents[path] ?? ""]).stream(),
  };
  const { plan } = await planBulk(source, { folder: join(root, "plan") });
  expect((await failure(runBulk(plan, { upload }))).code).toBe("INVALID_OPTION");
  expect(await runBulk(plan, { upload, source })).toMatchObject({ filesDone: 2, setAside: 1 });
  const rows = await readRows(plan, join(plan.folder, "ledger"));
  expect(rows[0]?.problem?.code).toBe("SOURCE_CHANGED");
  expect(await readFile(join(plan.folder, "plan.json"), "utf8")).toContain("s3://bucket");
});

test.each([false, true])(
  "a file that a store cannot open is set aside, unless the run is aborted meanwhile (encrypted: %s)",
  async (encrypted) => {
    const { upload } = await planEncrypted(devnet(), 1);
    const stop = new AbortController();
    let isStopping = true;
    const source = {
      place: "s3://bucket",
      async *list() {
        for (const path of ["a", "b", "c"]) yield { path, size: 3 };
      },
      async open({ path }: { path: string }) {
        if (isStopping) stop.abort();
        if (path === "b") throw Object.assign(new Error("The key does not exist"), { name: "NoSuchKey" });
        return new Blob([`${path}${path}${path}`]).stream();
      },
    };
    const { plan } = await planBulk(source, { folder: join(await scratch(), "plan"), encrypted });
    const { apiKey, endpoints } = upload;
    const options = { upload: encrypted ? upload : { apiKey, endpoints }, source, ...quick };
    expect((await failure(runBulk(plan, { ...options, signal: stop.signal }))).code).toBe("ABORTED");
    isStopping = false;
    expect(await runBulk(plan, options)).toMatchObject({ filesDone: 2, setAside: 1 });
    const rows = await readRows(plan, join(plan.folder, "ledger"));
    expect(rows.map(({ problem }) => problem?.code)).toEqual([undefined, "SOURCE_UNREADABLE", undefined]);
  },
);
