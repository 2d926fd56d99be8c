import { afterAll, beforeAll, expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { registerMediaWorker } from "../../../test/support/media-page.ts";
import { useMediaUrl } from "../src/index.ts";
import { newAccount, renderHook, watchConsole } from "./rig.tsx";

let unregister: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  unregister = await registerMediaWorker();
});
afterAll(() => unregister?.());

async function storeText(text: string) {
  const account = await newAccount();
  const kit = createKit(account);
  const [encrypted] = await kit.uploadTextEncrypted(text);
  const [plain] = await kit.uploadText(text);
  return { account, kit, encrypted: encrypted?.Hash ?? "", plain: plain?.Hash ?? "" };
}

const read = async (url: string | undefined) => {
  const response = await fetch(url ?? "");
  return response.ok ? response.text() : response.status;
};

test("an encrypted file has a URL until its component unmounts", async () => {
  const complaints = watchConsole();
  const { account, encrypted } = await storeText("grüße");
  const hook = await renderHook(() => useMediaUrl(encrypted, { encrypted: true }), account);
  expect(hook.all[0]).toMatchObject({ url: undefined, error: undefined });
  await eventually(() => expect(hook.now.url).toBeDefined());
  const { url } = hook.now;
  expect(new Set(hook.all.map((value) => value.url))).toEqual(new Set([undefined, url]));
  expect(await read(url)).toBe("grüße");
  await hook.unmount();
  expect(await read(url)).toBe(404);
  expect(complaints).toEqual([]);
});

test("another file, and another account, take the place of the previous one", async () => {
  const { account, kit, encrypted, plain } = await storeText("secret of A");
  let source: Parameters<typeof useMediaUrl>[0] = plain;
  const hook = await renderHook(() => useMediaUrl(source, { encrypted: source === encrypted }), account);
  await eventually(() => expect(hook.now.url).toBeDefined());
  const first = hook.now.url;
  source = encrypted;
  await hook.provide({ ...account, timeoutMs: 7_000 });
  await eventually(() => expect(hook.now.url).toBeDefined());
  const second = hook.now.url;
  expect(second).not.toBe(first);
  expect([await read(first), await read(second)]).toEqual([404, "secret of A"]);

  const before = hook.all.length;
  await hook.provide(await newAccount());
  await eventually(() => expect(hook.now.error).toMatchObject({ code: "NODE_REFUSED" }));
  expect(hook.all.slice(before).flatMap(({ url }) => url ?? [])).toEqual([]);
  expect(await read(second)).toBe(404);

  source = await kit.openEncrypted(encrypted);
  hook.now.retry();
  await eventually(() => expect(hook.now.url).toBeDefined());
  expect(hook.now.error).toBeUndefined();
  expect(await read(hook.now.url)).toBe("secret of A");
});

test("without a file there is neither a URL nor an error", async () => {
  const hook = await renderHook(() => useMediaUrl(undefined), await newAccount());
  expect(hook.now).toMatchObject({ url: undefined, error: undefined });
});

test("a part that cannot be read is an error, and the URL stays", async () => {
  const fail = () => Promise.reject(new Error("the gateway is down"));
  const file = { size: 9, read: fail, stream: () => new ReadableStream() };
  const hook = await renderHook(() => useMediaUrl(file), await newAccount());
  await eventually(() => expect(hook.now.url).toBeDefined());
  const { url } = hook.now;
  await expect(fetch(url ?? "")).rejects.toThrow(TypeError);
  await eventually(() => expect(hook.now.error?.message).toBe("the gateway is down"));
  expect(hook.now.url).toBe(url);
});
