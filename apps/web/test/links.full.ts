import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { narrow, openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();
const LETTER = "Dear Dave, the key is under the mat.";
const PASSWORD = "four words by phone";
const DAY_MS = 86_400_000;
const MINUTES = 600_000;

describe.skipIf(!executablePath)(
  "links that end in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let alice: Person;
    /** Opened by a password, and by none. */
    let sealed = "";
    let plain = "";
    const addressOf = (at: number) => app.devnet.accounts[at]?.address ?? "";

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ chain: false }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      alice = await openBrowserAs(browser, app, wide);
      await signIn(alice, /Alice/);
      await alice.choose("Add files", { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from(LETTER) });
      await alice.sees("1 upload complete");
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.sees(LETTER);
      await alice.openTab("People");
    }, MINUTES);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    async function signIn({ page }: Person, name: RegExp): Promise<void> {
      await page.getByRole("button", { name }).click();
      await page.getByRole("button", { name: "Lock", exact: true }).waitFor();
    }

    async function copyNewLink(): Promise<string> {
      await alice.page.getByRole("button", { name: "Copy new link" }).click();
      return alice.page.evaluate(() => navigator.clipboard.readText());
    }

    /** Somebody without a wallet, who opens a link. */
    async function openAsDave(link: string): Promise<Person> {
      const dave = await openBrowserAs(browser, app, narrow);
      await dave.page.goto("about:blank");
      await dave.page.goto(link);
      return dave;
    }

    const change = (link: string, from: string, to: string) => {
      const changed = link.replace(from, to);
      expect(changed).not.toBe(link);
      return changed;
    };
    const rows = (person: Person) => person.page.locator(".link-row");

    test("a link with a password and an end is created, and its address is no person", async () => {
      const create = alice.page.getByRole("button", { name: "Create link", exact: true });
      const password = alice.page.getByLabel("Password (optional)");
      await password.fill("1234567");
      await alice.sees("Use at least 8 characters.");
      expect(await create.isDisabled()).toBe(true);
      await password.fill("12345678");
      await alice.sees(/^Easy for a program to guess/);
      await password.fill(PASSWORD);
      expect(await password.getAttribute("type")).toBe("password");
      await alice.page.getByRole("button", { name: "Show password" }).click();
      expect(await password.getAttribute("type")).toBe("text");
      await alice.sees(/^Hard to guess/);
      const restore = app.devnet.faults.add({ service: "keyNodes", action: { kind: "delay", ms: 3_000 } });
      await create.click();
      await alice.page.getByRole("button", { name: "Create link", exact: true, disabled: true }).waitFor();
      await alice.inspect("links-creating");
      restore();
      await alice.sees(/^Link created. Send the password another way/);
      expect(await password.inputValue()).toBe("");
      sealed = await copyNewLink();
      expect(new URLSearchParams(new URL(sealed).hash.slice(1)).get("keeplight")).toBe("2");

      await alice.page.getByLabel("Ends after").selectOption("No end date");
      await create.click();
      await alice.sees(/^Link created. Copy it/);
      plain = await copyNewLink();
      await expect.poll(() => rows(alice).count()).toBe(2);
      await alice.sees("Link · no end date");
      await alice.sees(/^Link · ends /);
      expect(await rows(alice).first().getByText("Password", { exact: true }).count()).toBe(1);
      await alice.inspect("links-of-a-file");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      // After a reload, too, the addresses of links are not among the people.
      await alice.openScreen("Files");
      await alice.page.reload();
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.openTab("People");
      await expect.poll(() => rows(alice).count()).toBe(2);
      await expect.poll(() => alice.page.locator(".person").count()).toBe(1);
      await alice.page.getByLabel("Wallet address").fill(addressOf(1));
      await alice.page.getByRole("button", { name: "Share", exact: true }).last().click();
      await alice.page.getByRole("button", { name: `Revoke access of ${addressOf(1)}` }).waitFor();
      expect(await alice.page.locator(".person").count()).toBe(2);
      await alice.openScreen("Files");
      await alice.sees(/^Shared with 0x/);
    });

    test("somebody without a wallet opens it by its password only", async () => {
      const dave = await openAsDave(sealed);
      const sent: string[] = [];
      dave.page.on("request", (request) => sent.push(request.url(), request.postData() ?? ""));
      const password = dave.page.getByLabel("Password", { exact: true });
      await password.fill("some other words");
      await dave.inspect("link-password");
      await dave.page.keyboard.press("Enter");
      await dave.sees(/^Wrong password/);
      expect(await password.inputValue()).toBe("some other words");
      expect(await password.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(sent.filter((text) => text !== "" && !text.startsWith(app.url))).toEqual([]);
      await password.fill(PASSWORD);
      await dave.page.getByRole("button", { name: "Open", exact: true }).click();
      await dave.page.getByRole("heading", { name: "letter.txt" }).waitFor();
      await dave.sees(LETTER);
      await dave.sees(/^Key recovered from nodes/);
      await dave.sees("Link ends");
      expect(await dave.page.getByText(/^Not verified/).count()).toBe(0);
      expect(dave.page.url()).not.toContain("#");
      const secret = new URLSearchParams(new URL(sealed).hash.slice(1)).get("secret") ?? "";
      expect(sent.filter((text) => text.includes(secret) || text.includes(PASSWORD))).toEqual([]);
      await dave.inspect("ending-link");
      expect(dave.complaints).toEqual([]);
      await dave.context.close();
    });

    test("a link that was changed, or whose time is up, says so", async () => {
      const dave = await openAsDave(change(plain, "letter.txt", "invoice.txt"));
      await dave.sees("This link was changed");
      await dave.page.goto("about:blank");
      await dave.page.goto(change(sealed, "letter.txt", "invoice.txt"));
      await dave.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await dave.page.keyboard.press("Enter");
      await dave.sees("This link was changed");
      await dave.page.goto("about:blank");
      await dave.page.goto(plain.slice(0, -20));
      await dave.sees("This link is damaged");
      await dave.page.clock.setSystemTime(Date.now() + 8 * DAY_MS);
      await dave.page.goto("about:blank");
      await dave.page.goto(sealed);
      await dave.sees("This link has ended");
      await dave.inspect("link-over");
      expect(dave.complaints).toEqual([]);
      await dave.context.close();
    });

    test("somebody who is signed in keeps a link, on a page that lists it", async () => {
      const bob = await openBrowserAs(browser, app, narrow);
      await signIn(bob, /Bob/);
      await bob.openScreen("Shared");
      await bob.page.getByLabel("Link or CID").fill(plain);
      await bob.page.keyboard.press("Enter");
      await bob.sees(LETTER);
      await bob.page.getByRole("button", { name: "Keep in “Shared”" }).click();
      await bob.wasNotified("Kept in “Shared”, on all your devices");
      await bob.openScreen("Shared");
      await bob.page.getByRole("heading", { name: "Kept for you" }).waitFor();
      await bob.inspect("kept-link");
      await bob.page.getByRole("button", { name: "letter.txt", exact: true }).click();
      await bob.sees(LETTER);
      await bob.page.getByRole("button", { name: "Kept in “Shared”" }).waitFor();
      await bob.openScreen("Shared");
      await bob.page.getByRole("button", { name: "Remove letter.txt from the list" }).first().click();
      await bob.page.getByRole("heading", { name: "Kept for you" }).waitFor({ state: "detached" });
      expect(bob.complaints).toEqual([]);
      await bob.context.close();
    });

    test("all links are listed on one screen, and what is ended there opens nothing", async () => {
      await alice.openScreen("Shared");
      await expect.poll(() => rows(alice).count()).toBe(2);
      await alice.inspect("links-made");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      await alice.page.getByRole("button", { name: "Copy link to letter.txt" }).last().click();
      expect(await alice.page.evaluate(() => navigator.clipboard.readText())).toBe(sealed);
      const end = alice.page.getByRole("button", { name: /^End link to letter.txt, ends/ });
      await end.click();
      await alice.page.keyboard.press("Escape");
      await expect.poll(() => end.evaluate((button) => button === document.activeElement)).toBe(true);

      const restore = app.devnet.faults.add({
        service: "keyNodes",
        node: 2,
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await end.click();
      const confirm = alice.page.getByRole("dialog").getByRole("button", { name: "End link" });
      await alice.inspect("end-link");
      await confirm.click();
      await alice.sees("4 of 5 key nodes updated; node 2 didn’t respond.");
      restore();
      await alice.page.getByRole("button", { name: "Try again" }).click();
      await alice.wasNotified("Link ended. What was opened stays with those who opened it.");
      await expect.poll(() => rows(alice).count()).toBe(1);
      // The focus is near, and not lost with the row.
      const isInside = () => document.activeElement?.closest("main") !== null;
      await expect.poll(() => alice.page.evaluate(isInside)).toBe(true);

      const dave = await openAsDave(sealed);
      await dave.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await dave.page.keyboard.press("Enter");
      await dave.sees("This link was ended");
      await dave.inspect("link-ended");
      await dave.context.close();
      const erin = await openAsDave(plain);
      await erin.sees(LETTER);
      await erin.context.close();
    });

    test("a link that only some nodes have is completed, and not created twice", async () => {
      await alice.page.locator(".link-row").getByRole("link", { name: "letter.txt" }).click();
      await alice.openTab("People");
      const restore = app.devnet.faults.add({
        service: "keyNodes",
        node: 4,
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await alice.page.getByRole("button", { name: "Create link", exact: true }).click();
      await alice.sees("4 of 5 key nodes updated; node 4 didn’t respond.");
      restore();
      await alice.page.getByRole("button", { name: "Try again" }).click();
      const link = await copyNewLink();
      await expect.poll(() => rows(alice).count()).toBe(2);
      expect(await alice.page.locator(".person").count()).toBe(2);
      const dave = await openAsDave(link);
      await dave.sees(LETTER);
      await dave.context.close();
      await alice.page.getByRole("button", { name: "End link to letter.txt, no end date" }).click();
      await alice.page.getByRole("dialog").getByRole("button", { name: "End link" }).click();
      await expect.poll(() => rows(alice).count()).toBe(1);
      expect(await alice.page.locator(".person").count()).toBe(2);
    });

    test("the name in a link with the key is not presented as verified", async () => {
      await alice.page.getByRole("button", { name: "Create open link" }).click();
      await alice.page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
      await alice.page.getByRole("button", { name: "Copy open link" }).click();
      const link = await alice.page.evaluate(() => navigator.clipboard.readText());
      const dave = await openAsDave(change(link, "letter.txt", "invoice.txt"));
      await dave.page.getByRole("heading", { name: "invoice.txt" }).waitFor();
      await dave.sees("Not verified: chosen by whoever sent the link");
      await dave.sees(LETTER);
      await dave.context.close();
    });

    test("a link whose time is up is shown as such until it is ended", async () => {
      await alice.openScreen("Settings");
      await alice.page.getByLabel("Stay signed in for").selectOption("30 days");
      await alice.sees(/^Until [A-Z][a-z]{2} \d{1,2}, \d{4}$/);
      await alice.page.clock.install();
      await alice.page.reload();
      await alice.openScreen("Shared");
      await alice.sees(/^ends /);
      // The page looks at the time once a minute.
      await alice.page.clock.fastForward(8 * DAY_MS);
      await alice.sees(/^expired .+, not ended on the key nodes yet$/);
      await alice.inspect("links-expired");
      expect(alice.complaints).toEqual([]);
      expect(await alice.listLayoutShifts()).toEqual([]);
      await alice.openScreen("Settings");
      await alice.page.getByText("Deutsch", { exact: true }).click();
      await alice.page.getByRole("navigation").getByRole("link", { name: "Geteilt" }).click();
      await alice.sees(/^abgelaufen am /);
      await alice.inspect("links-expired-german");
      await rows(alice).getByRole("link", { name: "letter.txt" }).first().click();
      await alice.page.getByRole("heading", { name: "Per Link teilen" }).waitFor();
      await alice.inspect("links-of-a-file-german");
    });

    test("a browser that keeps nothing says what works, and makes no link that could not be ended later", async () => {
      const carol = await openBrowserAs(browser, app, narrow);
      await carol.context.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: undefined }));
      await carol.page.reload();
      await signIn(carol, /Carol/);
      await carol.choose("Add files", { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("milk") });
      await carol.page.getByRole("link", { name: "list.txt", exact: true }).click();
      await carol.sees("milk");
      await carol.openTab("People");
      await carol.sees(/^This browser keeps nothing for this site/);
      expect(await carol.page.getByRole("button", { name: "Create link", exact: true }).count()).toBe(0);
      await carol.page.getByRole("button", { name: "Create open link" }).waitFor();
      await carol.inspect("links-without-journal");
      await carol.openScreen("Shared");
      await carol.page.getByRole("heading", { name: "Opened on this device" }).waitFor();
      expect(carol.complaints).toEqual([]);
      await carol.context.close();
    });
  },
  MINUTES,
);
