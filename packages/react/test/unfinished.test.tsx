import { expect, inject, onTestFinished, test } from "vitest";
import { decrypt, type Endpoints, isUnfinished, type Journal, kavachShare, openJournal } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { failure } from "../../../test/support/failure.ts";
import { useFiles, useJournal, useKit, usePayment, useUnfinished, useUploadEncrypted } from "../src/index.ts";
import { createPageWallet, requestChain } from "./page-wallet.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";

const { endpoints, network } = inject("devnet");
const NOWHERE = "http://127.0.0.1:1";
const unreachable: Endpoints = { ...endpoints, upload: NOWHERE };
const quick = { network, amount: 4_321n, token: "native", pollMs: 20, missingMs: 200 } as const;

const createFile = (name: string, text = "text") => new File([text], name, { lastModified: 1 });

/** An account with a journal of its own. */
async function newOwner() {
  const account = await newAccount();
  return { ...account, journal: await openJournal({ name: crypto.randomUUID() }) };
}

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Opens the journal as another page does, and leaves an upload open in it. */
async function interruptUpload(owner: Owner, file: File): Promise<void> {
  const { createKit } = await import("../../../src/index.ts");
  const journal = await openJournal({ name: owner.journal.place });
  const uploading = createKit({ ...owner, endpoints: unreachable, journal }).uploadEncrypted(file);
  expect(isUnfinished(await failure(uploading))).toBe(true);
}

/** Makes one key node unreachable until the returned function is called. */
function cutNode(node: number): () => void {
  const realFetch = fetch;
  globalThis.fetch = (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    return realFetch(url.endsWith(`/${node}`) ? NOWHERE : input, init);
  };
  const restore = () => {
    globalThis.fetch = realFetch;
  };
  onTestFinished(restore);
  return restore;
}

async function expectText(cid: string | undefined, text: string, { signer }: Owner): Promise<void> {
  expect(new TextDecoder().decode(await decrypt(cid ?? "", { signer, endpoints, pauseMs: 0 }))).toBe(text);
}

test("a journal opens on mount, another one when the name changes, and none without a name", async () => {
  let name: string | undefined = crypto.randomUUID();
  const hook = await renderHook(() => useJournal(name), {});
  expect(hook.all[0]?.state).toEqual({ status: "loading" });
  await eventually(() => expect(hook.now.state.value?.place).toBe(name));
  name = crypto.randomUUID();
  await hook.provide({});
  await eventually(() => expect(hook.now.state.value?.place).toBe(name));
  name = undefined;
  await hook.provide({});
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: undefined }));
});

test("without a journal nothing is unfinished", async () => {
  const hook = await renderHook(() => useUnfinished(), await newAccount());
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  expect(await hook.now.resume("unknown")).toBeUndefined();
  expect(await hook.now.resumeAll()).toEqual([]);
});

test("an interrupted upload is listed, refuses another file, and is completed by its own", async () => {
  const complaints = watchConsole();
  const owner = await newOwner();
  await interruptUpload(owner, createFile("a.txt"));
  const hook = await renderHook(() => useUnfinished(), owner);
  await eventually(() =>
    expect(hook.now.state.value).toMatchObject([{ kind: "upload", names: ["a.txt"], state: { status: "idle" } }]),
  );
  const id = hook.now.state.value?.[0]?.id ?? "";
  const getState = () => hook.now.state.value?.[0]?.state;
  // Its endpoints are those of the interrupted call, unless others are named.
  expect(await hook.now.resume(id)).toBeUndefined();
  await eventually(() => expect(getState()).toMatchObject({ status: "failed", error: { code: "INVALID_SOURCE" } }));
  expect(await hook.now.resume(id, { source: createFile("a.txt", "longer") })).toBeUndefined();
  await eventually(() => expect(getState()).toMatchObject({ status: "failed", error: { code: "SOURCE_CHANGED" } }));
  const [resumed, same] = await Promise.all([
    hook.now.resume(id, { source: createFile("a.txt") }),
    hook.now.resume(id, { source: createFile("a.txt") }),
  ]);
  expect(resumed).toMatchObject({ id, kind: "upload", result: [{ Name: "a.txt" }] });
  expect(same).toBe(resumed);
  await expectText(resumed?.kind === "upload" ? resumed.result[0].Hash : "", "text", owner);
  await eventually(() => expect(hook.now.state.value).toEqual([]));
  expect(complaints).toEqual([]);
});

test("what was resumed is in the list of files", async () => {
  const owner = await newOwner();
  await interruptUpload(owner, createFile("a.txt"));
  const hook = await renderHook(() => ({ unfinished: useUnfinished(), files: useFiles() }), owner);
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(0));
  await eventually(() => expect(hook.now.unfinished.state.value).toHaveLength(1));
  const [operation] = hook.now.unfinished.state.value ?? [];
  await hook.now.unfinished.resume(operation?.id ?? "", { source: createFile("a.txt") });
  await eventually(() => expect(hook.now.files.data?.files).toMatchObject([{ fileName: "a.txt" }]));
});

test("all are resumed one after another, with the files that are at hand; the others say why they failed", async () => {
  const owner = await newOwner();
  for (const name of ["a.txt", "b.txt", "c.txt"]) await interruptUpload(owner, createFile(name));
  const hook = await renderHook(() => useUnfinished(), owner);
  await eventually(() => expect(hook.now.state.value).toHaveLength(3));
  const resuming = hook.now.resumeAll({
    getSource: ({ names: [name = ""] }) => (name === "b.txt" ? undefined : createFile(name)),
  });
  await eventually(() =>
    expect(hook.now.state.value?.map(({ state }) => state.status)).toEqual(["running", "waiting", "waiting"]),
  );
  expect((await resuming).map(({ kind }) => kind)).toEqual(["upload", "upload"]);
  await eventually(() =>
    expect(hook.now.state.value).toMatchObject([
      { names: ["b.txt"], state: { status: "failed", error: { code: "INVALID_SOURCE" } } },
    ]),
  );
});

test("what is discarded is gone, here and in another tab", async () => {
  const owner = await newOwner();
  await interruptUpload(owner, createFile("a.txt"));
  const other = await renderHook(() => useUnfinished(), {
    ...owner,
    journal: await openJournal({ name: owner.journal.place }),
  });
  const hook = await renderHook(() => useUnfinished(), owner);
  await eventually(() => expect([hook.now.state.value?.length, other.now.state.value?.length]).toEqual([1, 1]));
  expect(await hook.now.discard(hook.now.state.value?.[0]?.id ?? "")).toBe(true);
  expect(hook.now.state.value).toEqual([]);
  await eventually(() => expect(other.now.state.value).toEqual([]));
  expect(await owner.journal.list()).toEqual([]);
});

test("an upload that runs here is not listed; another page sees that it is worked on", async () => {
  const owner = await newOwner();
  const elsewhere = await openJournal({ name: owner.journal.place });
  const hook = await renderHook(() => ({ unfinished: useUnfinished(), list: useUploadEncrypted() }), owner);
  const other = await renderHook(() => useUnfinished(), { ...owner, journal: elsewhere });
  let proceed: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const stream = (async function* () {
    begin();
    await gate;
    yield new TextEncoder().encode("text");
  })();
  hook.now.list.upload([{ name: "a.txt", stream }]);
  // From here on the upload changes its entry no more, which would take back what the other page shows of it.
  await begun;
  await eventually(async () => {
    await Promise.all([hook.now.unfinished.reload(), other.now.reload()]);
    expect(other.now.state.value).toMatchObject([{ names: ["a.txt"], worker: "elsewhere" }]);
  });
  expect(hook.now.unfinished.state.value).toEqual([]);
  expect(await other.now.resumeAll()).toEqual([]);
  const [busy] = other.now.state.value ?? [];
  expect(await other.now.discard(busy?.id ?? "")).toBe(false);
  await eventually(() =>
    expect(other.now.state.value).toMatchObject([
      { state: { status: "failed", error: { code: "JOURNAL_ENTRY_BUSY" } } },
    ]),
  );
  proceed();
  await eventually(() => expect(hook.now.list.total.count.done).toBe(1));
  // Nobody has to say so: the page looks as long as another one works.
  await eventually(() => expect(other.now.state.value).toEqual([]));
});

test("a failed upload belongs to its list until it is cleared, and a retry continues it", async () => {
  const owner = await newOwner();
  const { names, list } = { names: ["a.txt", "b.txt"], list: async (journal: Journal) => journal.list() };
  const hook = await renderHook(() => ({ unfinished: useUnfinished(), list: useUploadEncrypted() }), owner);
  const ids = hook.now.list.upload(
    names.map((name) => createFile(name)),
    { endpoints: unreachable } as object,
  );
  await eventually(() => expect(hook.now.list.total.count.failed).toBe(2));
  expect(await list(owner.journal)).toHaveLength(2);
  await hook.now.unfinished.reload();
  expect(hook.now.unfinished.state.value).toEqual([]);
  // It continues with the provider's options.
  hook.now.list.retry(ids[0]);
  await eventually(() => expect(hook.now.list.total.count.done).toBe(1));
  expect(await list(owner.journal)).toMatchObject([{ names: ["b.txt"] }]);
  hook.now.list.clear(ids[1]);
  await eventually(() => expect(hook.now.unfinished.state.value).toMatchObject([{ names: ["b.txt"] }]));
});

test("a share that is half done is offered, to this page and the next one", async () => {
  const owner = await newOwner();
  const { createKit } = await import("../../../src/index.ts");
  const [{ Hash: cid }] = await createKit(owner).uploadEncrypted(createFile("a.txt"));
  const friend = "0x00000000000000000000000000000000000000aa";
  const hook = await renderHook(() => ({ unfinished: useUnfinished(), kit: useKit() }), owner);
  const restore = cutNode(4);
  expect(await failure(hook.now.kit.kavachShare(cid, { shareTo: friend }))).toMatchObject({ name: "UnfinishedError" });
  expect(await owner.journal.list()).toMatchObject([{ kind: "share", nodesDone: [1, 2, 3, 5] }]);
  await hook.now.unfinished.reload();
  await eventually(() => expect(hook.now.unfinished.state.value).toMatchObject([{ kind: "share", cids: [cid] }]));
  await hook.unmount();
  restore();
  const next = await renderHook(() => useUnfinished(), owner);
  await eventually(() => expect(next.now.state.value).toMatchObject([{ kind: "share", cids: [cid] }]));
  expect(await next.now.resumeAll()).toMatchObject([{ kind: "share", result: { nodes: [1, 2, 3, 4, 5] } }]);
  await eventually(() => expect(next.now.state.value).toEqual([]));
  const { signer } = owner;
  expect(await kavachShare(cid, { signer, endpoints, shareTo: friend, pauseMs: 0 })).toMatchObject({
    nodes: [1, 2, 3, 4, 5],
  });
});

test("a payment whose page ended after it was sent is found on the chain by the next page, and not paid again", async () => {
  const owner = await newOwner();
  const wallet = createPageWallet(2);
  const before = await wallet.countMined();
  const first = await renderHook(() => usePayment(), owner);
  void first.now.pay({ ...quick, confirmations: 3, signer: wallet.provider });
  await eventually(() => expect(first.now.state).toMatchObject({ progress: { now: { state: "sent" } } }));
  await first.unmount();
  const hook = await renderHook(() => useUnfinished(), owner);
  await eventually(() => expect(hook.now.state.value).toMatchObject([{ kind: "payment", state: { status: "idle" } }]));
  await eventually(async () => {
    await hook.now.reload();
    expect(hook.now.state.value?.[0]?.worker).toBeUndefined();
  });
  // Payments are not resumed without a payer.
  expect(await hook.now.resumeAll()).toEqual([]);
  await requestChain("anvil_mine", "0x5");
  const { pollMs, missingMs } = quick;
  const payment = { signer: wallet.provider, pollMs, missingMs };
  expect(await hook.now.resumeAll({ payment })).toMatchObject([{ kind: "payment", result: { amount: 4_321n } }]);
  expect([wallet.countRequests(), (await wallet.countMined()) - before]).toEqual([1, 1]);
  await eventually(() => expect(hook.now.state.value).toEqual([]));
});

test("another account's journal shows nothing of the one before, and what is resumed for it is aborted", async () => {
  const [alice, bob] = [await newOwner(), await newOwner()];
  await interruptUpload(alice, createFile("a.txt"));
  const hook = await renderHook(() => useUnfinished(), alice);
  await eventually(() => expect(hook.now.state.value).toHaveLength(1));
  const seen = hook.all.length;
  await hook.provide(bob);
  const own = hook.all.slice(seen).filter(({ state }) => (state.value?.length ?? 0) > 0);
  expect(own).toEqual([]);
  await eventually(() => expect(hook.now.state).toEqual({ status: "ready", value: [] }));
  await hook.provide(alice);
  await eventually(() => expect(hook.now.state.value).toMatchObject([{ names: ["a.txt"], state: { status: "idle" } }]));
});
