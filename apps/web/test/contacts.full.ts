import { Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDrive } from "../../../packages/drive/src/index.ts";
import { createApiKey, openJournal } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { scratch } from "../../../test/support/files.ts";
import { appForTests } from "./app-for-tests.ts";
import { narrow, openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";

const executablePath = await findChromium();
const LETTER = "Dear Bob, the key is under the mat.";
/** Addresses of nobody: their ends differ, and what is between them does not. */
const STRANGER = `0x${"ab".repeat(19)}11`;
const NOBODY = `0x${"0".repeat(40)}`;
const LOOKALIKE = `0x${"ab".repeat(19)}22`;

describe.skipIf(!executablePath)(
  "contacts in the web app",
  () => {
    const web = appForTests(executablePath, { chain: false });
    let alice: Person;
    let letterLink = "";

    beforeAll(async () => {
      alice = await openAs(/Alice/, wide);
    }, 600_000);
    afterAll(async () => {
      expect(alice.complaints).toEqual([]);
      // The dialog of a folder grows while its people are loaded, and its files are shared.
      const shifts = await alice.listLayoutShifts();
      expect(shifts.filter((each) => !each.includes("Share this folder"))).toEqual([]);
    });

    const account = (at: number) => {
      const found = web.app.devnet.accounts[at];
      if (!found) throw new Error("The devnet has no such account");
      return found;
    };
    const shorten = (address: string, head: number, tail: number) =>
      `${address.slice(0, head)}…${address.slice(-tail)}`;
    const bobShort = () => shorten(account(1).address, 6, 4);
    const button = (name: string, { page } = alice) => page.getByRole("button", { name, exact: true });
    const dialog = () => alice.page.getByRole("dialog");
    const options = () => alice.page.getByRole("listbox", { name: "Contacts" }).getByRole("option");
    const row = (name: string | RegExp, { page } = alice) =>
      page.getByRole("region", { name: "Contacts" }).getByRole("listitem").filter({ hasText: name });
    const press = async (...keys: string[]) => {
      for (const key of keys) await alice.page.keyboard.press(key);
    };

    async function openAs(name: RegExp, size: { width: number; height: number }): Promise<Person> {
      const person = await openBrowserAs(web.browser, web.app, size);
      await person.page.getByRole("button", { name }).click();
      await waitForFolders(person.page);
      return person;
    }

    async function openContacts(person = alice): Promise<void> {
      await person.openScreen("Shared");
      await person.page.getByRole("main").getByRole("link", { name: "Contacts" }).click();
      await person.page.getByRole("heading", { name: "Contacts", exact: true }).waitFor();
    }

    async function addContact(address: string, name: string, note = "", person = alice): Promise<void> {
      await button("Add contact", person).click();
      const form = person.page.getByRole("dialog");
      await form.getByLabel("Wallet address").fill(address);
      await form.getByLabel("Name").fill(name);
      await form.getByLabel("Note (optional)").fill(note);
      await form.getByRole("button", { name: "Save" }).click();
      await form.waitFor({ state: "detached" });
    }

    /** Requests that would change who can open a file. */
    const countChanges = () =>
      web.app.devnet.requests().filter(({ service, method }) => service === "keyNodes" && method === "PUT").length;

    test("a contact is added with the keyboard alone, and the screen is accessible at every width", async () => {
      await openContacts();
      await alice.sees("No contacts yet");
      expect(await alice.page.title()).toBe("Contacts · Keeplight");
      await alice.inspect("contacts-empty");
      await button("Add contact").press("Enter");
      await dialog().getByLabel("Wallet address").focus();
      const { page } = alice;
      const bob = account(1).address;
      await page.keyboard.type(bob.toUpperCase().replace("0X", "0x"));
      await press("Tab");
      await page.keyboard.type("Bob");
      await press("Tab");
      await page.keyboard.type("met in Bonn");
      await alice.inspect("contacts-add");
      await press("Enter");
      await alice.wasNotified("Saved Bob");
      // The whole address, in the form that it is compared in.
      await row("Bob").getByText(bob, { exact: true }).waitFor();
      await row("Bob").getByText("met in Bonn").waitFor();
      await addContact("7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q", "Carol at Solana");
      await addContact(STRANGER, "Bob");
      await addContact(LOOKALIKE, "Bob");
      await alice.inspect("contacts");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
    });

    test("an address that has a name, and a name that reads as another one, are refused in the form", async () => {
      const { address } = account(1);
      await button("Add contact").click();
      const save = dialog().getByRole("button", { name: "Save" });
      await dialog().getByLabel("Wallet address").fill(address.toUpperCase().replace("0X", "0x"));
      await dialog().getByText("You’ve named this address already: Bob").waitFor();
      await dialog().getByLabel("Name").fill("Robert");
      expect(await save.isDisabled()).toBe(true);
      await dialog().getByLabel("Wallet address").fill(account(2).address);
      expect(await save.isEnabled()).toBe(true);
      await dialog().getByLabel("Name").fill("Car\u202eol");
      await dialog()
        .getByText(/^Remove characters that can’t be seen/)
        .waitFor();
      expect(await save.isDisabled()).toBe(true);
      await dialog().getByLabel("Name").fill("Carol");
      await dialog().getByLabel("Wallet address").fill(NOBODY);
      await dialog().getByText("Nobody has this address. Ask for the right one.").waitFor();
      expect(await save.isDisabled()).toBe(true);
      await dialog().getByLabel("Wallet address").fill("0x742D35Cc6634C0532925a3b844Bc454e4438f44e");
      await save.click();
      await dialog()
        .getByText(/^The address has a typing error/)
        .waitFor();
      await alice.inspect("contacts-invalid");
      await press("Escape");
      await dialog().waitFor({ state: "detached" });
    });

    test("name and note are changed; a contact that was deleted comes back by Undo", async () => {
      await button(`Edit Bob (${bobShort()})`).click();
      await dialog().getByText(account(1).address, { exact: true }).waitFor();
      await dialog().getByLabel("Name").fill("Bob of Bonn");
      await dialog().getByLabel("Note (optional)").fill("");
      await press("Enter");
      await alice.wasNotified("Saved Bob of Bonn");
      expect(await row("Bob of Bonn").getByText("met in Bonn").count()).toBe(0);
      await button(`Delete Bob of Bonn (${bobShort()})`).click();
      await row("Bob of Bonn").waitFor({ state: "detached" });
      await button("Undo").click();
      await alice.wasNotified("Undone");
      await row("Bob of Bonn").getByText(account(1).address).waitFor();
      // Named again meanwhile, it stays as it is.
      await button(`Delete Bob of Bonn (${bobShort()})`).click();
      await addContact(account(1).address, "Robert");
      await alice.openScreen("Files");
      await waitForFolders(alice.page);
      await press("Control+z");
      await alice.wasNotified("Changed elsewhere since, so not all of it was undone");
      await openContacts();
      await button(`Edit Robert (${bobShort()})`).click();
      await dialog().getByLabel("Name").fill("Bob of Bonn");
      await press("Enter");
      await row("Bob of Bonn").waitFor();
    });

    /** Opens the drive of an account on another device. */
    async function openDriveOf(privateKey: string) {
      const { endpoints } = web.app.devnet;
      const signer = new Wallet(privateKey);
      const apiKey = await createApiKey({ signer, endpoints });
      const journal = await openJournal({ folder: await scratch() });
      return openDrive({ apiKey, signer, endpoints, journal });
    }

    test("the list is searched by a part of the name or of the address", async () => {
      const search = alice.page.getByLabel("Search contacts");
      await search.fill("SOLANA");
      await expect.poll(() => row(/./).count()).toBe(1);
      await search.fill(STRANGER.slice(-6));
      await expect.poll(() => row(/./).allTextContents()).toEqual([expect.stringContaining(STRANGER)]);
      await search.fill("nobody");
      await alice.sees("No matching contacts");
      await search.fill("");
      await expect.poll(() => row(/./).count()).toBe(4);
    });

    test("a file is shared with a contact that is found by its name; its address is shown before anything is sent", async () => {
      const { page } = alice;
      const bob = account(1).address;
      await alice.openScreen("Files");
      const buffer = Buffer.from(LETTER);
      await alice.choose("Add files", { name: "letter.txt", mimeType: "text/plain", buffer });
      await alice.sees("1 upload complete");
      await page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.sees(LETTER);
      await alice.openTab("People");
      const field = page.getByRole("combobox", { name: "Wallet address or contact" });
      const share = button("Share").last();
      const before = countChanges();
      await field.focus();
      await page.keyboard.type("bonn");
      await options().first().waitFor();
      expect(await options().allTextContents()).toEqual([`Bob of Bonn ${shorten(bob, 10, 8)}`]);
      expect(await field.getAttribute("aria-expanded")).toBe("true");
      await alice.sees("1 contact");
      // A name is never what is shared with, even if only one contact has it.
      expect(await share.isDisabled()).toBe(true);
      await press("Enter", "ArrowDown");
      await alice.inspect("contacts-combobox");
      const active = await field.getAttribute("aria-activedescendant");
      expect(await options().first().getAttribute("id")).toBe(active);
      expect(await options().first().getAttribute("aria-selected")).toBe("true");
      await press("Enter");
      expect(await field.inputValue()).toBe(bob);
      expect(await field.getAttribute("aria-expanded")).toBe("false");
      expect(await options().count()).toBe(0);
      const described = page.locator(`[id="${await field.getAttribute("aria-describedby")}"]`);
      expect(await described.innerText()).toMatch(new RegExp(`^Bob of Bonn\\s+${shorten(bob, 10, 8)}$`));
      await alice.inspect("contacts-chosen");
      expect(countChanges()).toBe(before);
      await field.press("Enter");
      await alice.wasNotified(`Shared with Bob of Bonn (${bobShort()})`);
      expect(countChanges()).toBeGreaterThan(before);
      await button(`Revoke access of Bob of Bonn (${bob})`).waitFor();
      const people = page.getByRole("region", { name: "People with access" });
      const person = people.getByRole("listitem").filter({ hasText: "Bob of Bonn" });
      expect(await person.innerText()).toContain(shorten(bob, 10, 8));
      await button("Copy link").click();
      letterLink = await page.evaluate(() => navigator.clipboard.readText());
      expect(letterLink).not.toMatch(/bonn/i);
      await field.fill(STRANGER.replace("11", "33"));
      await alice.sees("Not in your contacts");
      const changes = countChanges();
      await field.fill(NOBODY);
      await alice.sees("Nobody has this address. Ask for the right one.");
      expect(await share.isDisabled()).toBe(true);
      await field.press("Enter");
      expect(countChanges()).toBe(changes);
      await field.fill("");
      await alice.openScreen("Files");
      await page
        .getByRole("row", { name: /letter\.txt/ })
        .getByText(`Shared with Bob of Bonn (${bobShort()})`)
        .waitFor();
    });

    test("contacts of one name differ by their addresses, and Escape closes the list, not the dialog", async () => {
      const { page } = alice;
      const names = ["one.txt", "two.txt"];
      const files = names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) }));
      await alice.choose("Add files", files);
      for (const { name } of files) await page.getByLabel(`Select ${name}`).check();
      await button("Share…").click();
      const field = dialog().getByRole("combobox");
      await field.fill("BOB");
      const texts = [STRANGER, LOOKALIKE].map((address) => `Bob ${shorten(address, 10, 8)}`);
      expect(await options().allTextContents()).toEqual([...texts, expect.stringContaining("Bob of Bonn")]);
      await press("Escape");
      await expect.poll(() => options().count()).toBe(0);
      await press("ArrowUp");
      expect(await options().count()).toBe(3);
      // The last one, the one before it, and around the end to the first.
      await press("ArrowUp", "ArrowUp");
      expect(await options().nth(1).getAttribute("aria-selected")).toBe("true");
      await press("ArrowDown", "ArrowDown", "ArrowDown", "Enter");
      expect(await field.inputValue()).toBe(LOOKALIKE);
      await dialog()
        .getByText(shorten(LOOKALIKE, 10, 8))
        .waitFor();
      await field.fill("");
      await field.click();
      expect(await options().count()).toBe(4);
      await alice.inspect("contacts-dialog");
      await field.click();
      await options().filter({ hasText: "Bob of Bonn" }).click();
      expect(await field.inputValue()).toBe(account(1).address);
      await dialog().getByRole("button", { name: "Share", exact: true }).click();
      await alice.wasNotified(`Shared 2 files with Bob of Bonn (${bobShort()})`);
      // The focus, which a list that is open keeps in its field.
      await press("Escape");
    });

    test("a folder is shared with a contact", async () => {
      const { page } = alice;
      await button("New folder").click();
      await dialog().getByLabel("Name").fill("Letters");
      await press("Enter");
      await page.getByRole("link", { name: "Letters", exact: true }).click();
      await page.getByRole("heading", { name: "Letters" }).waitFor();
      await alice.choose("Add files", { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
      await page.getByRole("link", { name: "a.txt", exact: true }).waitFor();
      await button("Share").click();
      await dialog().getByText("Nobody else can open this folder yet.").waitFor();
      const field = dialog().getByRole("combobox");
      await field.fill("bonn");
      await press("ArrowDown", "Enter", "Enter");
      await alice.wasNotified(`Shared with Bob of Bonn (${bobShort()})`);
      await dialog()
        .getByRole("button", { name: `Revoke access of Bob of Bonn (${account(1).address})` })
        .waitFor();
      await dialog().getByRole("button", { name: "Close" }).click();
    });

    test("a file is given to a contact only once the end of its address is typed", async () => {
      await alice.page.goto(`${web.app.url}#/files`);
      await alice.page.getByRole("link", { name: "one.txt", exact: true }).click();
      await alice.openTab("People");
      await button("Transfer ownership…").click();
      const transfer = dialog().getByRole("button", { name: "Transfer", exact: true });
      await dialog().getByRole("combobox").fill("bob of");
      await dialog().getByLabel("Last four characters").fill("b of");
      expect(await transfer.isDisabled()).toBe(true);
      await dialog().getByRole("combobox").fill(NOBODY);
      await dialog().getByLabel("Last four characters").fill("0000");
      await dialog().getByText("Nobody has this address. Ask for the right one.").waitFor();
      expect(await transfer.isDisabled()).toBe(true);
      await dialog().getByRole("combobox").fill("bob of");
      await dialog().getByLabel("Last four characters").fill("b of");
      await dialog().getByRole("combobox").focus();
      await press("ArrowDown", "ArrowDown", "Enter");
      await dialog()
        .getByText(/^The address ends differently/)
        .waitFor();
      expect(await transfer.isDisabled()).toBe(true);
      await dialog().getByLabel("Last four characters").fill(account(1).address.slice(-4));
      await alice.inspect("contacts-transfer");
      await transfer.click();
      await alice.wasNotified(`Bob of Bonn (${bobShort()}) owns the file now`);
      await alice.sees("Not shared with you");
      await alice.sees("Bob of Bonn");
    });

    test("a name comes from one’s own drive only: not from a link, a message or another account", async () => {
      const bob = await openAs(/Bob/, narrow);
      const short = shorten(account(0).address, 6, 4);
      await bob.page.goto("about:blank");
      await bob.page.goto(letterLink);
      await bob.sees(LETTER);
      const theirs = await openDriveOf(account(0).privateKey);
      const letter = theirs.listAll().find(({ name }) => name === "letter.txt");
      const message = await theirs.createMessage(letter ?? "", { to: account(1).address });
      await theirs.close();
      const own = await openDriveOf(account(1).privateKey);
      await own.receive(message);
      await own.close();
      await bob.openScreen("Shared");
      await bob.page.reload();
      const kept = bob.page.getByRole("region", { name: "Kept for you" });
      await kept.getByText(`From ${short}`).waitFor();
      expect(
        await bob.page
          .getByRole("main")
          .getByText(/Bonn|Alice/)
          .count(),
      ).toBe(0);
      await openContacts(bob);
      await bob.sees("No contacts yet");
      await addContact(account(0).address, "Alice", "", bob);
      await bob.inspect("contacts-narrow");
      await bob.openScreen("Shared");
      await kept.getByText(`From Alice ${short}`).waitFor();
      await bob.page.getByRole("region", { name: "Opened on this device" }).getByText(`From Alice ${short}`).waitFor();
      await bob.inspect("contacts-shared");
      expect(bob.complaints).toEqual([]);
      expect(await bob.listLayoutShifts()).toEqual([]);
      await bob.context.close();
    });

    test("another device of the account has the same contacts, and German its texts", async () => {
      const phone = await openAs(/Alice/, narrow);
      await openContacts(phone);
      await expect.poll(() => row(/./, phone).count()).toBe(4);
      await phone.openScreen("Settings");
      await phone.page.getByText("Deutsch", { exact: true }).click();
      await phone.page.goto(`${web.app.url}#/contacts`);
      await phone.page.getByRole("heading", { name: "Kontakte", exact: true }).waitFor();
      await phone.inspect("contacts-german");
      await phone.page.getByRole("button", { name: `Bob of Bonn (${bobShort()}) löschen` }).click();
      await phone.wasNotified("Bob of Bonn gelöscht");
      expect(phone.complaints).toEqual([]);
      await phone.context.close();
    });
  },
  600_000,
);
