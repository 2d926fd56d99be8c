import { expect, test } from "vitest";
import { createKit } from "../../src/index.ts";
import { useUpload, useUploadEncrypted } from "../../src/react/index.ts";
import { eventually } from "../support/eventually.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { breakRequests, watchRequests } from "./traffic.ts";

const MIB = 1024 * 1024;
const file = (name: string, size: number) => new File([new Uint8Array(size)], name);

test("several files are uploaded beside each other, each with its state, and all with one progress", async () => {
  const heard = watchConsole();
  const hook = await renderHook(() => useUpload(), await newAccount());
  expect(hook.now.uploads).toEqual([]);
  const ids = hook.now.upload([file("a.bin", 10), file("b.bin", 2 * MIB), file("c.bin", 0)]);
  expect(ids).toHaveLength(3);
  await eventually(() => expect(hook.now.total.count.done).toBe(3));

  expect(hook.now.uploads.map(({ name, size }) => [name, size])).toEqual([
    ["a.bin", 10],
    ["b.bin", 2 * MIB],
    ["c.bin", 0],
  ]);
  for (const { state, name } of hook.now.uploads) {
    expect(state).toMatchObject({ status: "done", files: [{ Name: name }] });
  }
  expect(hook.now.total).toMatchObject({ active: false, fraction: 1, size: 2 * MIB + 10 });
  const fractions = hook.all.map(({ total }) => total.fraction);
  expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  expect(Math.max(...hook.all.map(({ total }) => total.count.running))).toBe(2);
  expect(heard).toEqual([]);
});

test("maxAtOnce says how many run at once", async () => {
  const hook = await renderHook(() => useUpload({ maxAtOnce: 1 }), await newAccount());
  hook.now.upload([file("a.bin", 1), file("b.bin", 1), file("c.bin", 1)]);
  await eventually(() => expect(hook.now.total.count.done).toBe(3));
  expect(Math.max(...hook.all.map(({ total }) => total.count.running))).toBe(1);
});

test("one upload can be aborted while the others go on, retried, and taken off the list", async () => {
  const hook = await renderHook(() => useUploadEncrypted({ maxAtOnce: 1 }), await newAccount());
  const [first = "", second = "", third = ""] = hook.now.upload([file("a.bin", 9), file("b.bin", 9), file("c.bin", 9)]);
  hook.now.abort(second);
  hook.now.abort(first);
  await eventually(() => expect(hook.now.total.count.done).toBe(1));
  const statuses = () => Object.fromEntries(hook.now.uploads.map(({ id, state }) => [id, state.status]));
  expect(statuses()).toEqual({ [first]: "aborted", [second]: "aborted", [third]: "done" });

  hook.now.retry(first);
  await eventually(() => expect(hook.now.total.count.done).toBe(2));
  hook.now.clear(second);
  await eventually(() => expect(statuses()).toEqual({ [first]: "done", [third]: "done" }));
  hook.now.clear();
  await eventually(() => expect(hook.now.uploads).toEqual([]));
});

test("an upload that fails says why, and a retry uses the provider's options of then", async () => {
  const account = await newAccount();
  const hook = await renderHook(() => useUpload(), { ...account, apiKey: "wrong" });
  hook.now.upload([file("a.bin", 5)]);
  await eventually(() => expect(hook.now.total.count.failed).toBe(1));
  expect(hook.now.uploads[0]?.state).toMatchObject({ status: "failed", error: { code: "HTTP_STATUS" } });
  await hook.provide(account);
  hook.now.retry();
  await eventually(() => expect(hook.now.total.count.done).toBe(1));
});

test("an encrypted upload whose key could not be saved goes on with that when it is retried", async () => {
  const account = await newAccount();
  const requests = watchRequests();
  const hook = await renderHook(() => useUploadEncrypted(), account);
  hook.now.upload([file("a.bin", 5)]);
  await eventually(() => expect(hook.now.total.count.done).toBe(1));

  const mend = breakRequests("setSharedKey/3");
  hook.now.upload([file("b.bin", 5)]);
  await eventually(() => expect(hook.now.total.count.failed).toBe(1));
  expect(hook.now.uploads[1]?.state).toMatchObject({ error: { code: "SHARDS_NOT_SAVED" } });
  mend();
  hook.now.retry();
  await eventually(() => expect(hook.now.total.count.done).toBe(2));
  expect(requests.to("/api/v0/add")).toBe(2);
  expect(requests.to("setSharedKey/2")).toBe(2);
  expect(requests.open()).toBe(0);
});

test("when the component goes, its uploads end: no request is left, nothing is rendered", async () => {
  const heard = watchConsole();
  const requests = watchRequests();
  const hook = await renderHook(() => useUploadEncrypted(), await newAccount());
  const before = requests.begun();
  hook.now.upload([file("a.bin", 40 * MIB), file("b.bin", 10)]);
  await eventually(() => expect(requests.begun()).toBeGreaterThan(before));
  const { upload } = hook.now;
  await hook.unmount();
  const rendered = hook.all.length;
  await eventually(() => expect(requests.open()).toBe(0));
  const begun = requests.begun();
  expect(upload([file("late.bin", 1)])).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([requests.begun(), hook.all.length]).toEqual([begun, rendered]);
  expect(heard).toEqual([]);
});

test("files that wait are uploaded for the account they were added by, not for one that came since", async () => {
  const [before, after] = [await newAccount(), await newAccount()];
  const hook = await renderHook(() => useUploadEncrypted({ maxAtOnce: 1 }), before);
  hook.now.upload([file("a.bin", 9), file("b.bin", 9), file("c.bin", 9)]);
  await hook.provide(after);
  await eventually(() => expect(hook.now.total.count.done).toBe(3));
  const namesOf = async (account: typeof before) =>
    (await createKit(account).listFiles()).fileList.map(({ fileName }) => fileName);
  expect((await namesOf(before)).sort()).toEqual(["a.bin", "b.bin", "c.bin"]);
  expect(await namesOf(after)).toEqual([]);
});
