import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useDecrypt, useDownload } from "../src/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

async function storeText(text: string) {
  const account = await newAccount();
  const kit = createKit(account);
  const [encrypted] = await kit.uploadTextEncrypted(text);
  const [plain] = await kit.uploadText(text);
  return { account, encrypted: encrypted?.Hash ?? "", plain: plain?.Hash ?? "" };
}

async function isAlive(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

test("a decrypted file is a Blob with an object URL that is revoked on unmount", async () => {
  const complaints = watchConsole();
  const { account, encrypted } = await storeText("grüße");
  const hook = await renderHook(() => useDecrypt(), account);
  expect(hook.now.state).toEqual({ status: "idle" });
  const file = await hook.now.decrypt(encrypted, { type: "text/plain" });
  await eventually(() => expect(hook.now.state.status).toBe("done"));
  expect(file).toMatchObject({ cid: encrypted, blob: { type: "text/plain" } });
  expect(file?.report?.nodes).toHaveLength(3);
  expect(await (await fetch(file?.url ?? "")).text()).toBe("grüße");
  const { decrypt, retry } = hook.now;
  await hook.unmount();
  expect(await isAlive(file?.url ?? "")).toBe(false);
  const requests = watchRequests();
  expect(await Promise.all([decrypt(encrypted), retry()])).toEqual([undefined, undefined]);
  expect(requests.countStarted()).toBe(0);
  expect(complaints).toEqual([]);
});

test("the next file, and a reset, revoke the previous one", async () => {
  const { account, encrypted } = await storeText("one");
  const hook = await renderHook(() => useDecrypt(), account);
  const options = { type: "text/plain" };
  const first = await hook.now.decrypt(encrypted, options);
  options.type = "text/html";
  const second = await hook.now.retry();
  expect(second?.blob.type).toBe("text/plain");
  expect(await isAlive(first?.url ?? "")).toBe(false);
  expect(await isAlive(second?.url ?? "")).toBe(true);
  hook.now.reset();
  expect(await isAlive(second?.url ?? "")).toBe(false);
  await eventually(() => expect(hook.now.state).toEqual({ status: "idle" }));
});

test("another account is refused, and the state holds the error", async () => {
  const { encrypted } = await storeText("mine");
  const hook = await renderHook(() => useDecrypt(), await newAccount());
  expect(await hook.now.decrypt(encrypted)).toBeUndefined();
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "NODE_REFUSED" } }));
});

test("a decryption reports its progress, and unmounting during one leaves no request and renders nothing", async () => {
  const complaints = watchConsole();
  const { account, encrypted } = await storeText("x".repeat(300_000));
  const requests = watchRequests();
  const hook = await renderHook(() => useDecrypt(), account);
  await hook.now.decrypt(encrypted);
  await eventually(() => expect(hook.now.state.status).toBe("done"));
  const fractions = hook.all.flatMap(({ state }) =>
    state.status === "running" ? (state.progress?.fraction ?? 0) : [],
  );
  expect(fractions.length).toBeGreaterThan(1);
  expect(fractions).toEqual([...fractions].sort((one, other) => one - other));

  const decrypting = hook.now.decrypt(encrypted);
  await hook.unmount();
  const rendered = hook.all.length;
  expect(await decrypting).toBeUndefined();
  await eventually(() => expect(requests.countOpen()).toBe(0));
  expect(hook.all.length).toBe(rendered);
  expect(complaints).toEqual([]);
});

test("an aborted decryption has the status `aborted` and leaves no request", async () => {
  const { account, encrypted } = await storeText("one");
  const requests = watchRequests();
  const hook = await renderHook(() => useDecrypt(), account);
  const decrypting = hook.now.decrypt(encrypted);
  hook.now.abort();
  expect(await decrypting).toBeUndefined();
  await eventually(() => expect(hook.now.state).toEqual({ status: "aborted" }));
  await eventually(() => expect(requests.countOpen()).toBe(0));
});

test("no rendering shows one account what another has opened", async () => {
  const complaints = watchConsole();
  const { account, encrypted, plain } = await storeText("secret of A");
  const hook = await renderHook(() => ({ decrypting: useDecrypt(), downloading: useDownload() }), account);
  const { decrypt } = hook.now.decrypting;
  const opened = await decrypt(encrypted);
  const fetched = await hook.now.downloading.download(plain);
  await eventually(() => expect(hook.now.downloading.state.status).toBe("done"));
  const before = hook.all.length;

  await hook.provide(await newAccount());
  const seen = hook.all.slice(before).flatMap(({ decrypting, downloading }) => [decrypting.state, downloading.state]);
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(["idle"]));
  expect(await isAlive(opened?.url ?? "")).toBe(false);
  expect(await isAlive(fetched?.url ?? "")).toBe(false);
  // Functions of the previous account start nothing either.
  expect(await Promise.all([hook.now.decrypting.retry(), decrypt(encrypted)])).toEqual([undefined, undefined]);
  expect(hook.now.decrypting.state).toEqual({ status: "idle" });
  expect(complaints).toEqual([]);
});

test("switching to another account aborts a running decryption", async () => {
  const { account, encrypted } = await storeText("x".repeat(300_000));
  const requests = watchRequests();
  const hook = await renderHook(() => useDecrypt(), account);
  const decrypting = hook.now.decrypt(encrypted);
  await hook.provide({ ...account, signer: Wallet.createRandom() });
  expect(await decrypting).toBeUndefined();
  await eventually(() => expect(requests.countOpen()).toBe(0));
  expect(hook.now.state).toEqual({ status: "idle" });
});

test("a public file is downloaded unchanged", async () => {
  const { account, plain } = await storeText("for everyone");
  const hook = await renderHook(() => useDownload(), account);
  const file = await hook.now.download(plain);
  expect(await file?.blob.text()).toBe("for everyone");
  await hook.unmount();
  expect(await isAlive(file?.url ?? "")).toBe(false);
});
