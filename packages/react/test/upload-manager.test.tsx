import { StrictMode, useState } from "react";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { KitProvider, useUpload, useUploadEncrypted, useUploadEntry } from "../src/index.ts";
import { listNames, newAccount, renderHook, renderTree, watchConsole } from "./rig.tsx";
import { breakRequests, holdRequests } from "./traffic.ts";

const file = (name: string, size = 9) => new File([new Uint8Array(size)], name);
test("uploads continue while their component is gone, and are shown again when it is back", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const seen: ReturnType<typeof useUpload>[] = [];
  function Uploader() {
    const hook = useUpload({ maxAtOnce: 1 });
    seen.push(hook);
    return <p>{hook.uploads.length} uploads</p>;
  }
  const tree = await renderTree<boolean>(
    (isShown) => (
      <StrictMode>
        <KitProvider options={account}>{isShown ? <Uploader /> : <p>elsewhere</p>}</KitProvider>
      </StrictMode>
    ),
    true,
  );
  const release = holdRequests("/api/v0/add");
  seen.at(-1)?.upload([file("a.bin"), file("b.bin")]);
  await tree.show(false);
  release();
  await eventually(async () => expect(await listNames(account)).toEqual(["a.bin", "b.bin"]));
  await tree.show(true);
  await eventually(() => expect(seen.at(-1)?.total.count.done).toBe(2));
  expect(complaints).toEqual([]);
});

test("a retry after an account switch stores the file for the account that added it", async () => {
  const [before, after] = [await newAccount(), await newAccount()];
  const hook = await renderHook(() => useUploadEncrypted(), before);
  const restore = breakRequests("/api/v0/add");
  hook.now.upload([file("a.bin")]);
  await eventually(() => expect(hook.now.total.count.failed).toBe(1));
  restore();
  await hook.provide(after);
  expect(hook.now.uploads[0]).toMatchObject({ account: before.signer.address.toLowerCase() });
  hook.now.retry();
  hook.now.upload([file("b.bin")]);
  await eventually(() => expect(hook.now.total.count.done).toBe(2));
  expect(hook.now.uploads.map(({ account }) => account)).toEqual(
    [before, after].map(({ signer }) => signer.address.toLowerCase()),
  );
  expect(await listNames(before)).toEqual(["a.bin"]);
  expect(await listNames(after)).toEqual(["b.bin"]);
});

test("a file of an account whose signer rejects fails, and is not stored for the next account", async () => {
  const [before, after] = [await newAccount(), await newAccount()];
  const { address } = before.signer;
  const signer = { address, getAddress: () => address, signMessage: () => Promise.reject(new Error("it is locked")) };
  const hook = await renderHook(() => useUploadEncrypted({ maxAtOnce: 1 }), { ...before, signer });
  const release = holdRequests("/api/");
  hook.now.upload([file("a.bin"), file("b.bin")]);
  await hook.provide(after);
  release();
  await eventually(() => expect(hook.now.total.count.failed).toBe(2));
  expect(hook.now.uploads[1]?.state).toMatchObject({ error: { code: "SIGNATURE_REJECTED" } });
  expect(await listNames(after)).toEqual([]);
});

test("progress of one upload renders its own row, not the list; what reads the total renders too", async () => {
  const account = await newAccount();
  const renders = { list: 0, total: 0 };
  let upload: ReturnType<typeof useUpload>["upload"] = () => [];
  const fractions = new Set<number>();
  function Row({ id }: { id: string }) {
    const entry = useUploadEntry(id);
    if (entry?.state.status === "running" && entry.state.progress) fractions.add(entry.state.progress.fraction);
    return <li>{entry?.state.status}</li>;
  }
  function List() {
    const hook = useUpload();
    renders.list++;
    upload = hook.upload;
    return (
      <ul>
        {hook.ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ul>
    );
  }
  function Total() {
    renders.total++;
    return <p>{useUpload().total.fraction}</p>;
  }
  await renderTree(
    () => (
      <KitProvider options={account}>
        <List />
        <Total />
      </KitProvider>
    ),
    undefined,
  );
  const start = renders.list;
  // Browsers report progress at most every 50 ms.
  upload([file("big.bin", 120 * 1024 * 1024), file("small.bin")]);
  await eventually(async () => expect(await listNames(account)).toEqual(["big.bin", "small.bin"]));
  await eventually(() => expect(document.querySelectorAll("li")[0]?.textContent).toBe("done"));
  // How often depends on the speed of the machine.
  expect(fractions.size).toBeGreaterThan(0);
  // Added and started, and the end of each.
  expect(renders.list - start).toBeLessThanOrEqual(3);
  expect(renders.total).toBeGreaterThan(renders.list);
});

test("components share a list by its name, and lists of other names are their own", async () => {
  const hook = await renderHook(
    () => ({
      first: useUpload(),
      same: useUpload(),
      photos: useUpload({ list: "photos" }),
      encrypted: useUploadEncrypted(),
    }),
    await newAccount(),
  );
  const [id = ""] = hook.now.first.upload([file("a.bin")]);
  const [photo = ""] = hook.now.photos.upload([file("b.jpg")]);
  expect(id).not.toBe(photo);
  await eventually(() => expect(hook.now.photos.total.count.done + hook.now.same.total.count.done).toBe(2));
  expect(hook.now.same.ids).toEqual([id]);
  expect(hook.now.photos.ids).toEqual([photo]);
  expect(hook.now.encrypted.ids).toEqual([]);
  hook.now.same.clear(id);
  await eventually(() => expect(hook.now.first.ids).toEqual([]));
});

test("an upload that was removed has no entry any more", async () => {
  const hook = await renderHook(
    () => {
      const [id, setId] = useState("");
      return { list: useUpload(), entry: useUploadEntry(id), setId };
    },
    await newAccount(),
  );
  expect(hook.now.entry).toBeUndefined();
  const [id = ""] = hook.now.list.upload([file("a.bin")]);
  hook.now.setId(id);
  await eventually(() => expect(hook.now.entry).toMatchObject({ name: "a.bin", state: { status: "done" } }));
  hook.now.list.clear();
  await eventually(() => expect(hook.now.entry).toBeUndefined());
});
