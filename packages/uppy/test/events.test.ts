import { expect, test } from "vitest";
import type { KeeplightUploaderOptions } from "../src/index.ts";
import {
  addFault,
  CHUNK,
  control,
  digest,
  makeFile,
  newName,
  newPerson,
  SIZE,
  watchUploads,
  watchUppy,
} from "./rig.ts";

const NO_RETRIES = { retryDelays: [] };

/** Starts an upload, and waits until some of it is sent. */
async function startUpload(file: File, options: Partial<KeeplightUploaderOptions> = {}) {
  const person = await newPerson();
  const listUploads = await watchUploads();
  await control("setLatency", 60);
  const uppy = person.openUppy(options);
  const watched = watchUppy(uppy);
  const uploading = watched.upload([file]);
  await expect.poll(async () => (await listUploads("PATCH")).length, { interval: 10 }).toBeGreaterThan(1);
  return { person, listUploads, uppy, watched, uploading };
}

test("several files are uploaded, two at a time if so many are allowed", async () => {
  const person = await newPerson();
  const files = Array.from({ length: 5 }, () => makeFile());
  const uppy = person.openUppy({ limit: 2 });
  const watched = watchUppy(uppy);
  const sending = new Set<string>();
  let most = 0;
  uppy.on("upload-progress", (file) => {
    if (file) sending.add(file.id);
    most = Math.max(most, sending.size);
  });
  uppy.on("upload-success", (file) => void sending.delete(file?.id ?? ""));
  const result = await watched.upload(files);
  expect(result?.successful).toHaveLength(5);
  expect(most).toBe(2);
  for (const { name, response } of result?.successful ?? []) {
    const file = files.find((each) => each.name === name);
    expect(await person.read(response?.body?.cid ?? "")).toBe(await digest(file ?? new Blob()));
  }
});

test("a paused file sends nothing, leaves its place to another one, and continues", async () => {
  const file = makeFile();
  const { person, listUploads, uppy, watched, uploading } = await startUpload(file, { limit: 1 });
  const [{ id } = { id: "" }] = uppy.getFiles();
  uppy.pauseResume(id);
  const other = makeFile();
  const result = await watched.upload([other]);
  expect(result?.successful?.map(({ name }) => name)).toContain(other.name);
  const [first] = (await listUploads("PATCH")).map((request) => request.id);
  const sent = async () => (await listUploads("PATCH")).filter((request) => request.id === first).length;
  const paused = await sent();
  expect(paused).toBeLessThan(SIZE / CHUNK);
  expect(await sent()).toBe(paused);
  uppy.pauseResume(id);
  await uploading;
  await control("setLatency", 0);
  expect(watched.successes).toHaveLength(2);
  expect(await person.read(watched.successes[1] ?? "")).toBe(await digest(file));
  expect(watched.errors).toEqual([]);
});

test("all files pause and continue", async () => {
  const file = makeFile();
  const { uppy, watched, uploading } = await startUpload(file);
  uppy.pauseAll();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const listUploads = await watchUploads();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await listUploads()).toEqual([]);
  uppy.resumeAll();
  await uploading;
  await control("setLatency", 0);
  expect(watched.successes).toHaveLength(1);
});

test("a file that is removed is removed from the server and the journal, and starts anew if it is added again", async () => {
  const file = makeFile();
  const { person, listUploads, uppy, watched, uploading } = await startUpload(file);
  const [{ id } = { id: "" }] = uppy.getFiles();
  uppy.removeFile(id);
  await uploading;
  expect(watched.errors).toEqual([]);
  const [created] = await listUploads("PATCH");
  expect((await listUploads("DELETE")).map((request) => request.id)).toEqual([created?.id]);
  expect(await person.listEntries()).toEqual([]);

  await control("setLatency", 0);
  await watched.upload([file]);
  expect(watched.successes).toHaveLength(1);
  const nonces = new Map((await control("listNonces")).map((upload) => [upload.id, upload.nonces]));
  const ids = [...new Set((await listUploads("PATCH")).map((request) => request.id))];
  expect(new Set(ids.map((each) => nonces.get(each))).size).toBe(2);
});

test("the same file can be added again at once, while it is being removed", async () => {
  const file = makeFile();
  const { uppy, watched, uploading } = await startUpload(file);
  uppy.cancelAll();
  await watched.upload([file]);
  await uploading;
  await control("setLatency", 0);
  expect(watched.errors).toEqual([]);
  expect(watched.successes).toHaveLength(1);
});

test("a file that failed leaves nothing once it is removed", async () => {
  const person = await newPerson();
  await addFault({ method: "PATCH", after: 2, respond: { status: 500 } });
  const uppy = person.openUppy(NO_RETRIES);
  const watched = watchUppy(uppy);
  await watched.upload([makeFile()]);
  await control("clearFaults");
  const listUploads = await watchUploads();
  expect(await person.listEntries()).toHaveLength(1);
  uppy.cancelAll();
  await expect.poll(() => person.listEntries()).toEqual([]);
  expect(await listUploads("DELETE")).toHaveLength(1);
});

test("a file that is removed while it waits for its turn leaves nothing of an earlier page", async () => {
  const [waiting, running] = [makeFile(), makeFile()];
  const person = await newPerson();
  await addFault({ method: "PATCH", after: 2, respond: { status: 500 } });
  await person.fail(waiting);
  await control("clearFaults");
  const listUploads = await watchUploads();
  await control("setLatency", 60);
  const uppy = person.openUppy({ limit: 1 });
  const watched = watchUppy(uppy);
  const uploading = watched.upload([running, waiting]);
  await expect.poll(async () => (await listUploads("PATCH")).length, { interval: 10 }).toBeGreaterThan(1);
  const { id = "" } = uppy.getFiles().find(({ name }) => name === waiting.name) ?? {};
  uppy.removeFile(id);
  await expect.poll(async () => (await listUploads("DELETE")).length).toBe(1);
  await control("setLatency", 0);
  await uploading;
  expect(watched.errors).toEqual([]);
  expect((await person.listEntries()).map((entry) => "state" in entry && JSON.stringify(entry.state))).toEqual([
    expect.stringContaining(running.name),
  ]);
});

test("a file that is removed once all of it is sent keeps its key, so that it can still be completed", async () => {
  const person = await newPerson();
  const file = makeFile();
  await control("delayStoring", 2_000);
  const listUploads = await watchUploads();
  const uppy = person.openUppy();
  const watched = watchUppy(uppy);
  const uploading = watched.upload([file]);
  await expect.poll(async () => (await listUploads("GET")).length, { interval: 10 }).toBe(1);
  uppy.cancelAll();
  await uploading;
  await control("clearFaults");
  expect(await person.listEntries()).toHaveLength(1);
  const listLater = await watchUploads();
  await watched.upload([file]);
  expect(await listLater("PATCH")).toEqual([]);
  expect(await person.read(watched.successes[0] ?? "")).toBe(await digest(file));
  expect(await control("listStored", file.name)).toEqual(watched.successes);
});

test("nothing fails while the browser is offline", async () => {
  const file = makeFile();
  const { person, watched, uploading, listUploads } = await startUpload(file, { retryDelays: [1] });
  let isOnLine = false;
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => isOnLine });
  await addFault({ method: "PATCH", resetAfter: 0 });
  await addFault({ method: "HEAD", resetAfter: 0 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await control("clearFaults");
  const before = (await listUploads()).length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await listUploads()).toHaveLength(before);
  isOnLine = true;
  globalThis.dispatchEvent(new Event("online"));
  await uploading;
  Reflect.deleteProperty(navigator, "onLine");
  await control("setLatency", 0);
  expect(watched.errors).toEqual([]);
  expect(await person.read(watched.successes[0] ?? "")).toBe(await digest(file));
});

test("what the server refuses is an error of the file, and is not tried again by itself", async () => {
  const person = await newPerson();
  const listUploads = await watchUploads();
  const uppy = person.openUppy({ headers: { Authorization: "Bearer of another" } });
  const watched = watchUppy(uppy);
  const [failed] = (await watched.upload([makeFile()]))?.failed ?? [];
  expect(watched.errors).toMatchObject([{ code: "UPLOAD_REFUSED", details: { reason: "access", status: 403 } }]);
  expect(failed?.error).toBe("The upload is not authorized ");
  expect(JSON.stringify(uppy.getState())).not.toContain("[object");
  expect(await listUploads()).toHaveLength(1);
});

test("a server's own words follow the message, without the bearer", async () => {
  const person = await newPerson();
  const words = "The quota of Bearer a-long-secret-of-the-page is used up";
  await addFault({ method: "POST", respond: { status: 400, json: { error: { message: words } } } });
  const uppy = person.openUppy({ headers: { Authorization: "Bearer a-long-secret-of-the-page" } });
  await watchUppy(uppy).upload([makeFile()]);
  const [file] = uppy.getFiles();
  expect(file?.error).toBe("Request failed with status code 400 The quota of [secret] is used up");
});

test("headers are asked for before each request", async () => {
  const person = await newPerson();
  let bearer = "expired";
  let asked = 0;
  const headers = async () => {
    asked++;
    return { Authorization: `Bearer ${bearer}` };
  };
  const uppy = person.openUppy({ headers });
  const watched = watchUppy(uppy);
  await watched.upload([makeFile()]);
  bearer = "page";
  await uppy.retryAll();
  expect(watched.errors).toMatchObject([{ code: "UPLOAD_REFUSED" }]);
  expect(watched.successes).toHaveLength(1);
  expect(asked).toBeGreaterThan(SIZE / CHUNK);
});

test("a file is sent as it is, if it is not to be encrypted, and continues as well", async () => {
  const person = await newPerson();
  const file = makeFile();
  const options = { encrypt: false, signer: undefined } as Partial<KeeplightUploaderOptions>;
  const listUploads = await watchUploads();
  await addFault({ method: "PATCH", after: 3, respond: { status: 500 } });
  expect(await person.fail(file, options)).toMatchObject({ code: "HTTP_STATUS" });
  await control("clearFaults");
  const cid = await person.upload(file, options);
  expect(await control("listStored", file.name)).toEqual([cid]);
  expect(await control("countShards", cid)).toBe(0);
  expect(await listUploads("POST")).toHaveLength(1);
  const [last] = (await listUploads("PATCH")).slice(-1);
  expect(await control("readStored", cid)).toEqual(await control("readArrived", last?.id ?? ""));
  expect(await control("readStored", cid)).toBe(await digest(file));
});

test("a file that is not encrypted, and changed, is sent anew", async () => {
  const person = await newPerson();
  const file = makeFile();
  const options = { encrypt: false, signer: undefined } as Partial<KeeplightUploaderOptions>;
  await addFault({ method: "PATCH", after: 3, respond: { status: 500 } });
  await person.fail(file, options);
  await control("clearFaults");
  const bytes = new Uint8Array(await file.arrayBuffer());
  const changed = makeFile(
    file.name,
    bytes.map((byte) => byte ^ 1),
  );
  const cid = await person.upload(changed, options);
  expect(await control("readStored", cid)).toBe(await digest(changed));
});

test("a server that names other bytes for a file that is not encrypted is not believed", async () => {
  const person = await newPerson();
  const other = "bafkreifzjut3te7nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  await addFault({ method: "GET", respond: { status: 200, json: { Name: "x", Hash: other, Size: "1" } } });
  const uppy = person.openUppy({ encrypt: false, ...NO_RETRIES } as Partial<KeeplightUploaderOptions>);
  const watched = watchUppy(uppy);
  await watched.upload([makeFile()]);
  expect(watched.errors).toHaveLength(1);
  expect(watched.successes).toEqual([]);
});

test.each([0, 1, CHUNK - 44, CHUNK - 43])("a file of %i bytes is stored", async (size) => {
  const person = await newPerson();
  const file = makeFile(newName(), new Uint8Array(size).fill(7));
  const encrypted = await person.upload(file);
  expect(await person.read(encrypted)).toBe(await digest(file));
  const options = { encrypt: false } as Partial<KeeplightUploaderOptions>;
  const plain = await person.upload(makeFile(newName(), new Uint8Array(size).fill(7)), options);
  expect(await control("readStored", plain)).toBe(await digest(file));
});

test("names are hidden if that is requested", async () => {
  const person = await newPerson();
  const file = makeFile();
  const watched = watchUppy(person.openUppy({ names: "hidden" }));
  const result = await watched.upload([file]);
  const { cid = "", name } = result?.successful?.[0]?.response?.body ?? {};
  expect(name).toBe(file.name);
  expect(await control("listStored", file.name)).toEqual([]);
  expect(await person.read(cid)).toBe(await digest(file));
});

test("files of one name in two folders are two files", async () => {
  const person = await newPerson();
  const uppy = person.openUppy();
  const watched = watchUppy(uppy);
  const [one, two] = [makeFile("same.txt"), makeFile("same.txt")];
  uppy.addFile({ name: one.name, data: one, meta: { relativePath: "a/same.txt" } });
  uppy.addFile({ name: two.name, data: two, meta: { relativePath: "b/same.txt" } });
  await uppy.upload();
  expect(watched.errors).toEqual([]);
  const stored = await Promise.all(watched.successes.map((cid) => person.read(cid)));
  expect(stored).toContain(await digest(one));
  expect(stored).toContain(await digest(two));
});

test("files that are not in the page are refused", async () => {
  const person = await newPerson();
  const uppy = person.openUppy();
  const watched = watchUppy(uppy);
  const remote = { companionUrl: "https://companion.example", url: "x", requestClientId: "x" };
  uppy.addFile({ name: "far.txt", data: { size: 3 }, isRemote: true, remote } as never);
  const id = uppy.addFile(makeFile());
  uppy.setFileState(id, { isGhost: true, data: undefined } as never);
  await uppy.upload();
  expect(watched.errors.map(({ code }) => code)).toEqual(["INVALID_SOURCE", "INVALID_SOURCE"]);
});

test("options are checked, and changed for what follows", async () => {
  const person = await newPerson();
  const open = (options: object) => person.openUppy(options as Partial<KeeplightUploaderOptions>);
  expect(() => open({ chunkSize: 1 })).toThrow("chunkSize");
  expect(() => open({ journal: {} })).toThrow("journal");
  expect(() => open({ endpoint: "https://user@host.example/" })).toThrow("endpoint");
  expect(() => open({ headers: { a: 1 } })).toThrow("headers");
  expect(() => open({ limit: 0 })).toThrow("limit");
  expect(() => open({ retryDelays: ["1"] })).toThrow("retryDelays");
  const uppy = open({ headers: {} });
  const plugin = uppy.getPlugin("KeeplightUploader");
  expect(() => plugin?.setOptions({ encrypt: 1 } as never)).toThrow("encrypt");
  plugin?.setOptions({ headers: { Authorization: "Bearer page" } });
  // Uppy passes its own options on.
  uppy.setOptions({ locale: { strings: {} } });
  const watched = watchUppy(uppy);
  await watched.upload([makeFile()]);
  expect(watched.errors).toEqual([]);
});

test("an account that rejects the signature sends nothing", async () => {
  const person = await newPerson();
  const listUploads = await watchUploads();
  const signer = {
    getAddress: async () => person.signer.address,
    signMessage: async () => Promise.reject(new Error("no")),
  };
  const watched = watchUppy(person.openUppy({ signer } as Partial<KeeplightUploaderOptions>));
  await watched.upload([makeFile()]);
  expect(watched.errors).toMatchObject([{ code: "SIGNATURE_REJECTED" }]);
  expect(await listUploads()).toEqual([]);
});
