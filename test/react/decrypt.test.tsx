import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createKit } from "../../src/index.ts";
import { useDecrypt, useDownload } from "../../src/react/index.ts";
import { eventually } from "../support/eventually.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";
import { watchRequests } from "./traffic.ts";

async function stored(text: string) {
  const account = await newAccount();
  const kit = createKit(account);
  const [encrypted] = await kit.uploadTextEncrypted(text);
  const [plain] = await kit.uploadText(text);
  return { account, encrypted: encrypted?.Hash ?? "", plain: plain?.Hash ?? "" };
}

async function isAlive(url: string): Promise<boolean> {
  return fetch(url).then(
    (answer) => answer.ok,
    () => false,
  );
}

test("a decrypted file is a Blob with an object URL that is revoked when the component goes", async () => {
  const heard = watchConsole();
  const { account, encrypted } = await stored("grüße");
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
  expect(requests.begun()).toBe(0);
  expect(heard).toEqual([]);
});

test("the next file, and a reset, revoke the one before", async () => {
  const { account, encrypted } = await stored("one");
  const hook = await renderHook(() => useDecrypt({ type: "text/plain" }), account);
  const first = await hook.now.decrypt(encrypted);
  const second = await hook.now.retry();
  expect(await isAlive(first?.url ?? "")).toBe(false);
  expect(await isAlive(second?.url ?? "")).toBe(true);
  hook.now.reset();
  expect(await isAlive(second?.url ?? "")).toBe(false);
  await eventually(() => expect(hook.now.state).toEqual({ status: "idle" }));
});

test("somebody else is refused, which the state tells", async () => {
  const { encrypted } = await stored("mine");
  const hook = await renderHook(() => useDecrypt(), await newAccount());
  expect(await hook.now.decrypt(encrypted)).toBeUndefined();
  await eventually(() => expect(hook.now.state).toMatchObject({ status: "failed", error: { code: "NODE_REFUSED" } }));
});

test("a decryption tells how far it is, and a component that goes in the middle of it leaves nothing behind", async () => {
  const heard = watchConsole();
  const { account, encrypted } = await stored("x".repeat(300_000));
  const requests = watchRequests();
  const hook = await renderHook(() => useDecrypt(), account);
  await hook.now.decrypt(encrypted);
  await eventually(() => expect(hook.now.state.status).toBe("done"));
  const fractions = hook.all.flatMap(({ state }) =>
    state.status === "running" ? (state.progress?.fraction ?? 0) : [],
  );
  expect(fractions.length).toBeGreaterThan(1);
  expect(fractions).toEqual([...fractions].sort((one, other) => one - other));

  const opening = hook.now.decrypt(encrypted);
  await hook.unmount();
  const rendered = hook.all.length;
  expect(await opening).toBeUndefined();
  await eventually(() => expect(requests.open()).toBe(0));
  expect(hook.all.length).toBe(rendered);
  expect(heard).toEqual([]);
});

test("an aborted decryption says so and leaves no request", async () => {
  const { account, encrypted } = await stored("one");
  const requests = watchRequests();
  const hook = await renderHook(() => useDecrypt(), account);
  const opening = hook.now.decrypt(encrypted);
  hook.now.abort();
  expect(await opening).toBeUndefined();
  await eventually(() => expect(hook.now.state).toEqual({ status: "aborted" }));
  await eventually(() => expect(requests.open()).toBe(0));
});

test("what one account has opened is shown to no other one, in no rendering", async () => {
  const heard = watchConsole();
  const { account, encrypted, plain } = await stored("secret of A");
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
  // Neither does what is left of the one before begin anything.
  expect(await Promise.all([hook.now.decrypting.retry(), decrypt(encrypted)])).toEqual([undefined, undefined]);
  expect(hook.now.decrypting.state).toEqual({ status: "idle" });
  expect(heard).toEqual([]);
});

test("a decryption that is running when another account comes is ended", async () => {
  const { account, encrypted } = await stored("x".repeat(300_000));
  const requests = watchRequests();
  const hook = await renderHook(() => useDecrypt(), account);
  const opening = hook.now.decrypt(encrypted);
  await hook.provide({ ...account, signer: Wallet.createRandom() });
  expect(await opening).toBeUndefined();
  await eventually(() => expect(requests.open()).toBe(0));
  expect(hook.now.state).toEqual({ status: "idle" });
});

test("a public file is downloaded as it is stored", async () => {
  const { account, plain } = await stored("for everyone");
  const hook = await renderHook(() => useDownload(), account);
  const file = await hook.now.download(plain);
  expect(await file?.blob.text()).toBe("for everyone");
  await hook.unmount();
  expect(await isAlive(file?.url ?? "")).toBe(false);
});
