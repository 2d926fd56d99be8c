import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";
import { injectWallet, type TestWallet } from "./test-wallet.ts";

const executablePath = await findChromium();
const MINUTES = 600_000;
const HOUR_MS = 3_600_000;

describe.skipIf(!executablePath)(
  "a session in the web app",
  () => {
    const web = appForTests(executablePath, {});
    let alice: Person;
    let wallet: TestWallet;

    beforeEach(async () => {
      alice = await openBrowserAs(web.browser, web.app, wide);
      wallet = await injectWallet(alice, web.app);
    });
    afterEach(() => alice.context.close());

    const addressOf = (at: number) => web.app.devnet.accounts[at]?.address.toLowerCase() ?? "";
    const short = (at: number) => `${addressOf(at).slice(0, 6)}…${addressOf(at).slice(-4)}`;
    const lock = (page: Page) => page.locator(".account-card").getByRole("button", { name: "Lock", exact: true });
    const isSignedOut = (page: Page) => page.getByRole("heading", { name: "Connect a wallet" }).waitFor();

    async function signIn(page = alice.page, name = /Harbour Wallet/): Promise<void> {
      await page.getByRole("button", { name }).click();
      await lock(page).waitFor();
      await waitForFolders(page);
    }

    async function showsAccount(page: Page, at: number): Promise<void> {
      await lock(page).waitFor();
      await page
        .locator(".account-card")
        .getByText(new RegExp(short(at), "i"))
        .waitFor();
    }

    async function openTab(url = web.app.url): Promise<Page> {
      const page = await alice.context.newPage();
      page.setDefaultTimeout(120_000);
      page.on("filechooser", () => undefined);
      await page.goto(url);
      return page;
    }

    const addFile = (name: string) =>
      alice.choose("Add files", { name, mimeType: "text/plain", buffer: Buffer.from(`text of ${name}`) });

    async function signOut(page = alice.page): Promise<void> {
      await page.getByRole("link", { name: "Settings", exact: true }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
    }

    const listKept = (page = alice.page) =>
      page.evaluate(async () => ({
        databases: (await indexedDB.databases()).map(({ name = "" }) => name).sort(),
        local: Object.entries(localStorage).join(),
      }));

    test("two signatures last for reloads, new tabs and links, without a prompt and without the connect screen", async () => {
      await signIn();
      expect(wallet.count("personal_sign")).toBe(2);
      await addFile("kept.txt");
      await alice.sees("1 upload complete");
      await alice.context.addInitScript(() => {
        new MutationObserver(() => {
          if (document.querySelector(".connect")) Object.assign(window, { wasAsked: true });
        }).observe(document, { childList: true, subtree: true });
      });
      await alice.page.reload();
      await showsAccount(alice.page, 0);
      await alice.page.getByRole("link", { name: "kept.txt", exact: true }).waitFor();
      const tab = await openTab();
      await showsAccount(tab, 0);
      const href = await alice.page.getByRole("link", { name: "kept.txt", exact: true }).getAttribute("href");
      const linked = await openTab(new URL(href ?? "", web.app.url).href);
      await showsAccount(linked, 0);
      await linked.getByText("text of kept.txt").waitFor();
      for (const page of [alice.page, tab, linked]) expect(await page.evaluate("'wasAsked' in window")).toBe(false);
      expect(wallet.count("personal_sign")).toBe(2);
      expect(wallet.count("eth_requestAccounts")).toBe(0);
      expect(await alice.listLayoutShifts()).toEqual([]);
      expect(alice.complaints).toEqual([]);
    });

    test("a lock in one tab ends all, and what is not complete is offered after the next sign-in", async () => {
      await signIn();
      const restore = web.app.devnet.faults.add({
        service: "keyNodes",
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await addFile("letter.txt");
      await alice.sees(/upload failed|Key saved on 0/);
      restore();
      const tab = await openTab();
      await showsAccount(tab, 0);
      await lock(tab).click();
      await Promise.all([isSignedOut(tab), isSignedOut(alice.page)]);
      await alice.page.reload();
      await isSignedOut(alice.page);
      expect(JSON.stringify(await listKept())).not.toContain(addressOf(0).slice(2));
      await signIn();
      await alice.sees("1 upload was interrupted");
    });

    test("signing out removes all of the account, and asks before unfinished uploads are lost", async () => {
      await signIn();
      const restore = web.app.devnet.faults.add({
        service: "keyNodes",
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await addFile("unsaved.txt");
      await alice.sees(/upload failed|Key saved on 0/);
      await signOut();
      const dialog = alice.page.getByRole("dialog", { name: "Sign out and discard unfinished work?" });
      await dialog.getByText(/1 upload is not complete/).waitFor();
      await alice.inspect("sign-out-unfinished");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await lock(alice.page).waitFor();
      restore();
      await signOut();
      await dialog.getByRole("button", { name: "Discard and sign out" }).click();
      await isSignedOut(alice.page);
      await expect.poll(listKept).toEqual({ databases: ["keeplight"], local: "" });
    });

    test("signing out asks before changes of folders are lost that only this browser has", async () => {
      await signIn();
      const restore = web.app.devnet.faults.add({
        service: "upload",
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await alice.page.getByRole("button", { name: "New folder" }).click();
      await alice.page.getByRole("dialog").getByLabel("Name").fill("Harbour");
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("link", { name: "Harbour", exact: true }).waitFor();
      await signOut();
      const dialog = alice.page.getByRole("dialog", { name: "Sign out and discard unfinished work?" });
      await dialog.getByText(/^Your latest changes to files, folders or contacts are only in this browser\./).waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      restore();
    });

    test("a session ends when its user wants it to", async () => {
      await alice.page.clock.install();
      await signIn();
      await alice.openScreen("Settings");
      const lasts = alice.page.getByLabel("Stay signed in for");
      expect(await lasts.inputValue()).toBe("day");
      await lasts.selectOption("1 hour");
      await expect.poll(() => lasts.inputValue()).toBe("hour");
      await alice.page.clock.fastForward(HOUR_MS - 60_000);
      await lock(alice.page).waitFor();
      await alice.page.clock.fastForward(2 * 60_000);
      await isSignedOut(alice.page);
      await alice.page.reload();
      await isSignedOut(alice.page);
    });

    test("paying after a reload connects the account's wallet, and refuses another one's", async ({ skip }) => {
      if (!web.app.devnet.chain) skip("no anvil, so no chain to pay on");
      await signIn(alice.page, /Alice/);
      await alice.page.reload();
      await alice.openScreen("Storage");
      await alice.page.getByRole("radio", { name: "1 GiB" }).check({ force: true });
      await alice.page.getByRole("button", { name: "Pay", exact: true }).click();
      const dialog = alice.page.getByRole("dialog", { name: "Connect your wallet" });
      await dialog.getByRole("button", { name: /Bob/ }).click();
      await dialog.getByText(/This wallet uses another account/).waitFor();
      await alice.inspect("wallet-of-another");
      await dialog.getByRole("button", { name: /Alice/ }).click();
      await alice.page.getByRole("button", { name: "Pay now" }).click();
      await alice.sees("Paid, storage added");
      await alice.page.reload();
      await alice.openScreen("Settings");
      await alice.page.getByRole("button", { name: "Create key" }).click();
      await dialog.getByRole("button", { name: /Alice/ }).click();
      await alice.page.getByRole("button", { name: "Copy", exact: true }).waitFor();
    });

    test("a wallet that changes its account changes nothing until its user signs that in", async () => {
      await signIn();
      await addFile("mine.txt");
      await alice.sees("1 upload complete");
      await wallet.changeAccount(1);
      await alice.sees(/^Your wallet now uses/);
      await alice.inspect("wallet-changed");
      await showsAccount(alice.page, 0);
      await alice.page.getByRole("link", { name: "mine.txt", exact: true }).waitFor();
      const tab = await openTab();
      await showsAccount(tab, 0);
      await alice.page.getByRole("button", { name: new RegExp(`Sign in as ${short(1)}`, "i") }).click();
      await showsAccount(alice.page, 1);
      await alice.sees("No files yet");
      // The other tab shows nothing of the account before, and offers the new one.
      await tab.getByText(/^Another tab has signed in/).waitFor();
      expect(await tab.getByText("mine.txt").count()).toBe(0);
      await tab.getByRole("button", { name: new RegExp(`Continue as ${short(1)}`, "i") }).click();
      await showsAccount(tab, 1);
    });
  },
  MINUTES,
);
