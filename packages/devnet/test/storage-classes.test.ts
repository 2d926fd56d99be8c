import { beforeEach, describe, expect, test } from "vitest";
import { account, add, devnetForTests, getApiKey, send } from "../../../test/support/devnet-wire.ts";
import { startDevnet } from "../src/index.ts";
import { createTree, encodeCar } from "./car.ts";

const LIMIT = 1_000;
const devnet = devnetForTests({ dataLimit: LIMIT, storageLimits: { lifetime: 50, walrus: 100 } });
const api = (method: string, path: string, bearer?: string, fields?: unknown) =>
  send(method, `${devnet().endpoints.api}/api/${path}`, fields, bearer);

let key = "";
let other = "";
beforeEach(async () => {
  devnet().setDataLimit("annual", LIMIT);
  devnet().setDataLimit("lifetime", 50);
  devnet().setDataLimit("walrus", 100);
  key = await getApiKey(devnet(), account(devnet(), 0));
  other = await getApiKey(devnet(), account(devnet(), 1));
  for (const bearer of [key, other]) await deleteAll(bearer);
});

interface Row {
  fileName: string;
  id: string;
}
const list = async (query = "", bearer = key) =>
  (await api("GET", `user/files_uploaded?lastKey=null${query}`, bearer)).body as {
    fileList: Row[];
    totalFiles: number;
  };
const names = async (query?: string) => (await list(query)).fileList.map(({ fileName }) => fileName);
const getUsage = async () => (await api("GET", "user/user_data_usage", key)).body;

async function deleteAll(bearer: string): Promise<void> {
  for (const { id } of (await list("", bearer)).fileList) {
    await api("DELETE", `user/delete_file?id=${id}`, bearer);
    await api("DELETE", `user/delete_file_walrus?id=${id}`, bearer);
  }
}

/** Uploads a file to the usual upload node, in a class. */
const store = (name: string, content: string, storage?: string, headers: Record<string, string> = {}) =>
  add(devnet(), key, { [name]: content }, "cid-version=1", {
    ...(storage === undefined ? {} : { "X-Storage-Type": storage }),
    ...headers,
  });

/** Uploads a file to the upload node of the class `walrus`. */
function storeAtWalrus(name: string, content: string, headers: Record<string, string> = {}): Promise<Response> {
  const endpoints = { ...devnet().endpoints, upload: devnet().endpoints.walrusUpload };
  return add({ ...devnet(), endpoints }, key, { [name]: content }, "cid-version=1", headers);
}

const readCid = async (response: Response) => ((await response.json()) as { Hash: string }).Hash;

describe("the class of a file", () => {
  test("is what the upload names, or annual; at the node of walrus it is always walrus", async () => {
    await store("plain", "1");
    await store("yearly", "2", "annual");
    await store("forever", "3", "lifetime");
    await store("loose", "4", "walrus");
    await store("locked", "5", "walrus", { Encryption: "true" });
    await store("odd", "6", "ipfs");
    await storeAtWalrus("blob", "7", { "X-Storage-Type": "walrus" });
    await storeAtWalrus("unnamed", "8");
    await storeAtWalrus("misnamed", "9", { "X-Storage-Type": "annual" });
    expect(await names("&fileType=annual")).toEqual(["yearly", "plain"]);
    expect(await names("&fileType=lifetime")).toEqual(["forever"]);
    expect(await names("&fileType=walrus")).toEqual(["misnamed", "unnamed", "blob", "locked", "loose"]);
    expect(await names("&fileType=ipfs")).toEqual(["odd"]);
    expect(await names("&fileType=monthly")).toEqual([]);
    expect(await names()).toHaveLength(9);
    expect(await names("&fileType=all")).toEqual(await names());
    expect((await list("&fileType=walrus")).totalFiles).toBe(5);
  });

  test("is that of an archive, too", async () => {
    // the archive counts while it is received
    devnet().setDataLimit("walrus", 1_000);
    const { root, blocks } = await createTree({ file: Buffer.from("archived") });
    const form = new FormData();
    form.append("file", new Blob([encodeCar([root], blocks)]), "a.car");
    await fetch(`${devnet().endpoints.walrusUpload}/api/v0/dag/import`, {
      method: "POST",
      body: form,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await names("&fileType=walrus")).toEqual(["a.car"]);
  });

  test("is in no response", async () => {
    const response = await store("secret", "1", "walrus");
    const stored = (await response.json()) as { Hash: string };
    expect(Object.keys(stored)).toEqual(["Name", "Hash", "Size"]);
    expect(Object.keys((await list()).fileList[0] ?? {}).sort()).toEqual([
      "cid",
      "createdAt",
      "encryption",
      "fileName",
      "fileSizeInBytes",
      "id",
      "lastUpdate",
      "mimeType",
      "publicKey",
      "status",
      "txHash",
    ]);
    const { body } = await api("GET", `lighthouse/file_info?cid=${stored.Hash}`);
    expect(Object.keys(body as object)).toEqual([
      "fileSizeInBytes",
      "cid",
      "encryption",
      "fileName",
      "mimeType",
      "txHash",
    ]);
  });

  test("does not keep a gateway from serving it, and the log has its node", async () => {
    const cid = await readCid(await storeAtWalrus("blob", "walrus"));
    expect(devnet().requests().at(-1)).toMatchObject({ service: "walrusUpload", path: "/api/v0/add?cid-version=1" });
    expect(await (await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`)).text()).toBe("walrus");
  });
});

test("faults at one upload node do not hit the other", async () => {
  const remove = devnet().faults.add({ service: "walrusUpload", action: { kind: "respond", status: 503 } });
  expect([(await storeAtWalrus("a", "a")).status, (await store("a", "a", "walrus")).status]).toEqual([503, 200]);
  remove();
  devnet().faults.add({ service: "upload", times: 1, action: { kind: "respond", status: 503 } });
  expect([(await storeAtWalrus("a", "a")).status, (await store("a", "a")).status]).toEqual([200, 503]);
});

describe("room", () => {
  const refused = { message: "Data limit exceeded" };

  test("is counted by class; classes without a limit share that of annual", async () => {
    await store("plain", "x".repeat(7));
    await store("odd", "x".repeat(20), "ipfs");
    await store("forever", "x".repeat(30), "lifetime");
    await storeAtWalrus("blob", "x".repeat(60));
    await store("locked", "x".repeat(5), "walrus", { Encryption: "true" });
    expect(await getUsage()).toEqual({
      dataLimit: LIMIT,
      dataUsed: 27,
      dataLimitPermanent: 50,
      dataUsedPermanent: 30,
      walrusDataLimit: 100,
      walrusDataUsed: 65,
    });
  });

  test("uploads are refused by the limit of their class alone", async () => {
    for (const [storage, room, size] of [
      ["lifetime", 50, 50],
      ["walrus", 100, 100],
      ["ipfs", LIMIT, 900],
      [undefined, 100, 100],
    ] as const) {
      const tooLarge = await store("large", "x".repeat(room + 1), storage);
      expect([tooLarge.status, await tooLarge.json()]).toEqual([403, refused]);
      expect((await store("fits", "x".repeat(size), storage)).status).toBe(200);
    }
    const full = await storeAtWalrus("more", "x");
    expect([full.status, await full.json()]).toEqual([403, refused]);
    expect(await getUsage()).toMatchObject({ dataUsed: LIMIT, dataUsedPermanent: 50, walrusDataUsed: 100 });
  });

  test("pins count as annual", async () => {
    const cid = await readCid(await storeAtWalrus("blob", "x".repeat(80)));
    devnet().setDataLimit("annual", 79);
    expect(await api("POST", "lighthouse/pin", other, { cid })).toEqual({ status: 403, body: refused });
    devnet().setDataLimit("annual", 80);
    devnet().setDataLimit("walrus", 0);
    expect((await api("POST", "lighthouse/pin", other, { cid })).status).toBe(200);
    expect((await list("&fileType=annual", other)).fileList).toHaveLength(1);
  });

  test("changes with the limit; what is stored stays", async () => {
    const cid = await readCid(await storeAtWalrus("blob", "x".repeat(60)));
    devnet().setDataLimit("walrus", 0);
    expect((await storeAtWalrus("late", "x")).status).toBe(403);
    expect(await getUsage()).toMatchObject({ dataLimit: LIMIT, walrusDataLimit: 0, walrusDataUsed: 60 });
    expect((await fetch(`${devnet().endpoints.gateway}/ipfs/${cid}`)).status).toBe(200);
    devnet().setDataLimit("walrus", 61);
    expect((await storeAtWalrus("late", "x")).status).toBe(200);
  });

  test.each([
    ["monthly", 5],
    ["walrus", -1],
    ["walrus", "5"],
  ])("a limit of %j of %j is refused", async (storage, bytes) => {
    const change = () => devnet().setDataLimit(storage as "walrus", bytes as number);
    expect(change).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    expect(await getUsage()).toMatchObject({ dataLimit: LIMIT, walrusDataLimit: 100 });
  });

  test.each([
    [{}, [100 * 1024 ** 3, 0, 100 * 1024 ** 3]],
    [{ dataLimit: 5 }, [5, 0, 5]],
    [{ dataLimit: 5, storageLimits: { lifetime: 6 } }, [5, 6, 5]],
    [{ dataLimit: 5, storageLimits: { walrus: 0 } }, [5, 0, 0]],
  ])("%j has the limits %j of annual, lifetime and walrus", async (options, limits) => {
    const own = await startDevnet(options);
    try {
      const bearer = await getApiKey(own, account(own, 0));
      const { body } = await send("GET", `${own.endpoints.api}/api/user/user_data_usage`, undefined, bearer);
      const [dataLimit, dataLimitPermanent, walrusDataLimit] = limits;
      expect(body).toMatchObject({ dataLimit, dataLimitPermanent, walrusDataLimit });
    } finally {
      await own.close();
    }
  });
});

test("each of the two deletions deletes files of its own classes only", async () => {
  await store("plain", "1");
  await store("forever", "2", "lifetime");
  await storeAtWalrus("blob", "3");
  const [blob, forever, plain] = (await list()).fileList.map(({ id }) => id);
  const missing = { status: 404, body: { message: "File not found" } };
  const deleted = { status: 200, body: { message: "File deleted successfully." } };
  expect(await api("DELETE", `user/delete_file?id=${blob}`, key)).toEqual(missing);
  for (const id of [plain, forever])
    expect(await api("DELETE", `user/delete_file_walrus?id=${id}`, key)).toEqual(missing);
  expect(await api("DELETE", `user/delete_file_walrus?id=${blob}`, other)).toEqual(missing);
  expect((await api("DELETE", `user/delete_file_walrus?id=${blob}`)).status).toBe(401);
  expect(await names()).toHaveLength(3);
  expect(await api("DELETE", `user/delete_file_walrus?id=${blob}`, key)).toEqual(deleted);
  for (const id of [plain, forever]) expect(await api("DELETE", `user/delete_file?id=${id}`, key)).toEqual(deleted);
  expect(await names()).toEqual([]);
});

describe("blobs", () => {
  const getBlobs = async (cid: string) => api("GET", `lighthouse/walrus_blobs?cid=${cid}`);

  test("exist for files of the class walrus, while any account stores them there", async () => {
    const annual = await readCid(await store("plain", "same"));
    expect(await getBlobs(annual)).toEqual({ status: 200, body: { blobIds: [] } });
    expect(await readCid(await storeAtWalrus("blob", "same"))).toBe(annual);
    await store("again", "same");
    const { body } = await getBlobs(annual);
    expect(body).toEqual({ blobIds: [expect.stringMatching(/^[\w-]{43}$/)] });
    expect((await getBlobs(annual)).body).toEqual(body);
    const blob = (await list("&fileType=walrus")).fileList[0]?.id;
    await api("DELETE", `user/delete_file_walrus?id=${blob}`, key);
    expect((await getBlobs(annual)).body).toEqual({ blobIds: [] });
  });

  test("differ by content", async () => {
    const cids = [await readCid(await storeAtWalrus("a", "one")), await readCid(await storeAtWalrus("a", "two"))];
    const [one, two] = [await getBlobs(cids[0] ?? ""), await getBlobs(cids[1] ?? "")];
    expect(one).not.toEqual(two);
  });

  test("do not exist for an unknown content id; an invalid one is a 400", async () => {
    const unknown = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn";
    expect(await getBlobs(unknown)).toEqual({ status: 200, body: { blobIds: [] } });
    expect((await getBlobs("x")).status).toBe(400);
  });
});
