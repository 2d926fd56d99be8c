import { afterEach, expect, test } from "vitest";
import { openJournal } from "../../../../src/index.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { useAdd, useDrive, useDriveList } from "../../src/drive/index.ts";
import { useKit, useUnfinished } from "../../src/index.ts";
import { renderHook, watchConsole } from "../rig.tsx";
import { breakRequests, holdRequests } from "../traffic.ts";
import { cleanUp, newOwner, renderInDrive } from "./rig.tsx";

afterEach(cleanUp);

type Owner = Awaited<ReturnType<typeof newOwner>>;

const createFile = (name: string, text = name) => new File([text], name, { lastModified: 1_700_000_000_000 });

const use = () => ({
  add: useAdd({ folder: "Letters" }),
  drive: useDrive(),
  kit: useKit(),
  list: useDriveList((drive) => drive.search("")),
  unfinished: useUnfinished(),
});

/** Opens a page of this account: with a journal object of its own, as each page has one. */
async function openPage(owner: Owner) {
  const journal = await openJournal({ name: owner.journal.place });
  return renderInDrive(use, { ...owner, journal });
}

type Page = Awaited<ReturnType<typeof openPage>>;

const listPaths = ({ now }: Page) =>
  now.list.status === "ready" ? now.list.value.map(({ path }) => path).sort() : now.list.status;

async function listStored({ now }: Page) {
  const names: (string | null)[] = [];
  for await (const { fileName } of now.kit.iterateFiles()) names.push(fileName);
  return names.filter((name) => !name?.startsWith("keeplight-drive"));
}

test("files and folders that are added before the drive is open are in it once they are done, under hidden names", async () => {
  const complaints = watchConsole();
  const page = await openPage(await newOwner());
  const inFolder = createFile("c.txt");
  Object.defineProperty(inFolder, "webkitRelativePath", { value: "Old/1999/c.txt" });
  page.now.add.upload([createFile("a.txt"), [inFolder]]);
  page.now.add.upload([createFile("b.txt")], { folder: "" });
  await eventually(() => expect(page.now.add.total.count.done).toBe(3));
  const files = ["Letters/Old/1999/c.txt", "Letters/a.txt", "b.txt"];
  await eventually(() => expect(listPaths(page)).toEqual(["Letters", "Letters/Old", "Letters/Old/1999", ...files]));
  const done = page.now.add.uploads.flatMap(({ state }) => (state.status === "done" ? [...state.files] : []));
  expect(done.map(({ Name }) => Name).sort()).toEqual(files);
  expect(new TextDecoder().decode(await page.now.kit.decrypt(done[0]?.Hash ?? ""))).toBe("a.txt");
  const stored = await listStored(page);
  expect(stored).toHaveLength(3);
  for (const name of stored) expect(name).not.toMatch(/txt|Letters|Old/);
  expect(complaints).toEqual([]);
});

test("an upload whose keys are not saved is in its place once it is retried", async () => {
  const page = await openPage(await newOwner());
  await eventually(() => expect(page.now.drive.state.status).toBe("ready"));
  const restore = breakRequests("/api/setSharedKey");
  page.now.add.upload([createFile("a.txt")]);
  await eventually(() => expect(page.now.add.uploads[0]?.state.status).toBe("failed"));
  expect(listPaths(page)).toEqual(["Letters"]);
  restore();
  page.now.add.retry();
  await eventually(() => expect(page.now.add.uploads[0]?.state.status).toBe("done"));
  expect(listPaths(page)).toEqual(["Letters", "Letters/a.txt"]);
  expect(await listStored(page)).toHaveLength(1);
});

test("while the drive cannot be opened, an upload says so; once it can be, a retry adds the file", async () => {
  const restore = breakRequests("/api/setSharedKey");
  const page = await openPage(await newOwner());
  page.now.add.upload([createFile("a.txt")]);
  await eventually(() => expect(page.now.add.uploads[0]?.state.status).toBe("failed"));
  const { state } = page.now.add.uploads[0] ?? {};
  expect(state).toMatchObject({ error: { code: "DRIVE_NOT_OPEN", cause: { code: "SHARDS_NOT_SAVED" } } });
  expect(state).not.toMatchObject({ error: { resume: expect.anything() } });
  restore();
  page.now.add.retry();
  await eventually(() => expect(page.now.add.uploads[0]?.state.status).toBe("done"));
  await eventually(() => expect(listPaths(page)).toEqual(["Letters", "Letters/a.txt"]));
});

test("a file that was not sent is sent again under another content id, and is in its place", async () => {
  const page = await openPage(await newOwner());
  await eventually(() => expect(page.now.drive.state.status).toBe("ready"));
  const restore = breakRequests("/api/v0/add");
  page.now.add.upload([createFile("a.txt")]);
  await eventually(() => expect(page.now.add.uploads[0]?.state.status).toBe("failed"));
  restore();
  page.now.add.retry();
  await eventually(() => expect(page.now.add.uploads[0]?.state.status).toBe("done"));
  expect(listPaths(page)).toEqual(["Letters", "Letters/a.txt"]);
  expect(await page.now.drive.state.value?.listLoose()).toEqual([]);
});

test("without a drive an upload fails, and stays in the journal", async () => {
  const owner = await newOwner();
  const page = await renderHook(useAdd, owner);
  page.now.upload([createFile("a.txt")]);
  await eventually(() =>
    expect(page.now.uploads).toMatchObject([{ state: { status: "failed", error: { code: "UNSUPPORTED" } } }]),
  );
  expect(await owner.journal.list()).toMatchObject([{ kind: "queued", names: ["a.txt"] }]);
});

test("what a page leaves is offered to the next one: what has waited, and what has run; both are in their places", async () => {
  const owner = await newOwner();
  const files = ["a.txt", "b.txt", "c.txt", "d.txt"].map((name) => createFile(name));
  const first = await openPage(owner);
  await eventually(() => expect(first.now.drive.state.status).toBe("ready"));
  const release = holdRequests("/api/v0/add");
  first.now.add.upload(files);
  const countOpen = async (kind: string) => (await owner.journal.list()).filter((open) => open.kind === kind).length;
  await eventually(async () => expect(await countOpen("upload")).toBe(2));
  await first.unmount();
  release();

  const second = await openPage(owner);
  await eventually(() => {
    const offered = second.now.unfinished.state.value ?? [];
    expect(offered.flatMap(({ names }) => names).sort()).toEqual(files.map(({ name }) => name));
    expect(offered.filter(({ worker }) => worker !== undefined)).toEqual([]);
  });
  for (const { id } of second.now.unfinished.state.value ?? [])
    await second.now.unfinished.resume(id, { source: files });
  const placed = ["Letters", ...files.map(({ name }) => `Letters/${name}`)];
  await eventually(() => expect(listPaths(second)).toEqual(placed));
  expect(await listStored(second)).toHaveLength(files.length);
  await eventually(async () => expect(await countOpen("upload")).toBe(0));
});
