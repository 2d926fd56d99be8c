import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRecoveryKit } from "../../../packages/recovery/src/index.ts";
import { createKit } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";
import { injectWallet } from "./test-wallet.ts";

const executablePath = await findChromium();
const PASSWORD = "copper lantern tidal orchard";

describe.skipIf(!executablePath)(
  "the settings of the web app",
  () => {
    const web = appForTests(executablePath, { chain: false });
    let alice: Person;
    let mends: (() => void)[] = [];

    beforeEach(async () => {
      alice = await openBrowserAs(web.browser, web.app, wide);
      await injectWallet(alice, web.app);
      await alice.page.getByRole("button", { name: /Harbour Wallet/ }).click();
      await waitForFolders(alice.page);
    });
    afterEach(async () => {
      for (const mend of mends) mend();
      mends = [];
      await alice.context.close();
    });

    const button = (name: string) => alice.page.getByRole("button", { name, exact: true });
    const card = (name: string) => alice.page.getByRole("region", { name, exact: true });
    const isSignedOut = (page: Page) => page.getByRole("heading", { name: "Connect a wallet" }).waitFor();

    async function add(name: string, text = `text of ${name}`): Promise<void> {
      await alice.choose("Add files", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
    }

    async function fillKit(password: string, again = password): Promise<void> {
      await alice.page.getByLabel("Password for the kit").fill(password);
      await alice.page.getByLabel("Repeat the password").fill(again);
    }

    /** Makes key nodes fail until the test ends. */
    function breakKeyNodes(nodes: readonly number[]): void {
      const action = { kind: "respond", status: 500, json: { message: "Busy" } } as const;
      for (const node of nodes) mends.push(web.app.devnet.faults.add({ service: "keyNodes", node, action }));
    }

    test("everything is on one screen, and reached by the keyboard; an account without files has no kit", async () => {
      await alice.openScreen("Settings");
      await alice.page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
      await expect.poll(() => alice.page.title()).toBe("Settings · Keeplight");
      await alice.sees("You have no encrypted files yet.");
      const headings = await alice.page.locator("main h2").allTextContents();
      expect(headings).toEqual(["Session", "Language and theme", "API key", "Recovery kit", "This browser"]);
      await alice.sees(/^Signed in until /);
      await alice.inspect("settings");
      // No card has more room below its last button than another one.
      const getRoom = async (name: string, last: string) => {
        const [outer, inner] = await Promise.all([
          card(name).boundingBox(),
          card(name).getByRole("button", { name: last }).boundingBox(),
        ]);
        return outer && inner && Math.round(outer.y + outer.height - inner.y - inner.height);
      };
      expect(await getRoom("Recovery kit", "Download kit")).toBe(await getRoom("Session", "Sign out"));
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      // What is here is nowhere else.
      for (const name of ["Deutsch", "English", "Switch to dark mode"]) expect(await button(name).count()).toBe(0);
      expect(await alice.listLayoutShifts()).toEqual([]);
      expect(alice.complaints).toEqual([]);
    });

    test("language and theme are chosen with the keyboard, and are the same after a reload", async () => {
      await alice.openScreen("Settings");
      const radio = (name: string) => alice.page.getByRole("radio", { name, exact: true });
      const getTheme = () => alice.page.evaluate(() => document.documentElement.dataset["theme"]);
      await radio("System").focus();
      await alice.page.keyboard.press("ArrowRight");
      expect(await getTheme()).toBe("light");
      await alice.page.keyboard.press("ArrowRight");
      expect(await getTheme()).toBe("dark");
      const colours = () =>
        alice.page
          .locator("meta[name=theme-color]")
          .evaluateAll((all) => all.map((each) => each.getAttribute("content")));
      expect(await colours()).toEqual(["#0e1516", "#0e1516"]);
      await radio("English").focus();
      await alice.page.keyboard.press("ArrowRight");
      await alice.page.getByRole("heading", { name: "Einstellungen" }).waitFor();
      await alice.page.reload();
      await alice.page.getByRole("heading", { name: "Einstellungen" }).waitFor();
      expect(await getTheme()).toBe("dark");
      await radio("System").check({ force: true });
      expect(await getTheme()).toBeUndefined();
      expect(await alice.page.evaluate(() => localStorage.getItem("theme"))).toBeNull();
      await alice.inspect("settings-german");
      expect(alice.complaints).toEqual([]);
    });

    test("a recovery kit opens files while all key nodes are down", async () => {
      await add("letter.txt", "Dear Bob");
      await alice.sees("1 upload complete");
      await alice.openScreen("Settings");
      const download = button("Download kit");
      await fillKit("short");
      await alice.sees("Use at least 8 characters.");
      await fillKit(PASSWORD, "copper lanterns");
      await alice.sees("The two passwords differ.");
      expect(await download.isDisabled()).toBe(true);
      await fillKit(PASSWORD);
      const [file] = await Promise.all([alice.page.waitForEvent("download"), download.click()]);
      await alice.sees("Kit downloaded, with the keys of 1 file.");
      expect(file.suggestedFilename()).toMatch(/^keeplight-kit-0x[0-9a-f]{6}-\d{4}-\d\d-\d\d\.age$/);
      expect(await alice.page.getByLabel("Password for the kit").inputValue()).toBe("");
      await alice.inspect("settings-kit");
      breakKeyNodes([1, 2, 3, 4, 5]);
      const kit = await openRecoveryKit(await file.path(), { passphrase: PASSWORD });
      expect(kit.entries.map(({ name }) => name)).toEqual(["letter.txt"]);
      const cid = kit.entries[0]?.cid ?? "";
      const { decrypt } = createKit({ endpoints: web.app.devnet.endpoints });
      expect(Buffer.from(await decrypt(cid, { key: kit.keys(cid) })).toString()).toBe("Dear Bob");
    });

    test("a kit names the files that it misses, is not made without any, and can be cancelled", async () => {
      await add("first.txt");
      await alice.sees("1 upload complete");
      await add("second.txt");
      await alice.sees("2 uploads complete");
      await alice.openScreen("Settings");
      mends.push(web.app.devnet.faults.add({ service: "keyNodes", action: { kind: "delay", ms: 600_000 } }));
      await fillKit(PASSWORD);
      await button("Download kit").click();
      await alice.sees(/^Recovering keys: \d of \d$/);
      await alice.inspect("settings-kit-running");
      await card("Recovery kit").getByRole("button", { name: "Cancel" }).click();
      await button("Download kit").waitFor();
      for (const mend of mends.splice(0)) mend();
      await alice.openScreen("Files");
      const href = await alice.page.getByRole("link", { name: "first.txt", exact: true }).getAttribute("href");
      const cid = /baf\w+/.exec(href ?? "")?.[0] ?? "none";
      await alice.context.route(/retrieveSharedKey/, (route) =>
        route.request().postData()?.includes(cid)
          ? route.fulfill({
              status: 403,
              headers: { "access-control-allow-origin": "*" },
              json: { message: "access denied" },
            })
          : route.continue(),
      );
      await alice.openScreen("Settings");
      await fillKit(PASSWORD);
      await button("Download kit").click();
      await alice.sees(/^1 file is not in it/);
      await card("Recovery kit").getByText("first.txt", { exact: true }).waitFor();
      await alice.inspect("settings-kit-missing");
      breakKeyNodes([1, 2, 3, 4, 5]);
      await fillKit(PASSWORD);
      await button("Download kit").click();
      await card("Recovery kit").getByRole("alert").waitFor();
      await alice.inspect("settings-kit-failed");
      expect(alice.complaints).toEqual([]);
    });

    test("says what this browser stores, and asks it for protection", async () => {
      await alice.openScreen("Settings");
      await alice.sees(/^[\d.]+ [KMG]iB, up to [\d.]+ [KMGT]iB allowed$/);
      await alice.page.evaluate(() => {
        let isPersisted = false;
        navigator.storage.persisted = async () => isPersisted;
        navigator.storage.persist = async () => {
          const wasAsked = "wasAsked" in window;
          Object.assign(window, { wasAsked: true });
          isPersisted = wasAsked;
          return wasAsked;
        };
      });
      await alice.openScreen("Names");
      await alice.openScreen("Settings");
      await button("Ask the browser to protect it").click();
      await alice.sees(/^The browser declined/);
      await button("Ask the browser to protect it").click();
      await alice.sees("Never deleted to free disk space");
      await button("Ask the browser to protect it").waitFor({ state: "detached" });
    });

    test("removing the account's data names what is lost, refuses while uploads are open, and then leaves nothing", async () => {
      breakKeyNodes([1, 2, 3, 4, 5]);
      await add("unsaved.txt");
      await alice.sees(/upload failed|Key saved on 0/);
      await alice.openScreen("Settings");
      await card("This browser").getByText("1 upload", { exact: true }).waitFor();
      await button("Remove this account’s data from this browser").click();
      const dialog = alice.page.getByRole("dialog", { name: "Remove this account’s data from this browser?" });
      const confirm = dialog.getByRole("button", { name: "Remove and sign out" });
      expect(await confirm.isDisabled()).toBe(true);
      await alice.inspect("settings-remove");
      await alice.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await button("Remove this account’s data from this browser").press("Enter");
      // What an earlier removal, whose page was closed meanwhile, has left.
      await alice.page.evaluate(() => {
        const opening = indexedDB.open("keeplight sharing gone");
        return new Promise((done) => {
          opening.onsuccess = () => done(opening.result.close());
        });
      });
      await dialog.getByLabel("Discard 1 upload. Keys that aren’t saved are lost.").press("Space");
      await confirm.press("Enter");
      await isSignedOut(alice.page);
      const listKept = () =>
        alice.page.evaluate(async () => (await indexedDB.databases()).map(({ name = "" }) => name));
      await expect.poll(listKept).toEqual(["keeplight"]);
      expect(alice.complaints).toEqual([]);
    });

    test("locking from here ends the session in all tabs", async () => {
      const tab = await alice.context.newPage();
      await tab.goto(`${web.app.url}#/settings`);
      await tab.getByRole("region", { name: "Session" }).waitFor();
      await alice.openScreen("Settings");
      await card("Session").getByRole("button", { name: "Lock" }).click();
      await Promise.all([isSignedOut(tab), isSignedOut(alice.page)]);
    });
  },
  600_000,
);
