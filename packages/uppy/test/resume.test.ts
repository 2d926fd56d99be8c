import { Wallet } from "ethers";
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
  randomBytes,
  SIZE,
  watchUploads,
  watchUppy,
} from "./rig.ts";

const AFTER_TWO_CHUNKS = { method: "PATCH", after: 2, respond: { status: 500 } };

/** Starts an upload that fails after two chunks, as a page does that is closed then. */
async function interrupt(file: File) {
  const person = await newPerson();
  const listUploads = await watchUploads();
  await addFault(AFTER_TWO_CHUNKS);
  expect(await person.fail(file)).toMatchObject({ code: "HTTP_STATUS" });
  await control("clearFaults");
  return { person, listUploads };
}

/** Lists how the uploads of these requests are encrypted, in their order. */
async function listNonces(requests: readonly { method: string; id: string }[]): Promise<(string | undefined)[]> {
  const all = await control("listNonces");
  const ids = new Set(requests.flatMap(({ method, id }) => (method === "PATCH" ? id : [])));
  return [...ids].map((id) => all.find((upload) => upload.id === id)?.nonces);
}

test("the same file continues where an earlier page stopped, in the same upload", async () => {
  const bytes = randomBytes(SIZE);
  const name = newName();
  const { person, listUploads } = await interrupt(makeFile(name, bytes));
  const cid = await person.upload(makeFile(name, bytes));
  expect(await person.read(cid)).toBe(await digest(bytes));
  expect(await control("listStored", name)).toEqual([cid]);
  const requests = await listUploads();
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  const offsets = requests.filter(({ method }) => method === "PATCH").map(({ offset }) => offset);
  expect(offsets).toEqual([0, CHUNK, 2 * CHUNK, ...Array.from({ length: 6 }, (_, at) => (at + 2) * CHUNK)]);
});

test("a file that changed unnoticed is encrypted by a new key, and what was sent of it is removed", async () => {
  const bytes = randomBytes(SIZE);
  const name = newName();
  const { person, listUploads } = await interrupt(makeFile(name, bytes));
  // In a part that was sent: its name, its size and its date are the same.
  const changed = bytes.map((byte, at) => (at === CHUNK + 5 ? byte ^ 1 : byte));
  const cid = await person.upload(makeFile(name, changed));
  expect(await person.read(cid)).toBe(await digest(changed));
  expect(await control("listStored", name)).toEqual([cid]);
  const requests = await listUploads();
  const [first, second, ...others] = await listNonces(requests);
  expect(others).toEqual([]);
  // Neither the salt, of which the key is derived, nor the iv.
  expect(first?.slice(0, 32)).not.toBe(second?.slice(0, 32));
  expect(first?.slice(32)).not.toBe(second?.slice(32));
  const [created] = requests.filter(({ method }) => method === "PATCH");
  expect(requests.filter(({ method }) => method === "DELETE").map(({ id }) => id)).toEqual([created?.id]);
  expect(await control("listReused")).toEqual([]);
});

test("a file that changed where nothing was sent yet continues, as its bytes there were never encrypted", async () => {
  const bytes = randomBytes(SIZE);
  const name = newName();
  const { person, listUploads } = await interrupt(makeFile(name, bytes));
  const changed = bytes.map((byte, at) => (at > 5 * CHUNK ? byte ^ 1 : byte));
  const cid = await person.upload(makeFile(name, changed));
  expect(await person.read(cid)).toBe(await digest(changed));
  expect(await listUploads("POST")).toHaveLength(1);
  expect(await control("listReused")).toEqual([]);
});

test("a server that has more than was sent, as the journal has it, gets the file by a new key", async () => {
  const bytes = randomBytes(SIZE);
  const name = newName();
  const { person, listUploads } = await interrupt(makeFile(name, bytes));
  const more = { "Upload-Offset": String(5 * CHUNK), "Upload-Length": String(SIZE + 44) };
  await addFault({ method: "HEAD", times: 1, respond: { status: 200, headers: more } });
  const cid = await person.upload(makeFile(name, bytes));
  expect(await person.read(cid)).toBe(await digest(bytes));
  const nonces = await listNonces(await listUploads());
  expect(new Set(nonces).size).toBe(2);
});

test.each([404, 410])("an upload that is gone (%i) is sent again: the same bytes", async (status) => {
  const bytes = randomBytes(SIZE);
  const name = newName();
  const { person, listUploads } = await interrupt(makeFile(name, bytes));
  await addFault({ method: "HEAD", times: 1, respond: { status } });
  const cid = await person.upload(makeFile(name, bytes));
  expect(await person.read(cid)).toBe(await digest(bytes));
  expect(await control("listStored", name)).toEqual([cid]);
  const [first, second, ...others] = await listNonces(await listUploads());
  expect(second).toBe(first);
  expect(others).toEqual([]);
  expect(await control("listReused")).toEqual([]);
});

test("an upload that disappears between two chunks starts over by itself", async () => {
  const person = await newPerson();
  const file = makeFile();
  const listUploads = await watchUploads();
  await addFault({ method: "PATCH", after: 3, times: 1, respond: { status: 404 } });
  await addFault({ method: "HEAD", times: 1, respond: { status: 404 } });
  const cid = await person.upload(file);
  expect(await person.read(cid)).toBe(await digest(file));
  expect(await listUploads("POST")).toHaveLength(2);
});

test("an endpoint that loses every upload ends in an error", async () => {
  const person = await newPerson();
  await addFault({ method: "PATCH", respond: { status: 404 } });
  await addFault({ method: "HEAD", respond: { status: 404 } });
  expect(await person.fail(makeFile())).toMatchObject({ code: "INVALID_RESPONSE" });
});

test("what is stored, and forgotten by the server, is not sent again: its key is saved", async () => {
  const person = await newPerson();
  const bytes = randomBytes(SIZE);
  const name = newName();
  await addFault({ method: "GET", respond: { status: 500 } });
  await person.fail(makeFile(name, bytes));
  await control("clearFaults");
  await expect.poll(() => control("listStored", name)).toHaveLength(1);
  const [{ id } = { id: "" }] = (await control("listRequests")).filter(({ method }) => method === "PATCH").slice(-1);
  await control("forget", id);
  const listUploads = await watchUploads();
  const cid = await person.upload(makeFile(name, bytes));
  expect(await control("listStored", name)).toEqual([cid]);
  expect(await person.read(cid)).toBe(await digest(bytes));
  expect((await listUploads()).map(({ method }) => method)).toEqual(["HEAD", "GET"]);
});

test("a server that is restarted between two chunks continues", async () => {
  const person = await newPerson();
  const file = makeFile();
  const listUploads = await watchUploads();
  await control("setLatency", 30);
  const uploading = person.upload(file);
  await expect.poll(async () => (await listUploads("PATCH")).length, { interval: 10 }).toBeGreaterThan(2);
  await control("restart", 300);
  const cid = await uploading;
  await control("setLatency", 0);
  expect(await person.read(cid)).toBe(await digest(file));
  expect(await listUploads("POST")).toHaveLength(1);
  expect(await control("listReused")).toEqual([]);
});

test("a connection that ends in the middle of chunks continues at the byte that has arrived", async () => {
  const person = await newPerson();
  const file = makeFile();
  await addFault({ method: "PATCH", after: 1, times: 3, resetAfter: CHUNK / 2 });
  const listUploads = await watchUploads();
  const cid = await person.upload(file);
  expect(await person.read(cid)).toBe(await digest(file));
  expect(await listUploads("POST")).toHaveLength(1);
  expect(await control("listReused")).toEqual([]);
});

test("a file that a page had completed when it ended is complete in the next one, without a request", async () => {
  const person = await newPerson();
  const file = makeFile();
  const first = await person.upload(file);
  const listUploads = await watchUploads();
  expect(await person.upload(makeFile(file.name, new Uint8Array(await file.arrayBuffer())))).toBe(first);
  expect(await listUploads()).toEqual([]);
});

test("a file that was just completed is not uploaded again while the network does not know it yet", async () => {
  const person = await newPerson();
  const file = makeFile();
  const first = await person.upload(file);
  const listUploads = await watchUploads();
  await control("delayListing", 2);
  expect(await person.upload(file)).toBe(first);
  await control("clearFaults");
  expect(await listUploads()).toEqual([]);
});

test("a file that was just completed is uploaded again by another name, in another class or for others", async () => {
  const person = await newPerson();
  const file = makeFile();
  const cids = [await person.upload(file)];
  for (const options of [{ shareTo: Wallet.createRandom().address }, { names: "hidden" as const }]) {
    cids.push(await person.upload(file, options));
  }
  expect(new Set(cids).size).toBe(3);
});

test("the key of a file that is added again stays in the journal, although an earlier upload of it was complete", async () => {
  const person = await newPerson();
  const file = makeFile();
  await person.upload(file);
  await control("deleteStored", file.name);
  await addFault({ method: "GET", respond: { status: 503 } });
  await person.fail(file, { names: "hidden" });
  await control("clearFaults");
  // By then, what was complete is forgotten.
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  expect(await person.listEntries()).toHaveLength(1);
  expect(await person.read(await person.upload(file, { names: "hidden" }))).toBe(await digest(file));
});

test("a file that was completed, and deleted since, is uploaded again", async () => {
  const person = await newPerson();
  const file = makeFile();
  const first = await person.upload(file);
  await control("deleteStored", file.name);
  const second = await person.upload(file);
  expect(second).not.toBe(first);
  expect(await control("listStored", file.name)).toEqual([second]);
  expect(await person.read(second)).toBe(await digest(file));
});

test("two pages do not upload one file: the second one fails, and has it once the first one is done", async () => {
  const person = await newPerson();
  const file = makeFile();
  const listUploads = await watchUploads();
  await control("setLatency", 250);
  const first = person.upload(file);
  await expect.poll(async () => (await listUploads("PATCH")).length, { interval: 10 }).toBeGreaterThan(0);
  const second = await person.fail(file);
  await control("setLatency", 0);
  expect(second).toMatchObject({ code: "JOURNAL_ENTRY_BUSY", message: `Another page uploads ${file.name}` });
  const cid = await first;
  expect(await listUploads("POST")).toHaveLength(1);
  expect(await person.upload(file)).toBe(cid);
  expect(await listUploads("POST")).toHaveLength(1);
});

test("a Blob of the same name and size, which has no date, is another file if its bytes are others", async () => {
  for (const encrypt of [true, false]) {
    const person = await newPerson();
    const name = newName();
    const uppy = person.openUppy({ encrypt } as Partial<KeeplightUploaderOptions>);
    const watched = watchUppy(uppy);
    async function add(text: string): Promise<void> {
      uppy.addFile({ name, type: "application/json", data: new Blob([text]) });
      await uppy.upload();
      uppy.clear();
    }
    for (const text of ["balance: 1000", "balance: 9999", "balance: 1000"]) await add(text);
    const [first = "", second = "", third] = watched.successes;
    expect(third).toBe(first);
    expect((await control("listStored", name)).toSorted()).toEqual([first, second].toSorted());
    if (encrypt) expect(await person.read(second)).toBe(await digest(new Blob(["balance: 9999"])));
  }
});
