import { expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useBalance, useFiles } from "../src/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

test("usage and files load on mount, and again by reload", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const kit = createKit(account);
  const hook = await renderHook(() => ({ balance: useBalance(), files: useFiles() }), account);
  expect(hook.all[0]?.files.state).toEqual({ status: "loading" });
  await eventually(() =>
    expect(hook.now.files.state).toMatchObject({ status: "ready", value: { files: [], totalFiles: 0 } }),
  );
  await eventually(() => expect(hook.now.balance.state).toMatchObject({ status: "ready", value: { dataUsed: 0 } }));

  await kit.uploadText("hello", { name: "hello.txt" });
  await Promise.all([hook.now.files.reload(), hook.now.balance.reload()]);
  await eventually(() => expect(hook.now.balance.state.value?.dataUsed).toBe(5));
  await eventually(() =>
    expect(hook.now.files.state.value).toMatchObject({
      files: [{ fileName: "hello.txt" }],
      totalFiles: 1,
      hasMore: false,
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
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "ready", value: { totalFiles: 45 } }));
  expect(hook.now.state.value?.files).toHaveLength(20);
  expect(hook.now.state.value?.hasMore).toBe(true);
  // Two concurrent calls load one page.
  await Promise.all([hook.now.loadMore(), hook.now.loadMore()]);
  await eventually(() => expect(hook.now.state.value?.files).toHaveLength(40));
  await hook.now.loadMore();
  await eventually(() => expect(hook.now.state.value?.hasMore).toBe(false));
  const shown = hook.now.state.value?.files.map(({ fileName }) => fileName);
  expect(shown?.toSorted()).toEqual(names.toSorted());
  const requests = watchRequests();
  await hook.now.loadMore();
  expect(requests.countStarted()).toBe(0);
});

test("a failure is in the state, without a value, and another account starts from nothing", async () => {
  const account = await newAccount();
  await createKit(account).uploadText("hello");
  const hook = await renderHook(() => useFiles(), account);
  await eventually(() => expect(hook.now.state.value?.totalFiles).toBe(1));
  await hook.provide({ ...account, apiKey: "wrong" });
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "HTTP_STATUS" } }));
  expect(hook.now.state.value).toBeUndefined();
  await hook.provide(await newAccount());
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "ready", value: { totalFiles: 0 } }));
});

test("unmounting aborts what is loading", async () => {
  const requests = watchRequests();
  const hook = await renderHook(() => useFiles(), await newAccount());
  const { reload, loadMore } = hook.now;
  await hook.unmount();
  const rendered = hook.all.length;
  await eventually(() => expect(requests.countOpen()).toBe(0));
  const started = requests.countStarted();
  await Promise.all([reload(), loadMore()]);
  expect([hook.all.length, requests.countStarted()]).toEqual([rendered, started]);
});
