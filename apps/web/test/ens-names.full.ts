import { Wallet } from "ethers";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDrive } from "../../../packages/drive/src/index.ts";
import { createApiKey, openJournal } from "../../../src/index.ts";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { scratch } from "../../../test/support/files.ts";
import { type RunningApp, startApp } from "./app.ts";
import { OFFCHAIN, type RunningEns, startEns } from "./ens/start-ens.ts";
import { narrow, openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";

const executablePath = await findChromium();
const LETTER = "Dear Bob, the key is under the mat.";
const MINUTES = 600_000;
/** Where names lead that are somebody else’s by now. */
const STRANGER = `0x${"ab".repeat(20)}`;

describe.skipIf(!executablePath)(
  "ENS names in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let ens: RunningEns;
    let alice: Person;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ chain: true }, undefined, async (devnet) => {
          ens = await startEns(devnet);
          await ens.setName("bob.eth", addressOf(1, devnet));
          await ens.setName("carol.eth", addressOf(2, devnet));
          return ens.network;
        }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      alice = await openBrowserAs(browser, app, wide);
      await alice.page.getByRole("button", { name: /Alice/ }).click();
      await waitForFolders(alice.page);
      await alice.choose("Add files", { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from(LETTER) });
      await alice.sees("1 upload complete");
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.openTab("People");
    }, MINUTES);
    afterAll(async () => {
      ens?.close();
      await browser?.close();
      await app?.close();
    });

    const addressOf = (at: number, { accounts } = app.devnet) => (accounts[at]?.address ?? "").toLowerCase();
    const button = (name: string) => alice.page.getByRole("button", { name, exact: true });
    const dialog = () => alice.page.getByRole("dialog");
    const field = () => alice.page.getByRole("combobox", { name: "Wallet address or contact" });
    const options = () => alice.page.getByRole("listbox", { name: "Contacts" }).getByRole("option");
    const share = () => button("Share").last();
    const short = (address: string) => `${address.slice(0, 10)}…${address.slice(-8)}`;
    const row = (name: string) =>
      alice.page.getByRole("region", { name: "Contacts" }).getByRole("listitem").filter({ hasText: name });
    /** Requests that would change who can open a file. */
    const countChanges = () =>
      app.devnet.requests().filter(({ service, method }) => service === "keyNodes" && method === "PUT").length;

    async function openContacts(): Promise<void> {
      await alice.page.goto("about:blank");
      await alice.page.goto(`${app.url}#/contacts`);
      await alice.page.getByRole("heading", { name: "Contacts", exact: true }).waitFor();
    }

    async function addContact(address: string, name: string): Promise<void> {
      await button("Add contact").click();
      await dialog().getByLabel("Wallet address").fill(address);
      await dialog().getByLabel("Name").fill(name);
      await dialog().getByRole("button", { name: "Save" }).click();
      await dialog().waitFor({ state: "detached" });
    }

    /** Opens the drive of the account on another device; `show` stores what it changed, and makes the page read that. */
    async function openOtherDevice() {
      const { endpoints, accounts } = app.devnet;
      const signer = new Wallet(accounts[0]?.privateKey ?? "");
      const apiKey = await createApiKey({ signer, endpoints });
      const drive = await openDrive({
        apiKey,
        signer,
        endpoints,
        journal: await openJournal({ folder: await scratch() }),
      });
      const show = async () => {
        await drive.sync();
        // As another tab does that has changed something.
        await alice.page.evaluate(() => new BroadcastChannel("keeplight files").postMessage("changed"));
      };
      return { drive, show };
    }

    test("a name is never shared with: its address is shown, chosen with the keyboard, and put in the field", async () => {
      const before = countChanges();
      await field().fill("BOB.eth");
      expect(await share().isDisabled()).toBe(true);
      await options().first().waitFor();
      expect(await options().allTextContents()).toEqual([`bob.eth ${short(addressOf(1))}ENS`]);
      await alice.sees(`bob.eth leads to ${short(addressOf(1))}`);
      expect(await share().isDisabled()).toBe(true);
      await alice.page.keyboard.press("Enter");
      await alice.page.keyboard.press("ArrowDown");
      await alice.inspect("ens-combobox");
      expect(await options().first().getAttribute("aria-selected")).toBe("true");
      expect(countChanges()).toBe(before);
      await alice.page.keyboard.press("Enter");
      expect(await field().inputValue()).toBe(addressOf(1));
      await alice.sees("Not in your contacts");
      expect(countChanges()).toBe(before);
      await field().press("Enter");
      await button(`Revoke access of ${addressOf(1)}`).waitFor();
    });

    test("another name has no address of the one before, whatever the order of responses", async () => {
      await field().fill("bob.eth");
      await options().first().waitFor();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await alice.page.route(ens.network.rpc, async (route) => {
        await held;
        await route.continue();
      });
      await field().fill("carol.eth");
      await alice.sees("Looking up the name…");
      expect(await options().count()).toBe(0);
      // It may lead elsewhere by now: an address that is about to be replaced cannot be clicked.
      await field().fill("bob.eth");
      expect(await options().count()).toBe(0);
      await alice.sees("Looking up the name…");
      await field().fill("carol.eth");
      release();
      await expect.poll(() => options().allTextContents()).toEqual([`carol.eth ${short(addressOf(2))}ENS`]);
      await alice.page.unroute(ens.network.rpc);
    });

    test("a name without an address, one that is kept elsewhere, and one that is none are refused in the user’s words", async () => {
      const asked: string[] = [];
      alice.page.on("request", (request) => asked.push(new URL(request.url()).host));
      for (const [name, text] of [
        ["nobody.eth", "This name leads to no address."],
        [OFFCHAIN, /^This name’s address isn’t stored on Ethereum itself/],
        ["b_ob.eth", "That isn’t a valid ENS name. Check its spelling."],
      ] as const) {
        await field().fill(name);
        await alice.sees(text);
        expect(await share().isDisabled()).toBe(true);
        expect(await options().count()).toBe(0);
      }
      expect(asked.filter((host) => host.includes("example"))).toEqual([]);
      await alice.page.route(ens.network.rpc, (route) => route.abort());
      await field().fill("carol.eth");
      await alice.sees(/^The name couldn’t be looked up/);
      await alice.page.unroute(ens.network.rpc);
      await alice.page.route(ens.network.rpc, async (route) => {
        const { id, method } = route.request().postDataJSON() as { id: number; method: string };
        if (method !== "eth_chainId") return route.continue();
        await route.fulfill({ json: { jsonrpc: "2.0", id, result: "0x1" } });
      });
      await field().fill("CAROL.eth");
      await alice.sees(/^The Ethereum node is on another network/);
      expect(await options().count()).toBe(0);
      await alice.page.unroute(ens.network.rpc);
      await field().fill("");
    });

    test("a contact keeps the name beside the address, all of which is shown before it is saved", async () => {
      await openContacts();
      await button("Add contact").click();
      const save = dialog().getByRole("button", { name: "Save" });
      await dialog().getByLabel("Name").fill("Bob");
      await dialog().getByLabel("Wallet address").fill("Bob.eth");
      expect(await save.isDisabled()).toBe(true);
      await dialog().getByText(addressOf(1), { exact: true }).waitFor();
      await alice.inspect("ens-contact");
      await save.click();
      await row("Bob").getByText(addressOf(1), { exact: true }).waitFor();
      await row("Bob").getByText("bob.eth", { exact: true }).waitFor();
      await row("Bob").getByText("leads to this address").waitFor();
      await addContact("carol.eth", "Carol");
      await row("Carol").getByText("leads to this address").waitFor();
      // Changing another fact keeps the name; and so does Undo.
      await button(`Edit Bob (${addressOf(1).slice(0, 6)}…${addressOf(1).slice(-4)})`).click();
      await dialog().getByLabel("Name").fill("Bob of Bonn");
      await dialog().getByRole("button", { name: "Save" }).click();
      await row("Bob of Bonn").getByText("bob.eth", { exact: true }).waitFor();
      await button(`Delete Bob of Bonn (${addressOf(1).slice(0, 6)}…${addressOf(1).slice(-4)})`).click();
      await row("Bob of Bonn").waitFor({ state: "detached" });
      await button("Undo").click();
      await row("Bob of Bonn").getByText("bob.eth", { exact: true }).waitFor();
      await alice.page.getByLabel("Search contacts").fill("carol.eth");
      await expect.poll(() => row("").count()).toBe(1);
      await alice.page.getByLabel("Search contacts").fill("");
    });

    test("a name that leads elsewhere is reported and asked about; the contact does not change by itself", async () => {
      await ens.setName("bob.eth", STRANGER);
      await openContacts();
      await row("Bob of Bonn").getByText("leads to another address now").waitFor();
      await row("Carol").getByText("leads to this address").waitFor();
      await row("Bob of Bonn").getByText(addressOf(1), { exact: true }).waitFor();
      await alice.inspect("ens-moved");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      await button("Review bob.eth").click();
      await dialog().getByText(addressOf(1), { exact: true }).waitFor();
      await dialog().getByText(STRANGER, { exact: true }).waitFor();
      await alice.inspect("ens-review");
      await dialog().getByRole("button", { name: "Cancel" }).click();
      await dialog().waitFor({ state: "detached" });
      await row("Bob of Bonn").getByText(addressOf(1), { exact: true }).waitFor();
      // Where somebody shares, the contact has its own address, and the name is no longer the contact’s.
      await alice.page.goto(`${app.url}#/files`);
      await alice.page.getByRole("link", { name: "letter.txt", exact: true }).click();
      await alice.openTab("People");
      const warning = "When you saved Bob of Bonn, this name led to another address. Ask them before you share.";
      await field().fill("bob.eth");
      await expect
        .poll(() => options().allTextContents())
        .toEqual([`Bob of Bonn ${short(addressOf(1))}`, `bob.eth ${short(STRANGER)}${warning}ENS`]);
      await alice.inspect("ens-led-elsewhere");
      await field().fill("");
    });

    test("what another device changes meanwhile is kept, and a review of what it removed closes", async () => {
      const { drive, show } = await openOtherDevice();
      const bob = { name: "Bob of Bonn", ens: "bob.eth" };
      await openContacts();
      await button("Review bob.eth").click();
      await dialog().getByText(STRANGER, { exact: true }).waitFor();
      await drive.setContact(addressOf(1), { ...bob, note: "met in Bonn" });
      await show();
      await row("Bob of Bonn").getByText("met in Bonn").waitFor();
      await dialog().getByRole("button", { name: "Keep saved address, forget the name" }).click();
      await dialog().waitFor({ state: "detached" });
      await expect.poll(() => row("Bob of Bonn").getByText("bob.eth").count()).toBe(0);
      await row("Bob of Bonn").getByText("met in Bonn").waitFor();
      // A change of the contact here keeps what its form does not show.
      const edit = `Edit Bob of Bonn (${addressOf(1).slice(0, 6)}…${addressOf(1).slice(-4)})`;
      await button(edit).click();
      await drive.sync();
      await drive.setContact(addressOf(1), bob);
      await show();
      await row("Bob of Bonn").getByText("leads to another address now").waitFor();
      await dialog().getByRole("button", { name: "Save" }).click();
      await dialog().waitFor({ state: "detached" });
      await button("Review bob.eth").click();
      await dialog().getByText(STRANGER, { exact: true }).waitFor();
      await drive.sync();
      await drive.removeContact(addressOf(1));
      await show();
      await dialog().waitFor({ state: "detached" });
      await drive.setContact(addressOf(1), bob);
      await drive.close();
    });

    test("the saved address is kept without the name, or the new one is used, by a press", async () => {
      await openContacts();
      await button("Review bob.eth").click();
      await dialog().getByRole("button", { name: "Keep saved address, forget the name" }).click();
      await dialog().waitFor({ state: "detached" });
      await row("Bob of Bonn").getByText(addressOf(1), { exact: true }).waitFor();
      await expect.poll(() => row("Bob of Bonn").getByText("bob.eth").count()).toBe(0);
      await ens.setName("carol.eth", addressOf(3));
      await openContacts();
      await button("Review carol.eth").click();
      await dialog().getByRole("button", { name: "Use new address" }).click();
      await dialog().waitFor({ state: "detached" });
      await row("Carol").getByText(addressOf(3), { exact: true }).waitFor();
      await expect.poll(() => row("").count()).toBe(2);
      // An address that is a contact already is not given to another one.
      await ens.setName("carol.eth", addressOf(1));
      await openContacts();
      await button("Review carol.eth").click();
      await dialog().getByText("You’ve named this address already: Bob of Bonn").waitFor();
      expect(await dialog().getByRole("button", { name: "Use new address" }).isDisabled()).toBe(true);
      await alice.page.keyboard.press("Escape");
      await ens.setName("carol.eth", `0x${"0".repeat(40)}`);
      await openContacts();
      await row("Carol").getByText("leads to no address now").waitFor();
    });

    test("an app without a node for names says so, in German, too", async () => {
      const plain = await startApp({ chain: false });
      const person = await openBrowserAs(browser, plain, narrow);
      await person.page.getByRole("button", { name: /Alice/ }).click();
      await waitForFolders(person.page);
      await person.openScreen("Settings");
      await person.page.getByText("Deutsch", { exact: true }).click();
      await person.page.goto(`${plain.url}#/contacts`);
      await person.page.getByRole("button", { name: "Kontakt hinzufügen" }).click();
      await person.page.getByRole("dialog").getByLabel("Wallet-Adresse").fill("bob.eth");
      await person.page
        .getByText("ENS-Namen lassen sich hier nicht nachschlagen. Bitte die Adresse einfügen.")
        .first()
        .waitFor();
      await person.inspect("ens-unconfigured");
      expect(person.complaints).toEqual([]);
      await person.context.close();
      await plain.close();
      expect(alice.complaints).toEqual([]);
      expect(await alice.listLayoutShifts()).toEqual([]);
    });
  },
  MINUTES,
);
