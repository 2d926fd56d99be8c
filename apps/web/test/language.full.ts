import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)(
  "the web app in the reader's language",
  () => {
    const web = appForTests(executablePath, { chain: false });

    async function open(locale: string): Promise<Page> {
      const context = await web.browser.newContext({ locale });
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(web.app.url);
      await page.getByRole("button", { name: /Alice/ }).click();
      return page;
    }
    const getLanguage = (page: Page) => page.evaluate(() => document.documentElement.lang);

    test("a German browser shows German, until English is chosen, also after a reload", async () => {
      const page = await open("de-AT");
      await page.getByRole("link", { name: "Speicher" }).click();
      await page.getByRole("heading", { name: "Belegter Speicher" }).waitFor();
      await page.getByText(/^von 100\sGiB · 0\s%\sbelegt$/).waitFor();
      expect(await getLanguage(page)).toBe("de");

      await page.getByRole("link", { name: "Einstellungen" }).click();
      await page.getByText("English", { exact: true }).click();
      await page.getByRole("link", { name: "Storage" }).click();
      await page.getByRole("heading", { name: "Storage used" }).waitFor();
      await page.getByText("of 100 GiB · 0% used").waitFor();
      expect(await getLanguage(page)).toBe("en");
      await page.reload();
      await page.getByRole("heading", { name: "Storage used" }).waitFor();
      expect(await getLanguage(page)).toBe("en");
      await page.context().close();
    });

    test("a German browser that cannot load the German texts shows the app in English", async () => {
      const context = await web.browser.newContext({ locale: "de-DE" });
      await context.route("**/assets/de-*", (route) => route.abort());
      const page = await context.newPage();
      await page.goto(web.app.url);
      await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      expect(await getLanguage(page)).toBe("en");
      await context.close();
    });

    test("another browser shows English; German is loaded once it is chosen", async () => {
      const page = await open("fr-FR");
      const chunks: string[] = [];
      page.on("request", (request) => chunks.push(new URL(request.url()).pathname));
      await page.getByRole("link", { name: "Names" }).click();
      await page.getByRole("heading", { name: "Names", exact: true }).waitFor();
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByText("Deutsch", { exact: true }).click();
      await page.getByRole("heading", { name: "Einstellungen", exact: true }).waitFor();
      expect(chunks.filter((path) => path.startsWith("/assets/de-"))).toHaveLength(1);
      await page.context().close();
    });
  },
  600_000,
);
