import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useBalance, useFiles, useKit, useKitQueries } from "../src/index.ts";
import { createQueries } from "../src/query/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

test("usage and files load on mount, and again by refetch", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const kit = createKit(account);
  const hook = await renderHook(() => ({ balance: useBalance(), files: useFiles() }), account);
  expect(hook.all[0]?.files).toMatchObject({ status: "pending", data: undefined });
  await eventually(() => expect(hook.now.files.data).toEqual({ files: [], totalFiles: 0 }));
  await eventually(() => expect(hook.now.balance.data).toMatchObject({ dataUsed: 0 }));

  await kit.uploadText("hello", { name: "hello.txt" });
  await Promise.all([hook.now.files.refetch(), hook.now.balance.refetch()]);
  await eventually(() => expect(hook.now.balance.data?.dataUsed).toBe(5));
  await eventually(() =>
    expect(hook.now.files).toMatchObject({
      data: { files: [{ fileName: "hello.txt" }], totalFiles: 1 },
      hasNextPage: false,
    }),
  );
  expect(complaints).toEqual([]);
});

test("files load page by page, each page once, until there are no more", async () => {
  const account = await newAccount();
  const kit = createKit(account);
  const names = Array.from({ length: 45 }, (_, at) => `${at}.txt`);
  for (const name of names) await kit.uploadText(name, { name });
  const hook = await renderHook(() => useFiles(), account);
  await eventually(() => expect(hook.now.data?.totalFiles).toBe(45));
  expect([hook.now.data?.files.length, hook.now.hasNextPage]).toEqual([20, true]);
  await hook.now.fetchNextPage();
  await eventually(() => expect(hook.now.data?.files).toHaveLength(40));
  await hook.now.fetchNextPage();
  await eventually(() => expect(hook.now.hasNextPage).toBe(false));
  const shown = hook.now.data?.files.map(({ fileName }) => fileName);
  expect(shown?.toSorted()).toEqual(names.toSorted());
});

test("a row that is in two pages, as another was added meanwhile, is shown once", async () => {
  const account = await newAccount();
  const kit = createKit(account);
  for (const name of ["1.txt", "2.txt"]) await kit.uploadText(name, { name });
  const hook = await renderHook(() => {
    const queries = useKitQueries();
    return { files: useFiles(), loaded: useInfiniteQuery(queries.files()), queries, client: useQueryClient() };
  }, account);
  await eventually(() => expect(hook.now.files.data?.files).toHaveLength(2));
  const { client, queries } = hook.now;
  const page = await kit.listFiles();
  client.setQueryData(queries.files().queryKey, { pages: [page, page], pageParams: [undefined, "1"] });
  await eventually(() => expect(hook.now.loaded.data?.pages).toHaveLength(2));
  expect(hook.now.files.data?.files.map(({ fileName }) => fileName).sort()).toEqual(["1.txt", "2.txt"]);
});

test("queries of a page's own are those of the hooks", async () => {
  const account = await newAccount();
  const hook = await renderHook(() => ({ queries: useKitQueries(), own: createQueries(useKit()) }), account);
  expect(hook.now.own.balance().queryKey).toEqual(hook.now.queries.balance().queryKey);
});

test("a failure is in the result, without data, and another account starts from nothing", async () => {
  const account = await newAccount();
  await createKit(account).uploadText("hello");
  const hook = await renderHook(() => useFiles(), account);
  await eventually(() => expect(hook.now.data?.totalFiles).toBe(1));
  await hook.provide({ ...account, apiKey: "wrong" });
  await eventually(() => expect(hook.now).toMatchObject({ status: "error", error: { code: "HTTP_STATUS" } }));
  expect(hook.now.data).toBeUndefined();
  await hook.provide(await newAccount());
  await eventually(() => expect(hook.now).toMatchObject({ status: "success", data: { totalFiles: 0 } }));
});

test("unmounting aborts what is loading", async () => {
  const requests = watchRequests();
  const hook = await renderHook(() => useFiles(), await newAccount());
  await eventually(() => expect(requests.countStarted()).toBeGreaterThan(0));
  await hook.unmount();
  await eventually(() => expect(requests.countOpen()).toBe(0));
});
