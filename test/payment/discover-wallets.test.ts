import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { discoverWallets } from "../../src/network/ethereum/wallet/eip-6963.ts";
import { failure } from "../support/failure.ts";

/** The window of a page, which counts its listeners. */
let page: EventTarget & { listeners: number };

beforeEach(() => {
  page = Object.assign(new EventTarget(), { listeners: 0 });
  const add = page.addEventListener.bind(page);
  const remove = page.removeEventListener.bind(page);
  page.addEventListener = (...args: Parameters<typeof add>) => {
    page.listeners += 1;
    add(...args);
  };
  page.removeEventListener = (...args: Parameters<typeof remove>) => {
    page.listeners -= 1;
    remove(...args);
  };
  vi.stubGlobal("window", page);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Installs a wallet that announces itself on request. */
function install(detail: unknown, times = 1): void {
  EventTarget.prototype.addEventListener.call(page, "eip6963:requestProvider", () => {
    for (let time = 0; time < times; time++) {
      page.dispatchEvent(Object.assign(new Event("eip6963:announceProvider"), { detail }));
    }
  });
}

const info = (uuid: string) => ({ uuid, name: `Wallet ${uuid}`, icon: "data:image/svg+xml,", rdns: "org.example" });
const provider = { request: async () => null };

test("every wallet of the page is found once, with its provider", async () => {
  install({ info: info("a"), provider }, 3);
  install({ info: info("b"), provider });
  const found = await discoverWallets({ waitMs: 5 });
  expect(found).toEqual([
    { ...info("a"), provider },
    { ...info("b"), provider },
  ]);
  expect(found[0]?.provider).toBe(provider);
  expect(page.listeners).toBe(0);
});

test.each([
  undefined,
  {},
  { info: info("a") },
  { info: info("a"), provider: {} },
  { info: { uuid: "a" }, provider },
  { info: { ...info("a"), icon: 5 }, provider },
])("an announcement that does not follow the standard is ignored: %j", async (detail) => {
  install(detail);
  expect(await discoverWallets({ waitMs: 5 })).toEqual([]);
});

test("the search can be aborted, and stops listening", async () => {
  const controller = new AbortController();
  const searching = failure(discoverWallets({ waitMs: 60_000, signal: controller.signal }));
  controller.abort();
  expect((await searching).code).toBe("ABORTED");
  expect(page.listeners).toBe(0);
});

test("without a page there are no wallets", async () => {
  vi.unstubAllGlobals();
  expect(await discoverWallets()).toEqual([]);
});

test("a wrong waitMs is refused", async () => {
  expect(await failure(discoverWallets({ waitMs: -1 }))).toMatchObject({ code: "INVALID_OPTION" });
});
