import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, onTestFinished, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { KitProvider, useFiles, useShare, useUpload, useWallet } from "../src/index.ts";
import { newAccount, watchConsole } from "./rig.tsx";

test("what a server has rendered is hydrated without a difference, then loads and uploads", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const [{ Hash: cid }] = await createKit(account).uploadTextEncrypted("hello");
  function Page() {
    const files = useFiles();
    const share = useShare(cid);
    const wallet = useWallet();
    const { uploads, upload } = useUpload();
    const add = () => upload([new File(["x"], "x.txt")]);
    const done = uploads.filter(({ state }) => state.status === "done").length;
    return (
      <button type="button" onClick={add}>
        {[files.state.status, share.state.status, wallet.state.status, `${done} of ${uploads.length}`].join(" ")}
      </button>
    );
  }
  const tree = (
    <StrictMode>
      <KitProvider options={account}>
        <Page />
      </KitProvider>
    </StrictMode>
  );
  const container = document.createElement("div");
  document.body.append(container);
  container.innerHTML = renderToString(tree);
  expect(container.textContent).toBe("loading loading disconnected 0 of 0");
  // A page has layout effects, of which React 18 warns where it renders for a server.
  complaints.length = 0;
  const differences: unknown[] = [];
  const root = hydrateRoot(container, tree, { onRecoverableError: (error) => differences.push(error) });
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  await eventually(() => expect(container.textContent).toBe("ready ready disconnected 0 of 0"));
  container.querySelector("button")?.click();
  await eventually(() => expect(container.textContent).toBe("ready ready disconnected 1 of 1"));
  expect([differences, complaints]).toEqual([[], []]);
});
