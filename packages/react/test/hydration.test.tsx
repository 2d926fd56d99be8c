import {
  dehydrate,
  HydrationBoundary,
  QueryClient,
  QueryClientProvider,
  useQuery,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { StrictMode, Suspense } from "react";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, onTestFinished, test } from "vitest";
import { render } from "vitest-browser-react";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { KitProvider, useFiles, useKitQueries, useUpload, useWallet } from "../src/index.ts";
import { createQueries } from "../src/query/index.ts";
import { newAccount, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

test("what a server has rendered is hydrated without a difference, then loads and uploads", async () => {
  const complaints = watchConsole();
  const account = await newAccount();
  const [{ Hash: cid }] = await createKit(account).uploadTextEncrypted("hello");
  function Page() {
    const files = useFiles();
    const access = useQuery(useKitQueries().access(cid));
    const wallet = useWallet();
    const { uploads, upload } = useUpload();
    const add = () => upload([new File(["x"], "x.txt")]);
    const done = uploads.filter(({ state }) => state.status === "done").length;
    return (
      <button type="button" onClick={add}>
        {[files.status, access.status, wallet.state.status, `${done} of ${uploads.length}`].join(" ")}
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
  expect(container.textContent).toBe("pending pending disconnected 0 of 0");
  // A page has layout effects, of which React 18 warns where it renders for a server.
  complaints.length = 0;
  const differences: unknown[] = [];
  const root = hydrateRoot(container, tree, { onRecoverableError: (error) => differences.push(error) });
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  await eventually(() => expect(container.textContent).toBe("success success disconnected 0 of 0"));
  container.querySelector("button")?.click();
  await eventually(() => expect(container.textContent).toBe("success success disconnected 1 of 1"));
  expect([differences, complaints]).toEqual([[], []]);
});

test("what a server has loaded is shown by the page at once, without a request", async () => {
  const account = await newAccount();
  const kit = createKit(account);
  await kit.uploadText("hello");
  const name = account.signer.address;
  const server = new QueryClient();
  await server.prefetchQuery(createQueries(kit, { account: name }).balance());
  const state = JSON.parse(JSON.stringify(dehydrate(server)));
  const requests = watchRequests();
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } });
  function Usage() {
    return <p>{useSuspenseQuery(useKitQueries().balance()).data.dataUsed} bytes</p>;
  }
  const screen = await render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <HydrationBoundary state={state}>
          <KitProvider options={account} account={name}>
            <Suspense fallback="loading">
              <Usage />
            </Suspense>
          </KitProvider>
        </HydrationBoundary>
      </QueryClientProvider>
    </StrictMode>,
  );
  onTestFinished(() => screen.unmount());
  expect(screen.container.textContent).toBe("5 bytes");
  expect(requests.countStarted()).toBe(0);
});
