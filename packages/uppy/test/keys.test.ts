import { Wallet } from "ethers";
import { expect, test } from "vitest";
import type { UploaderState } from "../src/entry.ts";
import type { KeeplightUploaderOptions } from "../src/index.ts";
import {
  addFault,
  CHUNK,
  control,
  digest,
  makeFile,
  newName,
  newPerson,
  randomBytes,
  SIZE,
  watchUploads,
  watchUppy,
} from "./rig.ts";

type Person = Awaited<ReturnType<typeof newPerson>>;
type Options = Partial<KeeplightUploaderOptions>;

const NO_RETRIES = { retryDelays: [] };
/** The content id of other bytes. */
const OTHER = "bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

test("a server that names other bytes is not believed: no key is saved, and the right answer is accepted later", async () => {
  const person = await newPerson();
  const file = makeFile();
  const lie = { status: 200, json: { Name: file.name, Hash: OTHER, Size: String(SIZE + 44) } };
  await addFault({ method: "GET", respond: lie });
  const uppy = person.openUppy(NO_RETRIES);
  const watched = watchUppy(uppy);
  await watched.upload([file]);
  expect(watched.errors).toMatchObject([{ code: "CID_MISMATCH" }]);
  expect(await control("countShards", OTHER)).toBe(0);

  await control("clearFaults");
  const listUploads = await watchUploads();
  await uppy.retryAll();
  expect(watched.errors).toHaveLength(1);
  expect(await person.read(watched.successes[0] ?? "")).toBe(await digest(file));
  expect(await listUploads("PATCH")).toEqual([]);
});

test.each([
  { what: "no content id", json: { Name: "x", Hash: "nothing" } },
  { what: "a list", json: [] },
  { what: "null", json: null },
])("a server whose answer is $what is refused", async ({ json }) => {
  const person = await newPerson();
  await addFault({ method: "GET", respond: { status: 200, json } });
  const watched = watchUppy(person.openUppy(NO_RETRIES));
  await watched.upload([makeFile()]);
  expect(watched.errors).toMatchObject([{ code: "INVALID_RESPONSE" }]);
});

test("a key node that is down fails the file, and nothing is sent again once it is back", async () => {
  const person = await newPerson();
  const file = makeFile();
  await control("breakKeyNode", 4);
  const uppy = person.openUppy(NO_RETRIES);
  const watched = watchUppy(uppy);
  await watched.upload([file]);
  expect(watched.errors).toMatchObject([{ code: "NETWORK", details: { node: 4 } }]);
  const [cid = ""] = await control("listStored", file.name);
  // The others have theirs.
  expect(await control("countShards", cid)).toBe(4);

  await control("mendKeyNode", 4);
  const listUploads = await watchUploads();
  await uppy.retryAll();
  expect(watched.successes).toEqual([cid]);
  expect(await control("countShards", cid)).toBe(5);
  expect(await listUploads()).toEqual([]);
  expect(await person.read(cid)).toBe(await digest(file));
});

test("with saveOn enough, three nodes are enough", async () => {
  const person = await newPerson();
  const file = makeFile();
  await control("breakKeyNode", 1);
  await control("breakKeyNode", 2);
  const cid = await person.upload(file, { saveOn: "enough", ...NO_RETRIES });
  await control("mendKeyNode", 1);
  await control("mendKeyNode", 2);
  expect(await control("countShards", cid)).toBe(3);
  expect(await person.read(cid)).toBe(await digest(file));
});

test("files of pages that ended after the last byte are completed without them", async () => {
  const person = await newPerson();
  const bytes = randomBytes(SIZE);
  const name = newName();
  await addFault({ method: "GET", respond: { status: 503 } });
  await person.fail(makeFile(name, bytes));
  // The bytes of this one are not all there.
  await addFault({ method: "PATCH", after: 2, respond: { status: 503 } });
  await person.fail(makeFile());
  await control("clearFaults");

  const listUploads = await watchUploads();
  const plugin = person.openUppy().getPlugin("KeeplightUploader");
  const completed = await plugin?.completeSent();
  const [cid = ""] = await control("listStored", name);
  expect(completed).toEqual([{ name, cid, size: SIZE }]);
  expect(await person.read(cid)).toBe(await digest(bytes));
  expect(await listUploads("PATCH")).toEqual([]);
  expect(await plugin?.completeSent()).toEqual([]);

  expect(await person.upload(makeFile(name, bytes))).toBe(cid);
  expect(await control("listStored", name)).toEqual([cid]);
});

test.each([
  [
    "by an upload that is continued",
    async (person: Person, file: File, options: Options) => person.upload(file, options),
  ],
  [
    "by a page that has no file",
    async (person: Person, _: File, options: Options) => {
      const [completed] = (await person.openUppy(options).getPlugin("KeeplightUploader")?.completeSent()) ?? [];
      return completed && "cid" in completed ? completed.cid : "";
    },
  ],
])("who may open a file is as its upload was started: %s", async (_, complete) => {
  const [bob, carol] = [Wallet.createRandom(), Wallet.createRandom()];
  const [toBob, toCarol] = [{ shareTo: bob.address }, { shareTo: carol.address }];
  for (const { isShared, started, later } of [
    { isShared: true, started: toBob, later: toCarol },
    { isShared: false, started: {}, later: toCarol },
    { isShared: true, started: toBob, later: {} },
  ]) {
    const person = await newPerson();
    const file = makeFile();
    await addFault({ method: "GET", respond: { status: 503 } });
    await person.fail(file, started);
    await control("clearFaults");
    const cid = await complete(person, file, later);
    const bytes = await digest(file);
    expect(await person.read(cid)).toBe(bytes);
    await expect(person.read(cid, carol)).rejects.toMatchObject({ name: "KeeplightError" });
    const byBob = person.read(cid, bob);
    await (isShared
      ? expect(byBob).resolves.toBe(bytes)
      : expect(byBob).rejects.toMatchObject({ name: "KeeplightError" }));
  }
});

test("what another account has sent is not completed", async () => {
  const person = await newPerson();
  await addFault({ method: "GET", respond: { status: 503 } });
  await person.fail(makeFile());
  await control("clearFaults");
  const other = await newPerson();
  const uppy = other.openUppy({ journal: person.journal });
  expect(await uppy.getPlugin("KeeplightUploader")?.completeSent()).toEqual([]);
});

test("what resumes all that is in the journal leaves the plugin's uploads alone", async () => {
  const person = await newPerson();
  await addFault({ method: "GET", respond: { status: 503 } });
  const file = makeFile();
  await person.fail(file);
  await control("clearFaults");
  expect(await person.listEntries()).toHaveLength(1);
  expect(await person.journal.list()).toEqual([]);
  expect(await person.journal.resumeAll({})).toEqual([]);
  expect(await person.read(await person.upload(file))).toBe(await digest(file));
});

test("the journal keeps the key until it is saved, and nothing but where the file is afterwards", async () => {
  const person = await newPerson();
  const states: unknown[] = [];
  const uppy = person.openUppy();
  const { getEntries } = await import("keeplight/parts");
  const entries = getEntries(person.journal);
  uppy.on("upload-progress", async () => {
    for (const entry of await entries.list()) if ("state" in entry) states.push(entry.state);
  });
  const watched = watchUppy(uppy);
  await watched.upload([makeFile()]);
  expect(states.at(0)).toMatchObject({ files: [{ masterKey: expect.stringMatching(/^[0-9a-f]{64}$/) }] });
  const [left, ...others] = await entries.list();
  expect(others).toEqual([]);
  const [cid] = watched.successes;
  expect(left).toMatchObject({ kind: "@keeplight/uppy", state: { owner: "", files: [], digests: [], done: { cid } } });
  expect(JSON.stringify(left)).not.toMatch(/masterKey|nonces|"key"/);
  await expect.poll(() => entries.list(), { timeout: 60_000 }).toEqual([]);
});

test("the journal knows the key, and each chunk, before the server knows anything", async () => {
  const person = await newPerson();
  const { getEntries } = await import("keeplight/parts");
  const entries = getEntries(person.journal);
  const listUploads = await watchUploads();
  // Requests wait this long before they are read.
  await control("setLatency", 700);
  const uploading = person.upload(makeFile(newName(), randomBytes(3 * CHUNK - 44)));
  await expect.poll(async () => (await listUploads("POST")).length, { interval: 20 }).toBe(1);
  const [prepared] = await entries.list();
  expect(prepared).toMatchObject({
    state: {
      files: [{ masterKey: expect.stringMatching(/^[0-9a-f]{64}$/), keyShards: Array(5).fill(expect.anything()) }],
      nonces: { salt: expect.stringMatching(/^[0-9a-f]{32}$/), iv: expect.stringMatching(/^[0-9a-f]{24}$/) },
    },
  });
  for (const chunks of [1, 2, 3]) {
    await expect.poll(async () => (await listUploads("PATCH")).length, { interval: 20 }).toBe(chunks);
    const [entry] = await entries.list();
    const { digests, files, url } = (entry as { state: UploaderState }).state;
    expect((await listUploads("PATCH")).at(-1)).toMatchObject({ bytes: 0, status: 0 });
    expect(digests.length).toBeGreaterThanOrEqual(chunks);
    expect(url).toMatch(/\/[0-9a-f]{32}$/);
    // The content ids are known before the last byte is sent.
    expect(files[0]?.attempts[0]?.cids.length ?? 0).toBe(digests.length === 3 ? 2 : 0);
  }
  await uploading;
  await control("setLatency", 0);
});
