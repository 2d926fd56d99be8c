import { type ReactNode, StrictMode, Suspense } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../../src/index.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { type Drive, type DriveFolder, openDrive } from "../../../drive/src/index.ts";
import { DriveProvider, type FolderState, useDrive, useFolder, useSession } from "../../src/drive/index.ts";
import { KitProvider } from "../../src/index.ts";
import { watchConsole } from "../rig.tsx";
import { breakRequests, holdRequests, watchRequests } from "../traffic.ts";
import { cleanUp, createWallet, newOwner, openPage, renderInDrive, renderTree } from "./rig.tsx";

afterEach(cleanUp);

type Owner = Awaited<ReturnType<typeof newOwner>>;

/** Waits until the drive is open. */
function getDrive(hook: { readonly now: { drive: ReturnType<typeof useDrive> } }): Promise<Drive> {
  return eventually(() => {
    const { state } = hook.now.drive;
    if (state.status !== "ready") throw new Error(state.status);
    return state.value;
  });
}

/** Opens the drive as another device does. */
async function openElsewhere(owner: Owner): Promise<Drive> {
  const drive = await openDrive({ ...owner, journal: await openJournal({ name: crypto.randomUUID() }) });
  onTestFinished(() => drive.close().catch(() => undefined));
  return drive;
}

const useTop = () => ({ drive: useDrive(), top: useFolder().state });

const listNames = (state: FolderState | undefined) =>
  state?.status === "ready" ? state.entries.map(({ name }) => name) : state?.status;

const closed = { code: "INVALID_OPTION", message: expect.stringContaining("not closed") };

test("a folder shows what this device and others change, and the status whether it is stored", async () => {
  const complaints = watchConsole();
  const owner = await newOwner();
  const hook = await renderInDrive(useTop, owner);
  expect(hook.all[0]).toMatchObject({ drive: { state: { status: "loading" } }, top: { status: "loading" } });
  expect(hook.all[0]?.drive.status).toBeUndefined();
  const drive = await getDrive(hook);
  expect(hook.now.top).toEqual({ status: "ready", entries: [], path: [] });
  expect(hook.now.drive.status).toEqual({ unsaved: false, problems: [] });
  await drive.createFolder("Photos");
  await eventually(() => expect(listNames(hook.now.top)).toEqual(["Photos"]));
  expect(hook.now.drive.status).toEqual({ unsaved: true, problems: [] });
  await drive.add(new File(["sun"], "summer.jpg"));
  await eventually(() => expect(listNames(hook.now.top)).toEqual(["Photos", "summer.jpg"]));
  await eventually(() => expect(hook.now.drive.status?.unsaved).toBe(false));

  const other = await openElsewhere(owner);
  await other.rename("summer.jpg", "beach.jpg");
  await other.sync();
  await hook.now.drive.reload();
  await eventually(() => expect(listNames(hook.now.top)).toEqual(["Photos", "beach.jpg"]));
  expect(await getDrive(hook)).toBe(drive);
  expect(complaints).toEqual([]);
});

test("a folder renders only if its list or its path has changed, and what did not change stays the same", async () => {
  const shown = { One: [] as FolderState[], Two: [] as FolderState[] };
  function Folder({ name }: { name: "One" | "Two" }) {
    const { state } = useFolder(name);
    shown[name].push(state);
    return <p>{state.status}</p>;
  }
  const besides = (
    <>
      <Folder name="One" />
      <Folder name="Two" />
    </>
  );
  const hook = await renderInDrive(() => ({ drive: useDrive() }), await newOwner(), besides);
  const drive = await getDrive(hook);
  for (const path of ["One/Deep", "One/Other", "Two"]) await drive.createFolder(path);
  await eventually(() => expect(listNames(shown.One.at(-1))).toEqual(["Deep", "Other"]));
  await eventually(() => expect(listNames(shown.Two.at(-1))).toEqual([]));
  const rendered = shown.One.length;
  const before = shown.One.at(-1);
  await drive.createFolder("Two/New");
  await drive.rename("Two/New", "Newer");
  await hook.now.drive.reload();
  await eventually(() => expect(listNames(shown.Two.at(-1))).toEqual(["Newer"]));
  await eventually(() => expect(hook.now.drive.status?.unsaved).toBe(false));
  expect(shown.One.length).toBe(rendered);

  await drive.rename("One/Deep", "Deeper");
  await eventually(() => expect(listNames(shown.One.at(-1))).toEqual(["Deeper", "Other"]));
  const [old, now] = [before, shown.One.at(-1)].map((state) => (state?.status === "ready" ? state.entries : []));
  expect(now?.[1]).toBe(old?.[1]);
  expect(now?.[0]).not.toBe(old?.[0]);
});

test("a folder that is an entry is followed wherever it is moved to; a path, to what is there; both may be gone", async () => {
  let entry: DriveFolder | undefined;
  const use = () => ({ drive: useDrive(), path: useFolder("/A/B/").state, entry: useFolder(entry).state });
  const hook = await renderInDrive(use, await newOwner());
  const drive = await getDrive(hook);
  entry = await drive.createFolder("A/B");
  await drive.createFolder("A/B/C");
  await drive.createFolder("D");
  const paths = (state: FolderState) => (state.status === "ready" ? state.path.map(({ path }) => path) : state.status);
  await eventually(() =>
    expect([paths(hook.now.path), paths(hook.now.entry)]).toEqual([
      ["A", "A/B"],
      ["A", "A/B"],
    ]),
  );
  expect(hook.now.entry).toMatchObject({ folder: { name: "B" }, entries: [{ path: "A/B/C" }] });
  await drive.move(entry, "D");
  await drive.rename("D/B", "E");
  await eventually(() => expect([hook.now.path, paths(hook.now.entry)]).toEqual([{ status: "missing" }, ["D", "D/E"]]));
  await drive.trash("D");
  await eventually(() => expect(hook.now.entry).toEqual({ status: "missing" }));
  await drive.add(new File(["b"], "B"), { folder: "A" });
  expect(hook.now.path).toEqual({ status: "missing" });
  const [trashed] = drive.listTrash();
  await drive.restore(trashed ?? "");
  await eventually(() => expect(hook.now.entry).toMatchObject({ status: "ready", entries: [{ path: "D/E/C" }] }));
});

test("another account sees nothing of the drive before, which is closed", async () => {
  const [alice, bob] = [await newOwner(), await newOwner()];
  const hook = await renderInDrive(useTop, alice);
  const first = await getDrive(hook);
  await first.createFolder("Secret of Alice");
  await eventually(() => expect(listNames(hook.now.top)).toEqual(["Secret of Alice"]));
  const before = hook.all.length;
  await hook.provide(bob);
  await getDrive(hook);
  const seen = hook.all.slice(before);
  expect(seen.filter(({ drive }) => drive.state.value === first)).toEqual([]);
  expect(new Set(seen.flatMap(({ top }) => listNames(top) ?? []))).toEqual(new Set(["loading"]));
  expect(seen[0]?.drive).toMatchObject({ state: { status: "loading" }, status: undefined });
  await expect(first.createFolder("Late")).rejects.toMatchObject(closed);
  await hook.provide(alice);
  await eventually(() => expect(listNames(hook.now.top)).toEqual(["Secret of Alice"]));
});

test("a drive that is opened too late for its account is never shown", async () => {
  const [alice, bob] = [await newOwner(), await newOwner()];
  const known = await openDrive(alice);
  await known.createFolder("Secret of Alice");
  await known.close();
  const release = holdRequests("files_uploaded");
  const hook = await renderInDrive(useTop, { ...alice, journal: await openJournal({ name: crypto.randomUUID() }) });
  await eventually(() => expect(watchRequests().countOpen()).toBeGreaterThan(0));
  await hook.provide(bob);
  release();
  const drive = await getDrive(hook);
  expect(drive.account.toLowerCase()).toBe(bob.signer.address.toLowerCase());
  expect(hook.all.map(({ top }) => listNames(top))).not.toContainEqual(["Secret of Alice"]);
});

test("unmounting stores what is not stored and closes the drive; mounted again, it has all that was changed", async () => {
  const owner = await newOwner();
  const hook = await renderInDrive(useTop, owner);
  const drive = await getDrive(hook);
  await drive.createFolder("Letters");
  const { reload } = hook.now.drive;
  await hook.unmount();
  const again = await renderInDrive(useTop, owner);
  await expect(drive.createFolder("Late")).rejects.toMatchObject(closed);
  const next = await getDrive(again);
  expect(next).not.toBe(drive);
  // In the first rendering that has the drive.
  const lists = again.all.map(({ top }) => listNames(top));
  expect([...new Set(lists.map((list) => JSON.stringify(list)))]).toEqual(['"loading"', '["Letters"]']);
  const rendered = hook.all.length;
  await reload();
  expect(hook.all.length).toBe(rendered);
});

test("a drive that cannot be opened says why, and opens by reload", async () => {
  const owner = await newOwner();
  const { journal: _, ...forgetful } = owner;
  const hook = await renderInDrive(useTop, forgetful);
  const expectFailure = (code: string) =>
    eventually(() =>
      expect(hook.now).toMatchObject({
        drive: { state: { status: "failed", error: { code } }, status: undefined },
        top: { status: "failed", error: { code } },
      }),
    );
  await expectFailure("INVALID_OPTION");
  const { apiKey: __, ...unknown } = owner;
  await hook.provide(unknown);
  await expectFailure("MISSING_API_KEY");
  const restore = breakRequests("files_uploaded");
  await hook.provide(owner);
  await expectFailure("NETWORK");
  restore();
  await hook.now.drive.reload();
  const drive = await getDrive(hook);
  expect(listNames(hook.now.top)).toEqual([]);

  // It stays, if only reading what is new fails.
  breakRequests("files_uploaded");
  await hook.now.drive.reload();
  await eventually(() => expect(hook.now.drive.state).toMatchObject({ status: "failed", error: { code: "NETWORK" } }));
  expect(hook.now.drive.state.value).toBe(drive);
  expect(hook.now.top).toEqual({ status: "ready", entries: [], path: [] });
});

test("a Suspense above that hides session and drive ends neither", async () => {
  const owner = await newOwner();
  const shown: { session: string; drive: ReturnType<typeof useDrive> }[] = [];
  let proceed: () => void = () => undefined;
  let waiting: Promise<void> | undefined;
  function Suspending() {
    if (waiting !== undefined) throw waiting;
    return <p>shown</p>;
  }
  function Inside({ session }: { session: string }) {
    shown.push({ session, drive: useDrive() });
    return <Suspending />;
  }
  function Page({ children }: { children: (session: string) => ReactNode }) {
    return <>{children(useSession({ endpoints: owner.endpoints }).state.status)}</>;
  }
  const tree = await renderTree<number>(
    () => (
      <Suspense fallback={<p>hidden</p>}>
        <KitProvider options={owner}>
          <DriveProvider>
            <Page>{(session) => <Inside session={session} />}</Page>
          </DriveProvider>
        </KitProvider>
      </Suspense>
    ),
    1,
  );
  const latest = () => shown.at(-1);
  await eventually(() =>
    expect(latest()).toMatchObject({ session: "signed-out", drive: { state: { status: "ready" } } }),
  );
  const drive = latest()?.drive.state.value;
  waiting = new Promise((resolve) => {
    proceed = resolve;
  });
  await tree.show(2);
  const isHidden = () => getComputedStyle(document.querySelector("p") ?? document.body).display === "none";
  await eventually(() =>
    expect([isHidden(), document.body.textContent]).toEqual([true, expect.stringContaining("hidden")]),
  );
  await drive?.createFolder("Letters");
  const seen = shown.length;
  waiting = undefined;
  proceed();
  await eventually(() => expect(isHidden()).toBe(false));
  expect(drive?.list()).toHaveLength(1);
  expect(
    shown.slice(seen).filter(({ session, drive: { state } }) => session !== "signed-out" || state.value !== drive),
  ).toEqual([]);
});

test("the drive of a session opens after a reload of the page without a signature", async () => {
  const wallet = createWallet();
  const first = await openPage(wallet.connected, { pauseMs: 0 });
  await eventually(() => expect(first.now.state.status).toBe("signed-out"));
  await first.now.signIn();
  const signedIn = (page: typeof first) =>
    eventually(() => {
      const { state } = page.now;
      if (state.status !== "signed-in") throw new Error(state.status);
      return { ...state.options, pauseMs: 0 };
    });
  const hook = await renderInDrive(useTop, await signedIn(first));
  await (await getDrive(hook)).add(new File(["dear"], "letter.txt"), { folder: "Letters" });
  await hook.unmount();
  await first.unmount();

  const again = await openPage(undefined, { pauseMs: 0 });
  const opened = await renderInDrive(useTop, await signedIn(again));
  const drive = await getDrive(opened);
  const file = drive.find("Letters/letter.txt");
  if (file?.type !== "file") throw new Error("not found");
  expect(new TextDecoder().decode(await again.kit.decrypt(file.cid, { commitment: file.commitment }))).toBe("dear");
  expect(wallet.count()).toBe(2);
  await opened.unmount();
  await drive.close();
});

test("what a server has rendered is hydrated without a difference, and the drive opens then", async () => {
  const complaints = watchConsole();
  const owner = await newOwner();
  function Page() {
    const session = useSession({ endpoints: owner.endpoints });
    const { drive, top } = useTop();
    return <p>{[session.state.status, drive.state.status, drive.status?.unsaved, top.status].join(" ")}</p>;
  }
  const tree = (
    <StrictMode>
      <KitProvider options={owner}>
        <DriveProvider>
          <Page />
        </DriveProvider>
      </KitProvider>
    </StrictMode>
  );
  const container = document.createElement("div");
  document.body.append(container);
  container.innerHTML = renderToString(tree);
  expect(container.textContent).toBe("loading loading  loading");
  // A page has layout effects, of which React 18 warns where it renders for a server.
  complaints.length = 0;
  const differences: unknown[] = [];
  const root = hydrateRoot(container, tree, { onRecoverableError: (error) => differences.push(error) });
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  await eventually(() => expect(container.textContent).toBe("signed-out ready false ready"));
  expect([differences, complaints]).toEqual([[], []]);
});
