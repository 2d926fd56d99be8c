import {
  dehydrate,
  focusManager,
  InfiniteQueryObserver,
  MutationObserver,
  onlineManager,
  QueryClient,
  QueryObserver,
} from "@tanstack/react-query";
import { Wallet } from "ethers";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createApiKey, createKit } from "../../../../src/index.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { failure } from "../../../../test/support/failure.ts";
import { startDevnet } from "../../../devnet/src/index.ts";
import { createQueries } from "../../src/query/index.ts";

const devnet = await startDevnet({ pageSize: 20, unkind: true });
afterAll(() => devnet.close());
const { endpoints } = devnet;
const friend = Wallet.createRandom().address.toLowerCase();

async function newKit() {
  const signer = Wallet.createRandom();
  const apiKey = await createApiKey({ signer, endpoints });
  return createKit({ apiKey, signer, endpoints, pauseMs: 0, retryMs: 0 });
}

function newClient(): QueryClient {
  const client = new QueryClient();
  client.mount();
  onTestFinished(() => client.unmount());
  return client;
}

test("an upload invalidates files and balance, which are loaded again", async () => {
  const client = newClient();
  const queries = createQueries(await newKit());
  const balance = new QueryObserver(client, queries.balance());
  const files = new InfiniteQueryObserver(client, queries.files());
  onTestFinished(balance.subscribe(() => undefined));
  onTestFinished(files.subscribe(() => undefined));
  await eventually(() => expect(balance.getCurrentResult().data).toMatchObject({ dataUsed: 0 }));
  await eventually(() => expect(files.getCurrentResult().data?.pages).toMatchObject([{ totalFiles: 0 }]));

  const upload = new MutationObserver(client, queries.upload());
  const [stored] = await upload.mutate({ source: new File(["hello"], "hello.txt") });
  expect(balance.getCurrentResult().data).toMatchObject({ dataUsed: 5 });
  expect(files.getCurrentResult().data?.pages).toMatchObject([{ totalFiles: 1 }]);
  expect(await client.fetchQuery(queries.file(stored.Hash))).toMatchObject({ fileName: "hello.txt" });

  const [row] = files.getCurrentResult().data?.pages[0]?.fileList ?? [];
  await new MutationObserver(client, queries.deleteFile()).mutate({ id: row?.id ?? "" });
  expect(files.getCurrentResult().data?.pages).toMatchObject([{ totalFiles: 0 }]);
});

test("files are loaded page by page, until there are no more", async () => {
  const client = newClient();
  const kit = await newKit();
  const names = Array.from({ length: 25 }, (_, at) => `${at}.txt`);
  for (const name of names) await kit.uploadText(name, { name });
  const files = new InfiniteQueryObserver(client, createQueries(kit).files());
  onTestFinished(files.subscribe(() => undefined));
  await eventually(() => expect(files.getCurrentResult().hasNextPage).toBe(true));
  await files.fetchNextPage();
  const { data, hasNextPage } = files.getCurrentResult();
  expect(hasNextPage).toBe(false);
  const shown = data?.pages.flatMap(({ fileList }) => fileList.map(({ fileName }) => fileName));
  expect(shown?.toSorted()).toEqual(names.toSorted());
});

test("a service that returns the same rows again has no other page", async () => {
  const client = newClient();
  const kit = await newKit();
  await kit.uploadText("hello", { name: "hello.txt" });
  const page = { ...(await kit.listFiles()), totalFiles: null };
  const files = createQueries({ ...kit, listFiles: async () => page }).files();
  const list = new InfiniteQueryObserver(client, files);
  onTestFinished(list.subscribe(() => undefined));
  await eventually(() => expect(list.getCurrentResult().hasNextPage).toBe(true));
  await list.fetchNextPage();
  expect(list.getCurrentResult().hasNextPage).toBe(false);
});

test("sharing and revoking invalidate who has access", async () => {
  const client = newClient();
  const kit = await newKit();
  const queries = createQueries(kit);
  const upload = new MutationObserver(client, queries.uploadEncrypted());
  const [{ Hash: cid }] = await upload.mutate({ source: new File(["x"], "x.txt") });
  const access = new QueryObserver(client, queries.access(cid));
  onTestFinished(access.subscribe(() => undefined));
  await eventually(() => expect(access.getCurrentResult().data).toMatchObject({ sharedTo: [] }));
  await new MutationObserver(client, queries.share()).mutate({ cid, shareTo: friend });
  expect(access.getCurrentResult().data).toMatchObject({ sharedTo: [friend] });
  await new MutationObserver(client, queries.revoke()).mutate({ cid, revokeTo: friend });
  expect(access.getCurrentResult().data).toMatchObject({ sharedTo: [] });
  expect(await client.fetchQuery(queries.health(cid))).toMatchObject({ healthy: true });
  await new MutationObserver(client, queries.repair()).mutate({ cid });
});

test("a cache that is offline pauses nothing, as it would write what is uploaded to its disk", async () => {
  const client = newClient();
  const queries = createQueries(await newKit());
  onlineManager.setOnline(false);
  onTestFinished(() => onlineManager.setOnline(true));
  const upload = new MutationObserver(client, queries.upload());
  const [stored] = await upload.mutate({ source: new File(["hello"], "hello.txt") });
  expect(await client.fetchQuery(queries.file(stored.Hash))).toMatchObject({ fileName: "hello.txt" });
  expect(dehydrate(client).mutations).toEqual([]);
});

test("names are created, published and removed", async () => {
  const client = newClient();
  const kit = await newKit();
  const queries = createQueries(kit);
  const [{ Hash: cid }] = await kit.uploadText("page");
  const names = new QueryObserver(client, queries.names());
  onTestFinished(names.subscribe(() => undefined));
  const { ipnsName: keyName } = await new MutationObserver(client, queries.createName()).mutate();
  expect(names.getCurrentResult().data).toHaveLength(1);
  await new MutationObserver(client, queries.publishName()).mutate({ cid, keyName });
  expect(names.getCurrentResult().data).toMatchObject([{ ipnsName: keyName, cid }]);
  await new MutationObserver(client, queries.removeName()).mutate({ keyName });
  expect(names.getCurrentResult().data).toEqual([]);
});

test("no account sees what another one has loaded; one kit has one key", async () => {
  const client = newClient();
  const [one, other] = [await newKit(), await newKit()];
  expect(createQueries(one).balance().queryKey).toEqual(createQueries(one).balance().queryKey);
  await one.uploadText("hello");
  await client.fetchQuery(createQueries(one).balance());
  expect(client.getQueryData(createQueries(other).balance().queryKey)).toBeUndefined();
  expect(createQueries(one, { account: friend }).file("bafy").queryKey).toEqual(["keeplight", friend, "file", "bafy"]);
  client.removeQueries({ queryKey: createQueries(one).all() });
  expect(client.getQueryData(createQueries(one).balance().queryKey)).toBeUndefined();
});

test("a failure is not repeated; an abort ends the request", async () => {
  const client = newClient();
  const kit = createKit({ apiKey: "wrong", endpoints });
  const refused = createQueries(kit).balance();
  expect(await failure(client.fetchQuery(refused))).toMatchObject({ code: "HTTP_STATUS" });
  expect(refused.retry).toBe(false);
  expect(await failure(refused.queryFn({ signal: AbortSignal.abort() }))).toMatchObject({ code: "ABORTED" });
});

test("a change is not made again, whatever the cache does with other mutations", async () => {
  const client = new QueryClient({ defaultOptions: { mutations: { retry: 2, retryDelay: 0 } } });
  const before = devnet.requests().length;
  const upload = new MutationObserver(client, createQueries(await newKit()).uploadEncrypted());
  const undo = devnet.faults.add({ service: "keyNodes", node: 3, action: { kind: "respond", status: 500 } });
  const source = new File(["hello"], "hello.txt");
  expect(await failure(upload.mutate({ source }))).toMatchObject({ code: "SHARDS_NOT_SAVED" });
  undo();
  const uploads = devnet.requests().slice(before);
  expect(uploads.filter(({ service, method }) => service === "upload" && method === "POST")).toHaveLength(1);
});

test("someone who has refused to sign is not asked again whenever the page is shown", async () => {
  const client = newClient();
  const { address } = Wallet.createRandom();
  let asked = 0;
  async function signMessage(): Promise<string> {
    asked++;
    throw new Error("rejected");
  }
  const kit = createKit({ signer: { getAddress: () => address, signMessage }, endpoints, pauseMs: 0, retryMs: 0 });
  const cid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  const health = new QueryObserver(client, createQueries(kit).health(cid));
  onTestFinished(health.subscribe(() => undefined));
  await eventually(() => expect(health.getCurrentResult().isError).toBe(true));
  const once = asked;
  let loads = 0;
  const other = new QueryObserver(client, { queryKey: ["other"], queryFn: () => ++loads });
  onTestFinished(other.subscribe(() => undefined));
  await eventually(() => expect(loads).toBe(1));
  for (const isShown of [false, true]) focusManager.setFocused(isShown);
  onTestFinished(() => focusManager.setFocused(undefined));
  await eventually(() => expect(loads).toBe(2));
  expect([once, asked]).toEqual([1, 1]);
  await health.refetch();
  expect(asked).toBe(2);
});
