import { Wallet } from "ethers";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, upload } from "../../../src/index.ts";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();
/** More than the network lists on a page. */
const COUNT = 2_100;

describe.skipIf(!executablePath)("the list of an account with thousands of files", () => {
  let app: RunningApp;
  let browser: Browser;
  let alice: Person;

  beforeAll(async () => {
    [app, browser] = await Promise.all([
      startApp(),
      chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
    ]);
    const { endpoints, accounts } = app.devnet;
    const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
    const files = Array.from({ length: COUNT }, (_, at) => new File([`file ${at}.txt`], `file ${at}.txt`));
    // The network lists each file of an upload.
    await upload(files, { apiKey, endpoints });
    alice = await openBrowserAs(browser, app, wide);
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await alice.sees(`${COUNT.toLocaleString("en-US")} files`);
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const rows = () => alice.page.locator("tbody tr[aria-rowindex]");

  test("renders only the rows in sight, and knows all of them", async () => {
    expect(await rows().count()).toBeLessThan(80);
    expect(await alice.page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
    await alice.page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await alice.page.locator(`tr[aria-rowindex="${COUNT + 1}"]`).waitFor();
    expect(await rows().count()).toBeLessThan(80);
  });

  test("searches, sorts and filters the whole account; the URL keeps it", async () => {
    await alice.page.getByLabel("Search your files").fill("file 7.txt");
    await alice.page.getByRole("link", { name: "file 7.txt", exact: true }).waitFor();
    expect(await rows().count()).toBe(1);
    await alice.page.getByLabel("Search your files").fill("file 20");
    await alice.page.getByLabel("Sort by").selectOption("name-descending");
    await alice.page.locator('tr[aria-rowindex="2"]', { hasText: "file 2099.txt" }).waitFor();
    const { page } = alice;
    expect(await page.evaluate(() => location.hash)).toBe("#/files?q=file+20&sort=name-descending");
    await page.getByRole("button", { name: "Name" }).click();
    await page.locator('tr[aria-rowindex="2"]', { hasText: "file 20.txt" }).waitFor();
    await page.getByLabel("Show").selectOption("encrypted");
    await alice.sees("No matching files");
    await page.getByLabel("Show").selectOption("all");
  });

  test("Back returns to the same search and the same place", async () => {
    const { page } = alice;
    await page.getByLabel("Search your files").fill("");
    await page.getByLabel("Sort by").selectOption("name");
    await page.locator('tr[aria-rowindex="2"]', { hasText: "file 0.txt" }).waitFor();
    await page.mouse.move(700, 600);
    await page.mouse.wheel(0, 30_000);
    await page.waitForFunction(() => (history.state as { scroll?: number } | null)?.scroll === window.scrollY);
    const scrolled = await page.evaluate(() => window.scrollY);
    expect(scrolled).toBeGreaterThan(20_000);
    const inSight = await page.evaluate(
      () => document.elementFromPoint(400, 450)?.closest("tr")?.querySelector("a")?.textContent,
    );
    await page.getByRole("link", { name: inSight ?? "", exact: true }).click();
    await page.getByRole("heading", { name: inSight ?? "" }).waitFor();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    await page.waitForFunction((wanted) => window.scrollY === wanted, scrolled);
    await page.getByRole("link", { name: inSight ?? "", exact: true }).waitFor();
  });

  test("deletes what is selected, and another tab notices", async () => {
    const other = await alice.context.newPage();
    await other.goto(app.url);
    await other.getByText(`${COUNT.toLocaleString("en-US")} files`).waitFor();
    const { page } = alice;
    await page.bringToFront();
    await page.getByLabel("Search your files").fill("file 123");
    await page.getByText("file 1239.txt").waitFor();
    await page.getByLabel("Select all files").check();
    await alice.sees("11 files selected");
    await page.getByLabel("Select file 123.txt").uncheck();
    await page.getByRole("button", { name: "Delete…" }).click();
    await alice.inspect("delete-several");
    await page.getByRole("button", { name: "Delete 10 files" }).click();
    await alice.sees("Deleted 10 files");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await rows().count()).toBe(1);
    await other.bringToFront();
    await other.getByText(`${(COUNT - 10).toLocaleString("en-US")} files`).waitFor();
  });

  test("names cannot read as others, and nothing complained", async () => {
    const { endpoints, accounts } = app.devnet;
    const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
    await upload(new File(["x"], "a\u202egpj.exe"), { apiKey, endpoints });
    const { page } = alice;
    await page.getByLabel("Search your files").fill("gpj");
    await page.reload();
    await page.getByRole("link", { name: "a\ufffdgpj.exe", exact: true }).waitFor();
    await alice.inspect("files-searched");
    expect(alice.complaints).toEqual([]);
  });
});
