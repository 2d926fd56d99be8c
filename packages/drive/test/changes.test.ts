import { expect, test } from "vitest";
import { listBelow, refuseTaken, requireEntry, requireFolder, restoreVersion, toPath } from "../src/changes.ts";
import { type DriveState, TOP } from "../src/state.ts";
import { type DriveEntry, listVersions } from "../src/tree.ts";
import { createDrive } from "./one-device.ts";

/** Files `top` and `in` (in folder `sub` of folder `docs`). */
function createFilled() {
  const drive = createDrive();
  drive.folder("docs");
  drive.folder("sub", "docs");
  return { drive, top: drive.file("top"), inSub: drive.file("in", "sub") };
}

const cidsOf = (state: DriveState, entries: readonly DriveEntry[]) =>
  entries.flatMap(({ id }) => listVersions(state.entries.get(id) ?? {}).map(({ cid }) => cid));

const refused = (code: string, option?: string) =>
  expect.objectContaining({ code, ...(option && { details: expect.objectContaining({ option }) }) });

test("folders and files are where they were created", () => {
  const { drive } = createFilled();
  expect(drive.paths()).toEqual(["docs", "docs/sub", "docs/sub/in", "top"]);
  expect(drive.get("in")).toMatchObject({ type: "file", size: 5, parent: "sub" });
});

test("an entry is found by its path, with any slashes around and in any normal form, and by what was listed", () => {
  const { drive } = createFilled();
  const { tree } = drive;
  drive.folder("été".normalize("NFC"));
  for (const path of ["docs/sub/in", "/docs/sub/in", "//docs/sub/in//"]) expect(requireEntry(tree, path).id).toBe("in");
  expect(requireEntry(drive.tree, "été".normalize("NFD")).name).toBe("été".normalize("NFC"));
  expect(toPath("/e\u0301/")).toBe("\u00e9");
  const listed = drive.get("in");
  drive.move("in", TOP);
  expect(requireEntry(drive.tree, listed)).toMatchObject({ id: "in", path: "in" });
});

test("what is not in the drive is refused", () => {
  const { drive } = createFilled();
  const listed = drive.get("in");
  drive.erase("in");
  drive.trash("top");
  const unknown = [undefined, null, 5, {}] as unknown as DriveEntry[];
  for (const entry of ["docs/other", "top", "", "/", listed, ...unknown])
    expect(() => requireEntry(drive.tree, entry)).toThrow(refused("INVALID_OPTION", "entry"));
});

test("a folder is the top, or one that is not in the trash", () => {
  const { drive } = createFilled();
  for (const top of ["", "/"]) expect(requireFolder(drive.tree, top)).toBe(TOP);
  expect(requireFolder(drive.tree, "/docs/sub/")).toBe("sub");
  expect(requireFolder(drive.tree, drive.get("sub"))).toBe("sub");
  expect(() => requireFolder(drive.tree, "top")).toThrow(refused("INVALID_OPTION", "folder"));
  expect(() => requireFolder(drive.tree, "none")).toThrow(refused("INVALID_OPTION"));
  drive.trash("docs");
  for (const id of ["docs", "sub"])
    expect(() => requireFolder(drive.tree, drive.get(id))).toThrow(refused("INVALID_OPTION", "folder"));
});

test("a name that another entry of the folder has is refused, that of one in the trash is not", () => {
  const { drive } = createFilled();
  const taken = refused("DUPLICATE_NAME");
  expect(() => drive.folder("new", TOP, "top")).toThrow(taken);
  expect(() => drive.rename("top", "docs")).toThrow(taken);
  drive.file("other", "docs", "top");
  expect(() => drive.move("other", TOP)).toThrow(taken);
  expect(() => refuseTaken(drive.tree, TOP, "top", "top")).not.toThrow();
  drive.trash("top");
  drive.move("other", TOP);
  drive.rename("other", "top");
  expect(drive.get("other").path).toBe("top");
});

test("a renamed folder has what is in it, under its new path", () => {
  const { drive } = createFilled();
  drive.rename("docs", "papers");
  expect(drive.paths()).toEqual(["papers", "papers/sub", "papers/sub/in", "top"]);
});

test("a folder cannot be moved into itself or what is in it", () => {
  const { drive } = createFilled();
  for (const parent of ["docs", "sub"])
    expect(() => drive.move("docs", parent)).toThrow(refused("INVALID_OPTION", "folder"));
  drive.move("sub", TOP);
  drive.move("docs", "sub");
  expect(drive.paths()).toEqual(["sub", "sub/docs", "sub/in", "top"]);
});

/** Two devices made `a` at the top at once: the one of `second` is shown with a number. */
function createConflict() {
  const drive = createDrive();
  const other = createDrive(drive.state, "phone1");
  drive.file("first", TOP, "a");
  other.file("second", TOP, "a");
  drive.apply(() => other.state);
  return drive;
}

test("what is shown with a number keeps this name where it is moved to", () => {
  const drive = createConflict();
  expect(drive.get("second")).toMatchObject({ path: "a (2)", conflict: "name" });
  drive.folder("docs");
  drive.move("second", "docs");
  expect(drive.get("second").path).toBe("docs/a (2)");
  expect(drive.get("second")).not.toHaveProperty("conflict");
});

test("what is shown with a number, as its folder is gone, keeps this name where it is moved to", () => {
  const drive = createDrive();
  drive.folder("gone");
  const other = createDrive(drive.state, "phone1");
  drive.file("first", TOP, "a");
  // Its clock is ahead.
  for (let at = 0; at < 5; at++) other.stamp();
  other.file("second", "gone", "a");
  drive.erase("gone");
  drive.apply(() => other.state);
  expect(drive.get("second")).toMatchObject({ path: "a (2)", conflict: "gone" });
  // It has seen the other's stamps.
  for (let at = 0; at < 10; at++) drive.stamp();
  drive.folder("docs");
  drive.move("second", "docs");
  expect(drive.get("second").path).toBe("docs/a (2)");
});

test("a folder in the trash has all in it there, until it is restored", () => {
  const { drive } = createFilled();
  drive.trash("docs");
  expect(drive.paths()).toEqual(["top"]);
  expect(drive.get("in")).toMatchObject({ trashed: true, path: "docs/sub/in" });
  drive.restore("docs");
  expect(drive.paths()).toEqual(["docs", "docs/sub", "docs/sub/in", "top"]);
});

test("what is restored from a folder that is in the trash is at the top", () => {
  const { drive } = createFilled();
  drive.trash("sub");
  drive.trash("docs");
  drive.restore("sub");
  expect(drive.paths()).toEqual(["sub", "sub/in", "top"]);
  drive.restore("docs");
  expect(drive.paths()).toEqual(["docs", "sub", "sub/in", "top"]);
});

test("what was not itself put in the trash can be taken out of a folder that was", () => {
  const { drive } = createFilled();
  drive.trash("docs");
  drive.restore("in");
  expect(drive.paths()).toEqual(["in", "top"]);
});

test("what is restored does not take its name from what has it meanwhile", () => {
  const { drive } = createFilled();
  drive.trash("top");
  drive.file("new", TOP, "top");
  drive.restore("top");
  expect([drive.get("new").path, drive.get("top").path]).toEqual(["top", "top (2)"]);
});

test("two entries of one name that one device put in the trash one after the other are no conflict", () => {
  const drive = createDrive();
  for (const id of ["first", "second"]) {
    drive.file(id, TOP, "a");
    drive.trash(id);
  }
  for (const id of ["first", "second"]) expect(drive.get(id)).not.toHaveProperty("conflict");
});

test("a new version is the current one, and an older one can be so again", () => {
  const { drive, top } = createFilled();
  const version = drive.version("top");
  expect(drive.get("top")).toMatchObject({ cid: version, size: 6, path: "top" });
  drive.apply((_, stamp, state) => restoreVersion(state, drive.get("top"), top, stamp));
  expect(drive.get("top")).toMatchObject({ cid: top, size: 5 });
  expect(cidsOf(drive.state, [drive.get("top")])).toEqual([top, version]);
});

test("a version that a file does not have cannot be restored", () => {
  const { drive, top } = createFilled();
  for (const [id, cid] of [
    ["in", top],
    ["docs", top],
    ["top", ""],
  ] as const)
    expect(() => restoreVersion(drive.state, drive.get(id), cid, drive.stamp())).toThrow(
      refused("INVALID_OPTION", "version"),
    );
});

test("what every object has is no version", () => {
  const { drive } = createFilled();
  for (const cid of ["constructor", "toString", "__proto__"])
    expect(() => restoreVersion(drive.state, drive.get("top"), cid, drive.stamp())).toThrow(
      refused("INVALID_OPTION", "version"),
    );
});

test("erasing a folder deletes all in it, trash included, and nothing else", () => {
  const { drive, top, inSub } = createFilled();
  const [version, other] = [drive.version("in"), drive.file("other", "docs")];
  drive.trash("other");
  const below = listBelow(drive.tree, drive.get("docs"));
  expect(below.map(({ id }) => id)).toEqual(["docs", "sub", "other", "in"]);
  expect(cidsOf(drive.state, below).sort()).toEqual([version, other, inSub].sort());
  drive.erase("docs");
  expect([...drive.tree.all()].map(({ id }) => id)).toEqual(["top"]);
  expect(drive.state.entries.get("in")).toMatchObject({ erased: [version, inSub].sort() });
  expect(drive.get("top")).toMatchObject({ cid: top });
});

test("erasing a file leaves what is beside it", () => {
  const { drive } = createFilled();
  drive.erase("in");
  expect(drive.paths()).toEqual(["docs", "docs/sub", "top"]);
  drive.file("again", "sub", "in");
  expect(drive.paths()).toEqual(["docs", "docs/sub", "docs/sub/in", "top"]);
});
