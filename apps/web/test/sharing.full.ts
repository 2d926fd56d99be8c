import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { narrow, openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();
const LETTER = "Dear Bob, the key is under the mat.";
const MINUTES = 600_000;

describe.skipIf(!executablePath)(
  "sharing in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let alice: Person;
    let bob: Person;
    let letterLink = "";
    let openLink = "";
    const addressOf = (at: number) => app.devnet.accounts[at]?.address ?? "";

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ chain: false }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      [alice, bob] = await Promise.all([openBrowserAs(browser, app, wide), openBrowserAs(browser, app, narrow)]);
      await signIn(alice, /Alice/);
      const letter = { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from(LETTER) };
      await alice.choose("Add files", letter);
      await alice.sees("1 upload complete");
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.sees(LETTER);
    }, MINUTES);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    async function signIn({ page }: Person, name: RegExp): Promise<void> {
      await page.getByRole("button", { name }).click();
      await page.getByRole("button", { name: "Lock", exact: true }).waitFor();
    }
    const readClipboard = () => alice.page.evaluate(() => navigator.clipboard.readText());

    test("sharing with oneself, or twice, is refused before anything is sent", async () => {
      await alice.openTab("People");
      const recipient = alice.page.getByLabel("Wallet address");
      const share = alice.page.getByRole("button", { name: "Share", exact: true }).last();
      await recipient.fill(addressOf(0));
      await alice.sees(/^That’s your own address/);
      expect(await share.isDisabled()).toBe(true);
      await recipient.fill(addressOf(1));
      await share.click();
      await alice.page.getByRole("button", { name: `Revoke access of ${addressOf(1)}` }).waitFor();
      await recipient.fill(addressOf(1).toUpperCase().replace("0X", "0x"));
      await alice.sees("This address has access already.");
      expect(await share.isDisabled()).toBe(true);
      await recipient.fill("");
      await alice.page.getByRole("button", { name: "Copy link" }).click();
      letterLink = await readClipboard();
    });

    test("a node that fails is named, and the others are not called again", async () => {
      const restore = app.devnet.faults.add({
        service: "keyNodes",
        node: 4,
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await alice.page.getByLabel("Wallet address").fill(addressOf(2));
      await alice.page.getByRole("button", { name: "Share", exact: true }).last().click();
      await alice.sees("4 of 5 key nodes updated; node 4 didn’t respond.");
      restore();
      await alice.page.getByRole("button", { name: "Retry remaining nodes" }).click();
      await alice.page.getByRole("button", { name: `Revoke access of ${addressOf(2)}` }).waitFor();
    });

    test("the list shows whom a file is shared with, after a reload, too, until that is revoked", async () => {
      const note = () => alice.page.getByRole("row", { name: /letter\.txt/ }).locator(".file-note");
      await alice.openScreen("Files");
      await expect.poll(() => note().textContent()).toBe("Shared with 2 people");
      await alice.page.reload();
      await expect.poll(() => note().textContent()).toBe("Shared with 2 people");
      expect(await note().getAttribute("title")).toContain(addressOf(1).toLowerCase());
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.openTab("People");
      await alice.page.getByRole("button", { name: `Revoke access of ${addressOf(2)}` }).click();
      await alice.sees(/^Access revoked for/);
      // The button is gone, and the next one is near.
      const isNear = () => document.activeElement?.closest(".people") !== null;
      await expect.poll(() => alice.page.evaluate(isNear)).toBe(true);
      await alice.openScreen("Files");
      await expect.poll(() => note().textContent()).toMatch(/^Shared with 0x/);
      await alice.inspect("files-shared");
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.openTab("People");
    });

    test("a link shows its file before the recipient signs in, and opens it afterwards", async () => {
      await bob.page.goto(letterLink);
      await bob.page.reload();
      await bob.page.getByRole("heading", { name: "Someone sent you a file." }).waitFor();
      await bob.sees("letter.txt");
      await bob.sees("35 bytes");
      await bob.sees(/^Not verified yet/);
      await bob.page.getByTitle(addressOf(0).toLowerCase()).waitFor();
      await bob.inspect("recipient");
      await signIn(bob, /Bob/);
      await bob.sees(LETTER);
      await bob.openTab("People");
      await bob.sees("Shared with you");
      await bob.sees("Can view (you)");
      expect(await bob.page.getByTitle(addressOf(2)).count()).toBe(0);
      expect(await bob.page.getByRole("button", { name: "Copy link" }).count()).toBe(0);
    });

    test("what was received is listed, encrypted, and for this account only", async () => {
      await bob.openScreen("Shared");
      await bob.page.getByRole("link", { name: "letter.txt" }).waitFor();
      await bob.inspect("shared");
      expect(await bob.listUnreachableByKeyboard()).toEqual([]);
      const stored = await bob.page.evaluate(async () => {
        const found: string[] = [];
        for (const { name = "" } of await indexedDB.databases()) {
          if (!name.startsWith("keeplight shared")) continue;
          const database = await new Promise<IDBDatabase>((resolve) => {
            const opening = indexedDB.open(name);
            opening.onsuccess = () => resolve(opening.result);
          });
          const sealed = await new Promise<{ data: ArrayBuffer }>((resolve) => {
            const reading = database.transaction("sealed").objectStore("sealed").get("record");
            reading.onsuccess = () => resolve(reading.result);
          });
          const key = await new Promise<CryptoKey>((resolve) => {
            const reading = database.transaction("sealed").objectStore("sealed").get("key");
            reading.onsuccess = () => resolve(reading.result);
          });
          database.close();
          found.push(`${key.extractable} ${new TextDecoder("latin1").decode(sealed.data).includes("letter")}`);
        }
        return found;
      });
      expect(stored).toEqual(["false false"]);

      await bob.page.getByRole("button", { name: "Lock", exact: true }).click();
      await signIn(bob, /Carol/);
      await bob.openScreen("Shared");
      await bob.sees("Nothing here yet");
      expect(await bob.page.getByText("letter.txt").count()).toBe(0);
      await bob.page.getByRole("button", { name: "Lock", exact: true }).click();
      await signIn(bob, /Bob/);
      await bob.openScreen("Shared");
      await bob.page.getByRole("button", { name: "Remove letter.txt from the list" }).click();
      await bob.sees("Nothing here yet");
      await bob.page.getByLabel("Link or CID").fill(letterLink);
      await bob.page.keyboard.press("Enter");
      await bob.sees(LETTER);
      await bob.page.locator(".back-link").click();
      await bob.page.getByRole("link", { name: "letter.txt" }).waitFor();
    });

    test("a link with the key says that it cannot be revoked, and opens without a wallet", async () => {
      await alice.page.getByRole("button", { name: "Create open link" }).click();
      await alice.page.getByRole("dialog").getByText("It can’t be revoked.").waitFor();
      await alice.inspect("open-link-dialog");
      await alice.page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
      await alice.page.getByRole("button", { name: "Copy open link" }).click();
      openLink = await readClipboard();
      const key = new URLSearchParams(new URL(openLink).hash.slice(1)).get("key") ?? "";
      expect(key).toMatch(/^[0-9a-f]{64}$/);

      const dave = await openBrowserAs(browser, app, narrow);
      const sent: string[] = [];
      dave.page.on("request", (request) =>
        sent.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ""),
      );
      await dave.page.goto("about:blank");
      await dave.page.goto(openLink);
      await dave.page.getByRole("heading", { name: "letter.txt" }).waitFor();
      await dave.sees("Verified");
      await dave.sees(LETTER);
      await dave.inspect("open-link");
      expect(dave.page.url()).not.toContain("#");
      expect(sent.filter((part) => part.replace(openLink, "").includes(key))).toEqual([]);
      const [download] = await Promise.all([
        dave.page.waitForEvent("download"),
        dave.page.getByRole("link", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("letter.txt");
      await dave.page.reload();
      await dave.page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      await dave.page.goto(openLink.replace(key, key.replaceAll(/[0-7]/g, "8")));
      await dave.sees("The key doesn’t match this file");
      expect(dave.complaints).toEqual([]);
      await dave.context.close();
    });

    test("the same link opens beside the account of somebody who is signed in", async () => {
      await bob.openScreen("Shared");
      await bob.page.getByLabel("Link or CID").fill(openLink);
      await bob.page.keyboard.press("Enter");
      await bob.sees("Shared with you by a link that holds its key. You need no wallet.");
      await bob.sees(LETTER);
      expect(bob.page.url()).not.toContain("key=");
      await bob.openScreen("Files");
      await bob.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    });

    test("rules are saved in whole coins, loaded into the form again, and removed", async () => {
      await alice.openTab("Conditions");
      await alice.page.getByLabel("Requirement").selectOption("coin");
      await alice.page.getByLabel("Amount (ETH)").fill("1.5");
      await alice.page.getByRole("button", { name: "Save rules" }).click();
      await alice.page.getByRole("button", { name: "Edit rules" }).click();
      expect(await alice.page.getByLabel("Amount (ETH)").inputValue()).toBe("1.5");
      await alice.page.getByLabel("Requirement").selectOption("block");
      await alice.page.getByRole("button", { name: "Edit rules" }).click();
      expect(await alice.page.getByLabel("Requirement").inputValue()).toBe("coin");
      await alice.inspect("rules-edited");
      await alice.page.getByRole("button", { name: "Remove rules" }).click();
      await alice.page.getByRole("dialog").getByRole("button", { name: "Remove rules" }).click();
      await alice.sees("No rules set. Only you and people you share with can view it.");
    });

    test("a file is given away once the end of the address is typed, with a node that fails, and given back", async () => {
      const carol = await openBrowserAs(browser, app, narrow);
      await signIn(carol, /Carol/);
      await alice.openTab("People");
      await alice.page.getByRole("button", { name: "Transfer ownership…" }).click();
      const dialog = alice.page.getByRole("dialog");
      const transfer = dialog.getByRole("button", { name: "Transfer", exact: true });
      const ending = dialog.getByLabel("Last four characters");
      await dialog.getByLabel("New owner’s wallet address").fill(addressOf(2));
      expect(await transfer.isDisabled()).toBe(true);
      await ending.fill("zzzz");
      await dialog.getByText(/^The address ends differently/).waitFor();
      expect(await transfer.isDisabled()).toBe(true);
      await ending.fill(addressOf(2).slice(-4).toUpperCase());
      await alice.inspect("transfer");
      const restore = app.devnet.faults.add({
        service: "keyNodes",
        node: 2,
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await transfer.click();
      await alice.sees("4 of 5 key nodes updated; node 2 didn’t respond.");
      restore();
      await alice.page.getByRole("button", { name: "Retry remaining nodes" }).click();
      await alice.wasNotified("Saved on all five nodes");
      await alice.sees("Not shared with you");

      await bob.openScreen("Shared");
      await bob.page.getByLabel("Link or CID").fill(letterLink);
      await bob.page.keyboard.press("Enter");
      await bob.sees("You have no access to this file");
      await carol.page.goto("about:blank");
      await carol.page.goto(letterLink);
      await carol.sees(LETTER);
      await carol.openTab("People");
      await carol.sees("Owner (you)");
      await carol.page.getByRole("button", { name: "Transfer ownership…" }).click();
      const back = carol.page.getByRole("dialog");
      await back.getByLabel("New owner’s wallet address").fill(addressOf(0));
      await back.getByLabel("Last four characters").fill(addressOf(0).slice(-4));
      await back.getByRole("button", { name: "Transfer", exact: true }).click();
      await carol.wasNotified(`${addressOf(0).slice(0, 6)}…${addressOf(0).slice(-4)} owns the file now`);
      await carol.sees("Not shared with you");
      expect(carol.complaints).toEqual([]);
      await carol.context.close();
    });

    test("several files are shared at once; what fails half way is continued", async () => {
      const { page } = alice;
      await alice.openScreen("Files");
      const files = ["two.txt", "three.txt"].map((name) => ({
        name,
        mimeType: "text/plain",
        buffer: Buffer.from(`What is in ${name}`),
      }));
      await alice.choose("Add files", files);
      for (const { name } of files) await page.getByLabel(`Select ${name}`).check();
      await page.getByRole("button", { name: "Share…" }).click();
      const dialog = page.getByRole("dialog", { name: "Share 2 files" });
      await dialog.getByLabel("Wallet address").fill(addressOf(1));
      await alice.inspect("share-several");
      const restore = app.devnet.faults.add({
        service: "keyNodes",
        method: "PUT",
        node: 3,
        after: 1,
        action: { kind: "respond", status: 500 },
      });
      await dialog.getByRole("button", { name: "Share", exact: true }).click();
      await dialog.getByText("Shared 1 of 2 files.").waitFor();
      restore();
      await dialog.getByRole("button", { name: "Copy links" }).click();
      const links = (await readClipboard()).split("\n");
      await dialog.getByRole("button", { name: "Retry the rest" }).click();
      await alice.wasNotified(`Shared 2 files with ${addressOf(1).slice(0, 6)}…${addressOf(1).slice(-4)}`);
      for (const { name } of files) {
        await page
          .getByRole("row", { name })
          .getByText(/^Shared with 0x/)
          .waitFor();
        await bob.page.goto("about:blank");
        await bob.page.goto(links.find((link) => link.includes(encodeURIComponent(name))) ?? "");
        await bob.sees(`What is in ${name}`);
      }
    });

    test("a public file has nothing to share or to restrict", async () => {
      await alice.openScreen("Files");
      await alice.page.getByRole("radio", { name: "Public" }).check({ force: true });
      await alice.choose("Add files", {
        name: "poster.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("All welcome"),
      });
      await alice.page.getByLabel("Select poster.txt").check();
      // With the two of before.
      await alice.sees("3 files selected");
      expect(await alice.page.getByRole("button", { name: "Share…", disabled: false }).count()).toBe(0);
      await alice.page.getByRole("link", { name: "poster.txt", exact: true }).click();
      await alice.sees("All welcome");
      const base = alice.page.url().replace(/preview$/, "");
      for (const tab of ["people", "conditions"]) {
        await alice.page.evaluate((url) => location.assign(url), `${base}${tab}`);
        await alice.page.getByText("This file is public", { exact: true }).waitFor();
      }
      expect([...alice.complaints, ...bob.complaints]).toEqual([]);
      expect([...(await alice.listLayoutShifts()), ...(await bob.listLayoutShifts())]).toEqual([]);
    });
  },
  MINUTES,
);
