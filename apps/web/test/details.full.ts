import { readFile } from "node:fs/promises";
import { Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, upload } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)("the facts beside the list of files", () => {
  const started = appForTests(executablePath, {});
  let alice: Person;

  beforeAll(async () => {
    const { endpoints, accounts } = started.app.devnet;
    const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
    await upload(new File(["poster"], "poster.txt"), { apiKey, endpoints });
    alice = await openBrowserAs(started.browser, started.app, wide);
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await row("poster.txt").waitFor();
    await alice.page.getByRole("button", { name: "New folder", disabled: false }).waitFor();
    const buffer = Buffer.from("Dear Bob");
    await alice.choose("Add files", [{ name: "letter.txt", mimeType: "text/plain", buffer }]);
    await row("letter.txt").waitFor();
    await alice.sees("1 upload complete");
  }, 600_000);

  afterAll(async () => {
    expect(await alice.listLayoutShifts()).toEqual([]);
    expect(alice.complaints).toEqual([]);
  });

  const row = (name: string) => alice.page.getByRole("row", { name: new RegExp(`^${name}`) });
  const details = () => alice.page.locator(".file-details");
  /** What the facts say, by their names. */
  const readFacts = () =>
    details()
      .locator("dl > div")
      .evaluateAll((facts) =>
        Object.fromEntries(
          facts.map((each) => [each.querySelector("dt")?.textContent, each.querySelector("dd")?.textContent]),
        ),
      );

  test("are those of the row that has the focus; who has access is known without a signature", async () => {
    const { page } = alice;
    await alice.inspect("details-none");
    // Neither with room for the uploads, which are over the page.
    await page.locator(".tray").waitFor();
    const readHeight = (selector: string) => page.locator(selector).evaluate((card) => card.clientHeight);
    expect(await readHeight(".file-details")).toBeLessThanOrEqual(await readHeight(".file-list"));
    await row("letter.txt").focus();
    await expect.poll(readFacts).toMatchObject({
      Kind: "Text",
      Size: "8 bytes",
      Access: "Encrypted",
      Key: "Not checkedCheck",
      "Can view": "Only you",
    });
    await alice.inspect("details-encrypted");
    await row("poster.txt").focus();
    await expect.poll(readFacts).toMatchObject({ Access: "Public", Key: "–", "Can view": "Anyone with the CID" });
    await details().getByRole("button", { name: "Copy link" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("#/file/bafk");
    expect(await details().getByRole("button", { name: "Rename" }).isDisabled()).toBe(true);
    await details().getByRole("button", { name: "Copy CID" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^bafk\w+$/);
  });

  test("a file is downloaded and shared from there", async () => {
    const { page } = alice;
    await row("letter.txt").focus();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      details().getByRole("button", { name: "Download letter.txt" }).click(),
    ]);
    expect(await readFile(await download.path(), "utf8")).toBe("Dear Bob");
    const bob = started.app.devnet.accounts[1]?.address ?? "";
    await details().getByRole("link", { name: "Share" }).click();
    await page.getByLabel("Wallet address").fill(bob);
    await page.getByRole("button", { name: "Share", exact: true }).last().click();
    await page.getByRole("button", { name: `Revoke access of ${bob}` }).waitFor();
    await alice.openScreen("Files");
    await row("letter.txt").focus();
    const short = `${bob.slice(0, 6)}…${bob.slice(-4)}`;
    await expect.poll(async () => (await readFacts())["Can view"]?.toLowerCase()).toBe(`you${short}`.toLowerCase());
    await alice.inspect("details-shared");
  });

  test("of several files they are the number and the size", async () => {
    const { page } = alice;
    await page.keyboard.press("Control+a");
    await alice.sees("2 files selected");
    expect(await readFacts()).toEqual({ Files: "2", Folders: "0", "Total size": "14 bytes" });
    await details().getByRole("button", { name: "Clear selection" }).click();
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
  });

  test("narrower windows have none, and the bar of the selection instead", async () => {
    const other = await openBrowserAs(started.browser, started.app, { width: 1439, height: 900 });
    await other.page.getByRole("button", { name: /Alice/ }).click();
    await other.page.getByLabel("Select poster.txt").check();
    await other.page.getByRole("region", { name: "Selected files" }).waitFor();
    expect(await other.page.locator(".file-details").count()).toBe(0);
    expect(await other.page.getByRole("columnheader", { name: "Added" }).isVisible()).toBe(true);
    await other.context.close();
  });
});
