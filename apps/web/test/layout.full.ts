import { Wallet } from "ethers";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { createApiKey, kavachShare, uploadEncrypted } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { findLayoutFaults } from "./layout-faults.ts";
import { listRows } from "./listed-rows.ts";

const executablePath = await findChromium();
const widths = [375, 768, 1024, 1440] as const;
const screens = ["trash", "shared", "contacts", "names", "storage", "settings"] as const;
const tabs = ["preview", "people", "conditions", "proof"] as const;

describe.skipIf(!executablePath)(
  "the layout of the web app",
  () => {
    const web = appForTests(executablePath, { chain: false });

    /** Opens the app; with `count`, its account has so many files. */
    async function open(locale: string, count?: number): Promise<Page> {
      const context = await web.browser.newContext({ locale, colorScheme: locale === "de-DE" ? "dark" : "light" });
      if (count !== undefined) {
        await context.route("**/api/user/files_uploaded*", (route) =>
          route.fulfill({
            headers: { "access-control-allow-origin": "*" },
            json: { fileList: listRows(count), totalFiles: count },
          }),
        );
      }
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(web.app.url);
      await page.getByRole("button", { name: /Alice/ }).click();
      await page.locator(count ? `.file-table[aria-rowcount="${count + 1}"]` : "#main h1").waitFor();
      return page;
    }

    /** Stores a file of the app's first account, which five people can open; returns its content id. */
    async function storeShared(): Promise<string> {
      const { accounts, endpoints } = web.app.devnet;
      const signer = new Wallet(accounts[0]?.privateKey ?? "");
      const apiKey = await createApiKey({ signer, endpoints });
      const source = new File(["Dear Sir"], "a letter with a name that is as long as some names are.txt");
      const [stored] = await uploadEncrypted(source, { signer, apiKey, endpoints });
      const cid = stored?.Hash ?? "";
      const people = Array.from({ length: 5 }, () => Wallet.createRandom().address);
      await kavachShare(cid, { signer, shareTo: people, endpoints });
      return cid;
    }

    async function show(page: Page, hash: string): Promise<void> {
      await page.evaluate(async (fragment) => {
        location.hash = fragment;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, hash);
      await page.locator("#main [aria-busy=true]").waitFor({ state: "detached" });
    }

    /** Lists the faults of a screen in windows of all widths, from its top to its end. */
    async function listFaults(page: Page, screen: string): Promise<string[]> {
      const faults: string[] = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 812 });
        for (const share of [0, 0.5, 1]) {
          await page.evaluate(async (at) => {
            window.scrollTo(0, at * document.documentElement.scrollHeight);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          }, share);
          const found = await page.evaluate(findLayoutFaults, 200);
          faults.push(...found.map((fault) => `${screen}, ${width} px, at ${share}: ${fault}`));
        }
      }
      return faults;
    }

    test.each([
      ["en-US", 0],
      ["de-DE", 7],
      ["en-US", 60],
      ["de-DE", 10_000],
    ])("%s: nothing is too wide, cut off, overlapped or blank in a list of %i files", async (locale, count) => {
      const page = await open(locale, count);
      expect(await listFaults(page, "#/files")).toEqual([]);
      await page.context().close();
    });

    test.each(["en-US", "de-DE"])("%s: nothing is on any other screen", async (locale) => {
      const cid = await storeShared();
      const page = await open(locale);
      const faults: string[] = [];
      for (const hash of [...screens.map((screen) => `#/${screen}`), ...tabs.map((tab) => `#/file/${cid}/${tab}`)]) {
        await show(page, hash);
        faults.push(...(await listFaults(page, hash)));
      }
      expect(faults).toEqual([]);
      await page.context().close();
    });
  },
  600_000,
);
