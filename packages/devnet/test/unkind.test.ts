import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { account, add, cat, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";

// What a network that keeps nothing for anyone serves of files that were deleted.

const devnet = devnetForTests({ unkind: true });
const kind = devnetForTests();
const keys: string[] = [];
beforeAll(async () => {
  for (const owner of [0, 1]) keys.push(await getApiKey(devnet(), account(devnet(), owner)));
});

interface Listed {
  id: string;
  cid: string;
}

async function list(apiKey: string, network = devnet()): Promise<Listed[]> {
  const url = `${network.endpoints.api}/api/user/files_uploaded?lastKey=null`;
  return ((await send("GET", url, undefined, apiKey)).body as { fileList: Listed[] }).fileList;
}

async function upload(owner: number, files: Record<string, string | Uint8Array<ArrayBuffer>>, query?: string) {
  const apiKey = keys[owner] ?? "";
  const response = await add(devnet(), apiKey, files, query);
  expect(response.status).toBe(200);
  const [newest] = await list(apiKey);
  return { cid: newest?.cid ?? "", delete: () => remove(apiKey, newest?.id ?? "") };
}

async function remove(apiKey: string, id: string, network = devnet()): Promise<void> {
  const { status } = await send("DELETE", `${network.endpoints.api}/api/user/delete_file?id=${id}`, undefined, apiKey);
  expect(status).toBe(200);
}

/** Returns the status of each way to fetch content. */
async function fetchAll(cid: string): Promise<number[]> {
  const { gateway } = devnet().endpoints;
  const urls = ["", "?format=raw", "?format=car"].map((format) => `${gateway}/ipfs/${cid}${format}`);
  return Promise.all(urls.map(async (url) => (await fetch(url)).status));
}

const served = [200, 200, 200];
const gone = [404, 404, 404];

test.each([
  ["of one block", randomBytes(100)],
  ["of many blocks", randomBytes(600_000)],
])("a file %s is gone once it is deleted, and there once it is stored again", async (_, bytes) => {
  for (const version of ["cid-version=0", "cid-version=1"]) {
    const file = await upload(0, { a: bytes }, version);
    expect(await fetchAll(file.cid)).toEqual(served);
    await file.delete();
    expect(await fetchAll(file.cid)).toEqual(gone);
    const again = await upload(0, { b: bytes }, version);
    expect(again.cid).toBe(file.cid);
    expect(await fetchAll(file.cid)).toEqual(served);
    expect(await cat(devnet(), file.cid)).toEqual(new Uint8Array(bytes));
    await again.delete();
  }
});

test("files of a folder are gone with it", async () => {
  const folder = await upload(0, { one: "1", "sub/two": "2" }, "cid-version=1&wrap-with-directory=true");
  expect(new TextDecoder().decode(await cat(devnet(), `${folder.cid}/sub/two`))).toBe("2");
  await folder.delete();
  expect(await fetchAll(folder.cid)).toEqual(gone);
  expect((await fetch(`${devnet().endpoints.gateway}/ipfs/${folder.cid}/one`)).status).toBe(404);
});

test("bytes that another account, or another file, still stores stay", async () => {
  const shared = randomBytes(262_144);
  const [own, others] = [await upload(0, { a: shared }), await upload(1, { b: shared })];
  const longer = await upload(1, { c: new Uint8Array([...shared, ...randomBytes(10)]) });
  await own.delete();
  expect(await fetchAll(own.cid)).toEqual(served);
  await others.delete();
  // the first block of the longer file is this file
  expect((await cat(devnet(), longer.cid)).length).toBe(262_154);
  expect(await fetchAll(longer.cid)).toEqual(served);
  await longer.delete();
  expect(await fetchAll(own.cid)).toEqual(gone);
  expect(await fetchAll(longer.cid)).toEqual(gone);
});

test("without the option deleted bytes are still served", async () => {
  const apiKey = await getApiKey(kind(), account(kind(), 0));
  await add(kind(), apiKey, { a: "text" });
  const [file] = await list(apiKey, kind());
  await remove(apiKey, file?.id ?? "", kind());
  expect(new TextDecoder().decode(await cat(kind(), file?.cid ?? ""))).toBe("text");
});
