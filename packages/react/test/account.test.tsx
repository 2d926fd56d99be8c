import { useInfiniteQuery } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useBalance, useFiles, useKitQueries } from "../src/index.ts";
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

test("a row that moves to the next page while another is added is shown once", async () => {
  const account = await newAccount();
  const kit = createKit(account);
  for (let at = 0; at < 25; at++) await kit.uploadText(`${at}`, { name: `${at}.txt` });
  const hook = await renderHook(() => ({ files: useFiles(), raw: useInfiniteQuery(useKitQueries().files()) }), account);
  await eventually(() => expect(hook.now.files.data?.files).toHaveLength(20));
  await kit.uploadText("new", { name: "new.txt" });
  await hook.now.files.fetchNextPage();
  await eventually(() => expect(hook.now.raw.data?.pages).toHaveLength(2));
  const ids = hook.now.files.data?.files.map(({ id }) => id) ?? [];
  expect(new Set(ids).size).toBe(ids.length);
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
