import { QueryClient, QueryClientProvider, useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { type ReactElement, StrictMode, Suspense } from "react";
import { expect, onTestFinished, test } from "vitest";
import { render } from "vitest-browser-react";
import { createKit, type Kit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  KitProvider,
  useBalance,
  useFiles,
  useKit,
  useKitQueries,
  useUpload,
  useUploadEncrypted,
} from "../src/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { breakRequests, watchRequests } from "./traffic.ts";

const friend = "0x00000000000000000000000000000000000000aa";
const other = "0x00000000000000000000000000000000000000bb";
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

/** Renders what shows the account's files and usage, beside what changes them. */
function renderAccount<Value>(use: () => Value, account: Parameters<typeof renderHook>[1]) {
  return renderHook(() => {
    const files = useFiles();
    // A query renders again for what was read of it while rendering.
    return { balance: useBalance(), files, isFetching: files.isFetching, changing: use() };
  }, account);
}

test("a file's facts follow its content id", async () => {
  const { account, kit, cid } = await storeText("one");
  const [{ Hash: second }] = await kit.uploadText("two", { name: "two.txt" });
  let shown = cid;
  const hook = await renderHook(() => useQuery(useKitQueries().file(shown)), account);
  await eventually(() => expect(hook.now.data).toMatchObject({ fileName: "letter.txt", encryption: true }));
  const before = hook.all.length;
  shown = second;
  await hook.provide({ ...account });
  await eventually(() => expect(hook.now.data).toMatchObject({ fileName: "two.txt", encryption: false }));
  const names = hook.all.slice(before).flatMap(({ data }) => data?.fileName ?? []);
  expect(new Set(names)).toEqual(new Set(["two.txt"]));
});

test("files and usage follow uploads by hooks, encrypted or not, and by the kit", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const hook = await renderAccount(
    () => ({ plain: useUpload(), encrypted: useUploadEncrypted(), kit: useKit() }),
    account,
  );
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(0));
  hook.now.changing.plain.upload([new File(["1"], "1.txt")]);
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(1));
  hook.now.changing.encrypted.upload([new File(["2"], "2.txt")]);
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(2));
  await hook.now.changing.kit.uploadText("3", { name: "3.txt" });
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(3));
  const { dataUsed } = await createKit(account).getBalance();
  await eventually(() => expect(hook.now.balance.data?.dataUsed).toBe(dataUsed));
  expect(complaints).toEqual([]);
});

test("an upload whose keys are not saved is in the list of files all the same", async () => {
  const account = await newAccount();
  const hook = await renderAccount(() => useUploadEncrypted(), { ...account, attempts: 1 });
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(0));
  onTestFinished(breakRequests("setSharedKey/"));
  hook.now.changing.upload([new File(["1"], "1.txt")]);
  await eventually(() => expect(hook.now.changing.total.count.failed).toBe(1));
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(1));
});

test("files and usage follow each deletion; what fails is in the mutation", async () => {
  const { account, kit } = await storeText("one");
  await kit.uploadText("two");
  const hook = await renderAccount(() => useMutation(useKitQueries().deleteFile()), account);
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(2));
  const ids = hook.now.files.data?.files.map(({ id }) => id) ?? [];
  await Promise.all(ids.map((id) => hook.now.changing.mutateAsync({ id })));
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(0));
  await eventually(() => expect(hook.now.balance.data?.dataUsed).toBe(0));
  hook.now.changing.mutate({ id: "unknown" });
  await eventually(() => expect(hook.now.changing).toMatchObject({ status: "error", error: expect.any(Error) }));
});

test("many changes that end together load the list a few times, and what is shown last is right", async () => {
  const account = await newAccount();
  const hook = await renderAccount(() => useUpload({ maxAtOnce: 8 }), account);
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(0));
  const requests = watchRequests();
  hook.now.changing.upload(Array.from({ length: 60 }, (_, at) => new File([String(at)], `${at}.txt`)));
  await eventually(() => expect(hook.now.files.data?.totalFiles).toBe(60));
  await eventually(() => expect(hook.now.isFetching).toBe(false));
  expect(requests.countTo("files_uploaded")).toBeLessThan(60);
});

test("sharing and revoking load again who has access", async () => {
  const complaints = watchConsole();
  const { account, cid } = await storeText("shared");
  const hook = await renderHook(() => {
    const queries = useKitQueries();
    return {
      access: useQuery(queries.access(cid)),
      share: useMutation(queries.share()),
      revoke: useMutation(queries.revoke()),
    };
  }, account);
  await eventually(() => expect(hook.now.access.data?.sharedTo).toEqual([]));
  expect(await hook.now.share.mutateAsync({ cid, shareTo: [friend, other] })).toMatchObject({ nodes: [1, 2, 3, 4, 5] });
  await eventually(() => expect(hook.now.access.data?.sharedTo).toEqual([friend, other]));
  await hook.now.revoke.mutateAsync({ cid, revokeTo: other });
  await eventually(() => expect(hook.now.access.data?.sharedTo).toEqual([friend]));
  expect(complaints).toEqual([]);
});

test("a change that one node missed is made again at every node", async () => {
  const { account, cid } = await storeText("shared");
  const hook = await renderHook(() => useMutation(useKitQueries().share()), { ...account, attempts: 1 });
  const restore = breakRequests("setSharedKey/4");
  hook.now.mutate({ cid, shareTo: friend });
  await eventually(() => expect(hook.now).toMatchObject({ status: "error", error: { name: "UnfinishedError" } }));
  restore();
  expect(await hook.now.mutateAsync({ cid, shareTo: friend })).toMatchObject({ nodes: [1, 2, 3, 4, 5] });
});

test("conditions are replaced and loaded again; so is a key's health by a repair", async () => {
  const { account, cid } = await storeText("conditional");
  const hook = await renderHook(() => {
    const queries = useKitQueries();
    return {
      access: useQuery(queries.access(cid)),
      health: useQuery(queries.health(cid)),
      setConditions: useMutation(queries.setConditions()),
      repair: useMutation(queries.repair()),
    };
  }, account);
  await eventually(() => expect(hook.now.access.data?.conditions).toEqual([]));
  await hook.now.setConditions.mutateAsync({ cid, conditions: [afterBlockFive] });
  await eventually(() => expect(hook.now.access.data?.conditions).toMatchObject([{ method: "getBlockNumber" }]));
  await eventually(() => expect(hook.now.health.data?.healthy).toBe(true));
  expect(await hook.now.repair.mutateAsync({ cid })).toMatchObject({ cid, nodes: [{}, {}, {}, {}, {}] });
});

test("names are created, published and removed", async () => {
  const { account, cid } = await storeText("page");
  const hook = await renderHook(() => {
    const queries = useKitQueries();
    return { names: useQuery(queries.names()), kit: useKit(), create: useMutation(queries.createName()) };
  }, account);
  await eventually(() => expect(hook.now.names.data).toEqual([]));
  const { ipnsName: keyName } = await hook.now.create.mutateAsync();
  await hook.now.kit.ipnsPublishRecord({ cid, keyName });
  await eventually(() => expect(hook.now.names.data).toMatchObject([{ ipnsName: keyName, cid }]));
  await hook.now.kit.ipnsRemoveKey(keyName);
  await eventually(() => expect(hook.now.names.data).toEqual([]));
});

test("a proof is verified in the page", async () => {
  const account = await newAccount();
  const [{ Hash: cid }] = await createKit(account).uploadText("proved");
  const hook = await renderHook(() => useQuery(useKitQueries().proof(cid)), account);
  await eventually(async () => {
    await hook.now.refetch();
    expect(hook.now.data).toMatchObject({ verified: { valid: true } });
  });
});

test("a component that suspends is shown with its data, and again with that of another account", async () => {
  const [one, another] = [await newAccount(), await newAccount()];
  await createKit(one).uploadText("hello");
  const shown: number[] = [];
  function Usage(): ReactElement {
    const { data } = useSuspenseQuery(useKitQueries().balance());
    shown.push(data.dataUsed);
    return <p>{data.dataUsed} bytes</p>;
  }
  const createTree = (options: typeof one) => (
    <StrictMode>
      <KitProvider options={options}>
        <Suspense fallback={<p>loading</p>}>
          <Usage />
        </Suspense>
      </KitProvider>
    </StrictMode>
  );
  const screen = await render(createTree(one));
  onTestFinished(() => screen.unmount());
  await eventually(() => expect(screen.container.textContent).toBe("5 bytes"));
  shown.length = 0;
  await screen.rerender(createTree(another));
  await eventually(() => expect(screen.container.textContent).toBe("0 bytes"));
  expect(new Set(shown)).toEqual(new Set([0]));
});

test("the page's own cache is used, and an account that is gone leaves nothing in it", async () => {
  const client = new QueryClient();
  const [one, another] = [await newAccount(), await newAccount()];
  await createKit(one).uploadText("hello", { name: "secret.txt" });
  function Files(): ReactElement {
    return (
      <p>
        {useFiles()
          .data?.files.map(({ fileName }) => fileName)
          .join() ?? "loading"}
      </p>
    );
  }
  const createTree = (options: typeof one, account?: string) => (
    <QueryClientProvider client={client}>
      <KitProvider options={options} account={account}>
        <Files />
      </KitProvider>
    </QueryClientProvider>
  );
  const screen = await render(createTree(one));
  onTestFinished(() => screen.unmount());
  await eventually(() => expect(screen.container.textContent).toBe("secret.txt"));
  const list = () =>
    JSON.stringify(
      client
        .getQueryCache()
        .getAll()
        .map(({ state }) => state.data),
    );
  expect(list()).toContain("secret.txt");
  await screen.rerender(createTree(another));
  await eventually(() => expect(screen.container.textContent).toBe(""));
  expect(list()).not.toContain("secret.txt");
  // Under a name the page decides itself.
  await screen.rerender(createTree(one, "alice"));
  await eventually(() => expect(screen.container.textContent).toBe("secret.txt"));
  await screen.rerender(createTree(another, "bob"));
  await eventually(() => expect(screen.container.textContent).toBe(""));
  expect(client.getQueryData(["keeplight", "alice", "files"])).toMatchObject({ pages: [{ totalFiles: 1 }] });
});
