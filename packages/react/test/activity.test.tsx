import { Activity, type ReactElement } from "react";
import { expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { KitProvider, useDownload, useUploadEncrypted } from "../src/index.ts";
import { listNames, newAccount, renderTree, watchConsole } from "./rig.tsx";
import { holdRequests, watchRequests } from "./traffic.ts";

test.each(["the component", "the provider"])("uploads continue while an Activity hides %s", async (hidden) => {
  const complaints = watchConsole();
  const account = await newAccount();
  const seen: ReturnType<typeof useUploadEncrypted>[] = [];
  function Uploader() {
    seen.push(useUploadEncrypted());
    return <p>uploads</p>;
  }
  const isOutside = hidden === "the provider";
  const hide = (mode: "visible" | "hidden", isHere: boolean, child: ReactElement) =>
    isHere ? <Activity mode={mode}>{child}</Activity> : child;
  const tree = await renderTree<"visible" | "hidden">(
    (mode) =>
      hide(mode, isOutside, <KitProvider options={account}>{hide(mode, !isOutside, <Uploader />)}</KitProvider>),
    "visible",
  );
  const release = holdRequests("/api/v0/add");
  seen.at(-1)?.upload([new File(["a"], "a.bin")]);
  await tree.show("hidden");
  release();
  await eventually(async () => expect(await listNames(account)).toEqual(["a.bin"]));
  await tree.show("visible");
  await eventually(() => expect(seen.at(-1)?.total.count.done).toBe(1));
  const requests = watchRequests();
  await tree.unmount();
  expect(seen.at(-1)?.upload([new File(["b"], "late.bin")])).toEqual([]);
  expect(requests.countStarted()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a download continues while an Activity hides its component, and its file is shown afterwards", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const [stored] = await createKit(account).uploadText("text");
  const seen: ReturnType<typeof useDownload>[] = [];
  function Downloader() {
    seen.push(useDownload());
    return <p>download</p>;
  }
  const tree = await renderTree<"visible" | "hidden">(
    (mode) => (
      <KitProvider options={account}>
        <Activity mode={mode}>
          <Downloader />
        </Activity>
      </KitProvider>
    ),
    "visible",
  );
  const release = holdRequests("/ipfs/");
  const downloading = seen.at(-1)?.download(stored?.Hash ?? "");
  await tree.show("hidden");
  release();
  expect(await (await downloading)?.blob.text()).toBe("text");
  await tree.show("visible");
  await eventually(() => expect(seen.at(-1)?.state.status).toBe("done"));
  expect(complaints).toEqual([]);
});
