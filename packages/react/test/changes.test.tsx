import { expect, test } from "vitest";
import { createKit, type Kit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  useConditions,
  useDelete,
  useFile,
  useFiles,
  useKeyHealth,
  useNames,
  useProof,
  useQuote,
  useShare,
} from "../src/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { breakRequests, watchRequests } from "./traffic.ts";

const friend = "0x00000000000000000000000000000000000000aa";
const other = "0x00000000000000000000000000000000000000bb";
const stranger = "0x00000000000000000000000000000000000000cc";
const afterBlockFive = {
  id: 1,
  chain: "Polygon" as const,
  method: "getBlockNumber" as const,
  standardContractType: "" as const,
  returnValueTest: { comparator: ">=" as const, value: 5 },
};

async function storeText(text: string) {
  const account = await newAccount();
  const kit: Kit = createKit(account);
  const [{ Hash: cid }] = await kit.uploadTextEncrypted(text, { name: "letter.txt" });
  return { account, kit, cid };
}

test("a file's facts follow its content id", async () => {
  const { account, kit, cid } = await storeText("one");
  const [{ Hash: second }] = await kit.uploadText("two", { name: "two.txt" });
  let shown = cid;
  const hook = await renderHook(() => useFile(shown), account);
  await eventually(() => expect(hook.now.state.value).toMatchObject({ fileName: "letter.txt", encryption: true }));
  const before = hook.all.length;
  shown = second;
  await hook.provide({ ...account });
  await eventually(() => expect(hook.now.state.value).toMatchObject({ fileName: "two.txt", encryption: false }));
  const names = hook.all.slice(before).flatMap(({ state }) => state.value?.fileName ?? []);
  expect(new Set(names)).toEqual(new Set(["two.txt"]));
});

test("sharing and revoking reload who has access, one change after the other", async () => {
  const complaints = watchConsole();
  const { account, cid } = await storeText("shared");
  const hook = await renderHook(() => useShare(cid), account);
  await eventually(() => expect(hook.now.state.value?.sharedTo).toEqual([]));
  const both = [hook.now.share([friend, other]), hook.now.revoke(other)];
  expect(await Promise.all(both)).toMatchObject([{ nodes: [1, 2, 3, 4, 5] }, { nodes: [1, 2, 3, 4, 5] }]);
  await eventually(() => expect(hook.now.state.value?.sharedTo).toEqual([friend]));
  expect(hook.now.change.state).toMatchObject({ status: "done" });
  expect(complaints).toEqual([]);
});

test("changes are made of what they were given, whatever is changed while they wait", async () => {
  const { account, cid } = await storeText("shared");
  const hook = await renderHook(() => ({ sharing: useShare(cid), rules: useConditions(cid) }), account);
  const shareTo: [string, ...string[]] = [friend, other];
  const revokeTo: [string] = [other];
  const both = [hook.now.sharing.share(shareTo), hook.now.sharing.revoke(revokeTo)];
  shareTo.splice(0, 2, stranger);
  revokeTo[0] = friend;
  await Promise.all(both);
  await eventually(() => expect(hook.now.sharing.state.value?.sharedTo).toEqual([friend]));

  const condition = structuredClone(afterBlockFive);
  const setting = hook.now.rules.setConditions({ conditions: [condition] });
  condition.returnValueTest.value = 0;
  await setting;
  await eventually(() =>
    expect(hook.now.rules.state.value?.conditions).toMatchObject([{ returnValueTest: { value: 5 } }]),
  );
});

test("a change that one node missed is continued at that node", async () => {
  const { account, cid } = await storeText("shared");
  const hook = await renderHook(() => useShare(cid), { ...account, attempts: 1 });
  const restore = breakRequests("setSharedKey/4");
  expect(await hook.now.share(friend)).toBeUndefined();
  await eventually(() => expect(hook.now.change.state).toMatchObject({ status: "failed" }));
  restore();
  const requests = watchRequests();
  expect(await hook.now.change.retry()).toMatchObject({ nodes: [1, 2, 3, 4, 5] });
  expect(requests.countTo("setSharedKey/")).toBe(1);
});

test("conditions are replaced and reloaded", async () => {
  const { account, cid } = await storeText("conditional");
  const hook = await renderHook(() => useConditions(cid), account);
  await eventually(() => expect(hook.now.state.value?.conditions).toEqual([]));
  await hook.now.setConditions({ conditions: [afterBlockFive] });
  await eventually(() => expect(hook.now.state.value?.conditions).toMatchObject([{ method: "getBlockNumber" }]));
});

test("a key's health is loaded, and a repair reloads it", async () => {
  const { account, cid } = await storeText("healthy");
  const hook = await renderHook(() => useKeyHealth(cid), account);
  await eventually(() => expect(hook.now.state.value?.healthy).toBe(true));
  const requests = watchRequests();
  expect(await hook.now.repair()).toMatchObject({ cid, nodes: [{}, {}, {}, {}, {}] });
  await eventually(() => expect(hook.now.state.status).toBe("ready"));
  expect(requests.countStarted()).toBeGreaterThanOrEqual(10);
});

test("names are created, published and removed", async () => {
  const { account, cid } = await storeText("page");
  const hook = await renderHook(() => useNames(), account);
  await eventually(() => expect(hook.now.state.value).toEqual([]));
  const name = await hook.now.create();
  await hook.now.publish({ cid, keyName: name?.ipnsName ?? "" });
  await eventually(() => expect(hook.now.state.value).toMatchObject([{ ipnsName: name?.ipnsName, cid }]));
  await hook.now.remove(name?.ipnsName ?? "");
  await eventually(() => expect(hook.now.state.value).toEqual([]));
});

test("a proof is verified in the page; until there is one, the state says so", async () => {
  const account = await newAccount();
  const [{ Hash: cid }] = await createKit(account).uploadText("proved");
  const hook = await renderHook(() => useProof(cid), account);
  await eventually(async () => {
    await hook.now.reload();
    expect(hook.now.state).toMatchObject({ status: "ready", value: { verified: { valid: true } } });
  });
});

test("a quote has size and usage, and the next one replaces it", async () => {
  const hook = await renderHook(() => useQuote(), await newAccount());
  const first = hook.now.quote(new File([new Uint8Array(7)], "a.bin"));
  const second = hook.now.quote(new File([new Uint8Array(8)], "b.bin"));
  expect(await first).toBeUndefined();
  expect(await second).toMatchObject({ totalSize: 8, usage: { dataUsed: 0 } });
});

test("files are deleted one after another, and each reloads the list", async () => {
  const { account, kit } = await storeText("one");
  await kit.uploadText("two");
  const hook = await renderHook(() => {
    const files = useFiles();
    return { files, deletion: useDelete(files.reload) };
  }, account);
  await eventually(() => expect(hook.now.files.state.value?.totalFiles).toBe(2));
  const ids = hook.now.files.state.value?.files.map(({ id }) => id) ?? [];
  await Promise.all(ids.map((id) => hook.now.deletion.deleteFile(id)));
  await eventually(() => expect(hook.now.files.state.value?.totalFiles).toBe(0));
  await hook.now.deletion.deleteFile("unknown");
  await eventually(() => expect(hook.now.deletion.state).toMatchObject({ status: "failed" }));
});
