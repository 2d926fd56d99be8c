import { useLayoutEffect } from "react";
import { expect, onTestFinished, test } from "vitest";
import { render } from "vitest-browser-react";
import { createKit, createRecoveryIdentity, openJournal } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { KitProvider, useKit, useUpload, useUploadEncrypted } from "../src/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { breakRequests, watchRequests } from "./traffic.ts";

const MIB = 1024 * 1024;
const file = (name: string, size: number) => new File([new Uint8Array(size)], name);

const listNames = async (account: Awaited<ReturnType<typeof newAccount>>) =>
  (await createKit(account).listFiles()).fileList.map(({ fileName }) => fileName);

test("several files upload concurrently, each with its own state, and with a common progress", async () => {
  const complaints = watchConsole();
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
  expect(complaints).toEqual([]);
});

test("maxAtOnce limits how many run at once", async () => {
  const hook = await renderHook(() => useUpload({ maxAtOnce: 1 }), await newAccount());
  hook.now.upload([file("a.bin", 1), file("b.bin", 1), file("c.bin", 1)]);
  await eventually(() => expect(hook.now.total.count.done).toBe(3));
  expect(Math.max(...hook.all.map(({ total }) => total.count.running))).toBe(1);
});

test("a component that only shows a list leaves its limit as another one has set it", async () => {
  const use = () => ({ list: useUpload({ maxAtOnce: 1 }), shown: useUpload() });
  const hook = await renderHook(use, await newAccount());
  hook.now.list.upload([file("a.bin", 1), file("b.bin", 1), file("c.bin", 1)]);
  await eventually(() => expect(hook.now.shown.total.count.done).toBe(3));
  expect(Math.max(...hook.all.map(({ shown }) => shown.total.count.running))).toBe(1);
});

test.each([false, true])(
  "a file whose entry in the recovery kit could not be written is not stored again by a retry (with a journal: %s)",
  async (isJournaled) => {
    const account = await newAccount();
    const { recipient: recovery } = await createRecoveryIdentity();
    const journal = isJournaled ? await openJournal({ name: crypto.randomUUID() }) : undefined;
    const written: string[] = [];
    let isFull = true;
    async function recoveryTo(_: Uint8Array, name: string): Promise<void> {
      if (isFull) throw new Error("There is no room");
      written.push(name);
    }
    const hook = await renderHook(() => useUploadEncrypted({ recovery, recoveryTo }), { ...account, journal });
    const requests = watchRequests();
    hook.now.upload([file("a.bin", 9)]);
    await eventually(() => expect(hook.now.total.count.failed).toBe(1));
    isFull = false;
    hook.now.retry();
    await eventually(() => expect(hook.now.uploads[0]?.state).toMatchObject({ status: "done" }));
    expect([requests.countTo("/api/v0/add"), written.length]).toEqual([1, 1]);
    expect(await journal?.list()).toEqual(isJournaled ? [] : undefined);
  },
);

test("functions among the provider's options may be others at each rendering: the latest is called", async () => {
  const account = await newAccount();
  const { recipient: recovery } = await createRecoveryIdentity();
  const called: string[] = [];
  const storeIn = (folder: string) => async () => void called.push(folder);
  const use = () => ({ uploads: useUploadEncrypted(), kit: useKit() });
  const hook = await renderHook(use, { ...account, recovery, recoveryTo: storeIn("old") });
  const { kit } = hook.now;
  await hook.provide({ ...account, recovery, recoveryTo: storeIn("new") });
  expect(hook.now.kit).toBe(kit);
  hook.now.uploads.upload([file("a.bin", 9)]);
  await eventually(() => expect(hook.now.uploads.total.count.done).toBe(1));
  expect(called).toEqual(["new"]);
});

test("one upload can be aborted while the others continue, retried, and removed from the list", async () => {
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

test("a failed upload has its error, and a retry uses the provider's current options", async () => {
  const account = await newAccount();
  const hook = await renderHook(() => useUpload(), { ...account, apiKey: "wrong" });
  hook.now.upload([file("a.bin", 5)]);
  await eventually(() => expect(hook.now.total.count.failed).toBe(1));
  expect(hook.now.uploads[0]?.state).toMatchObject({ status: "failed", error: { code: "HTTP_STATUS" } });
  await hook.provide(account);
  hook.now.retry();
  await eventually(() => expect(hook.now.total.count.done).toBe(1));
});

test("retrying an encrypted upload whose key could not be saved resumes with saving it", async () => {
  const account = await newAccount();
  const requests = watchRequests();
  const hook = await renderHook(() => useUploadEncrypted(), account);
  hook.now.upload([file("a.bin", 5)]);
  await eventually(() => expect(hook.now.total.count.done).toBe(1));

  const restore = breakRequests("setSharedKey/3");
  hook.now.upload([file("b.bin", 5)]);
  await eventually(() => expect(hook.now.total.count.failed).toBe(1));
  expect(hook.now.uploads[1]?.state).toMatchObject({ error: { code: "SHARDS_NOT_SAVED" } });
  restore();
  hook.now.retry();
  await eventually(() => expect(hook.now.total.count.done).toBe(2));
  expect(requests.countTo("/api/v0/add")).toBe(2);
  expect(requests.countTo("setSharedKey/2")).toBe(2);
  expect(requests.countOpen()).toBe(0);
});

test("unmounting aborts the uploads: no request is left, nothing is rendered", async () => {
  const complaints = watchConsole();
  const requests = watchRequests();
  const hook = await renderHook(() => useUploadEncrypted(), await newAccount());
  const before = requests.countStarted();
  hook.now.upload([file("a.bin", 40 * MIB), file("b.bin", 10)]);
  await eventually(() => expect(requests.countStarted()).toBeGreaterThan(before));
  const { upload } = hook.now;
  await hook.unmount();
  const rendered = hook.all.length;
  await eventually(() => expect(requests.countOpen()).toBe(0));
  const started = requests.countStarted();
  expect(upload([file("late.bin", 1)])).toEqual([]);
  // Nothing can be waited for: an upload that started all the same would send its first request in this time.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([requests.countStarted(), hook.all.length]).toEqual([started, rendered]);
  expect(complaints).toEqual([]);
});

test("waiting files are uploaded for the account that added them, not for one that the page switched to", async () => {
  const [before, after] = [await newAccount(), await newAccount()];
  const hook = await renderHook(() => useUploadEncrypted({ maxAtOnce: 1 }), before);
  hook.now.upload([file("a.bin", 9), file("b.bin", 9), file("c.bin", 9)]);
  await hook.provide(after);
  await eventually(() => expect(hook.now.total.count.done).toBe(3));
  expect((await listNames(before)).sort()).toEqual(["a.bin", "b.bin", "c.bin"]);
  expect(await listNames(after)).toEqual([]);
});

test("a child's layout effect that follows an account switch uploads for the new account", async () => {
  const accounts = [await newAccount(), await newAccount()] as const;
  const uploads: ReturnType<typeof useUpload>[] = [];
  function Child({ upload, apiKey }: { upload: (typeof uploads)[number]["upload"]; apiKey: string }) {
    useLayoutEffect(() => void upload([file(`${apiKey}.bin`, 9)]), [upload, apiKey]);
    return null;
  }
  function Parent({ apiKey }: { apiKey: string }) {
    const hook = useUpload();
    uploads.push(hook);
    return <Child upload={hook.upload} apiKey={apiKey} />;
  }
  const createTree = (account: (typeof accounts)[number]) => (
    <KitProvider options={account}>
      <Parent apiKey={account.apiKey} />
    </KitProvider>
  );
  const screen = await render(createTree(accounts[0]));
  onTestFinished(() => screen.unmount());
  await screen.rerender(createTree(accounts[1]));
  await eventually(() => expect(uploads.at(-1)?.total.count.done).toBe(2));
  for (const account of accounts) expect(await listNames(account)).toEqual([`${account.apiKey}.bin`]);
});
