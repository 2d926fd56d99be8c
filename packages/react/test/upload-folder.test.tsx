import { expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useUploadEncrypted } from "../src/index.ts";
import { newAccount, renderHook } from "./rig.tsx";
import { breakRequests } from "./traffic.ts";

const tree = { "a/b.txt": "one", "a-b.txt": "two", "c.txt": "three" };

function toFiles(name: string): File[] {
  return Object.entries(tree).map(([path, text]) => {
    const file = new File([text], path.split("/").at(-1) ?? "");
    Object.defineProperty(file, "webkitRelativePath", { value: `${name}/${path}` });
    return file;
  });
}

test("a folder is one upload that keeps its paths; files beside it are uploaded as such", async () => {
  const account = await newAccount();
  const hook = await renderHook(() => useUploadEncrypted({ keepFolder: true }), account);
  hook.now.upload([toFiles("Photos"), new File(["four"], "d.txt")]);
  await eventually(() => expect(hook.now.total.count.done).toBe(2));
  const [folder, file] = hook.now.uploads.map(({ name, state }) => ({ name, state }));
  if (folder?.state.status !== "done" || file?.state.status !== "done") throw new Error("they are not done");
  expect(folder).toMatchObject({ name: "Photos", state: { files: [{ Name: "Photos" }, {}, {}, {}] } });
  expect(file.state.files).toHaveLength(1);
  const opened = await createKit(account).readEncryptedFolder(folder.state.files[0].Hash, { signer: account.signer });
  expect(opened.files.map(({ path }) => path).sort()).toEqual(Object.keys(tree).sort());
});

test("a folder that failed is continued by a retry, also without a journal", async () => {
  const account = await newAccount();
  const hook = await renderHook(() => useUploadEncrypted({ keepFolder: true }), account);
  const restore = breakRequests("/api/setSharedKey/");
  hook.now.upload([toFiles("Photos")]);
  await eventually(() => expect(hook.now.total.count.failed).toBe(1));
  restore();
  hook.now.retry();
  await eventually(() => expect(hook.now.total.count.done).toBe(1));
  const state = hook.now.uploads[0]?.state;
  if (state?.status !== "done") throw new Error("it is not done");
  const { fileList } = await createKit(account).listFiles();
  expect(fileList).toHaveLength(4);
  const opened = await createKit(account).readEncryptedFolder(state.files[0].Hash, { signer: account.signer });
  expect(opened.name).toBe("Photos");
});
