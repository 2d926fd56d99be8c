import { gzipSync } from "node:zlib";
import { Wallet } from "ethers";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import { createApiKey } from "../../src/index.ts";

/** A string that only scripts with code of ethers contain. */
const ETHERS = "bad address checksum";

/** The functions that `apps/plain/jobs.js` adds to the page. */
declare global {
  var jobs: {
    encryptShareDecrypt(): Promise<boolean>;
    setConditions(): Promise<{ description: string; saved: string[] }>;
    pay(): Promise<string>;
    showFiles(): Promise<void> | void;
  };
}

/** A built page, with what it has logged and loaded. */
export interface OpenPage {
  page: Page;
  /** Errors and warnings. */
  problems: string[];
  /** Scripts loaded so far. */
  scripts(): Promise<string[]>;
}

/** Opens an app in a new browser context, with the accounts of two people; their keys stay outside of the page. */
export async function openPage(browser: Browser, devnet: Devnet, url: string): Promise<OpenPage> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const problems: string[] = [];
  const loading: Promise<string>[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") loading.push(response.text());
  });
  const { endpoints, accounts } = devnet;
  const wallets = accounts.slice(0, 2).map(({ privateKey }) => new Wallet(privateKey));
  const [alice, bob] = wallets;
  if (!alice || !bob) throw new Error("the devnet has no two accounts");
  const apiKey = await createApiKey({ endpoints, signer: alice });
  await context.exposeFunction("signFor", (address: string, message: string) =>
    wallets.find((wallet) => wallet.address === address)?.signMessage(message),
  );
  await context.addInitScript((testOptions) => Object.assign(globalThis, { testOptions }), {
    endpoints,
    apiKey,
    alice: alice.address,
    bob: bob.address,
  });
  await page.goto(url);
  await page.waitForFunction(() => "jobs" in globalThis);
  return { page, problems, scripts: () => Promise.all(loading) };
}

/** Runs the jobs of the page, and checks what it loads for each. */
export async function runJobs({ page, problems, scripts }: OpenPage, name: string): Promise<void> {
  const first = (await scripts()).map((text) => gzipSync(text).length);
  console.log(`${name}: ${first.reduce((sum, bytes) => sum + bytes, 0)} bytes of scripts at first, compressed`);

  expect(await page.evaluate(() => globalThis.jobs.encryptShareDecrypt())).toBe(true);
  expect(await page.evaluate(() => globalThis.jobs.setConditions())).toEqual({
    description: expect.stringContaining("block"),
    saved: ["getBlockNumber"],
  });

  await page.evaluate(() => globalThis.jobs.showFiles());
  const file = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("with hooks") };
  await page.locator("input[type=file]").setInputFiles(file);
  await page.getByRole("button", { name: "Open note.txt" }).click();
  const opened = await page.getByRole("link", { name: "Opened" }).getAttribute("href");
  expect(await page.evaluate(async (url) => (await fetch(url)).text(), opened ?? "")).toBe("with hooks");

  const withEthers = async () => (await scripts()).filter((text) => text.includes(ETHERS)).length;
  expect(await withEthers()).toBe(0);
  expect(await page.evaluate(() => globalThis.jobs.pay())).toBe("PAYMENT_REJECTED");
  expect(await withEthers()).toBeGreaterThan(0);
  expect(problems).toEqual([]);
}
