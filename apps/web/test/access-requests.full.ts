import { getAddress, Wallet } from "ethers";
import { base16 } from "multiformats/bases/base16";
import { CID } from "multiformats/cid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, createKit } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { narrow, openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";

const executablePath = await findChromium();
const LETTER = "Dear Bob, the key is under the mat.";
const SECOND = "Dear Bob, the key is in the pot.";
/** An address of nobody. */
const STRANGER = getAddress(`0x${"ab".repeat(20)}`);

describe.skipIf(!executablePath)(
  "asking for access in the web app",
  () => {
    const web = appForTests(executablePath, { chain: false });
    let alice: Person;
    let bob: Person;
    /** Links of Alice's files, which are not shared. */
    const links: Record<string, string> = {};
    let request = "";

    beforeAll(async () => {
      [alice, bob] = await Promise.all([open(wide), open(narrow)]);
      await signIn(alice, /Alice/);
      for (const name of ["letter.txt", "old.txt", "gone.txt"]) await add(name, LETTER);
      for (const name of ["letter.txt", "old.txt", "gone.txt"]) links[name] = await copyFileLink(name);
      await signIn(bob, /Bob/);
    }, 600_000);
    afterAll(async () => {
      expect(alice.complaints).toEqual([]);
      expect(bob.complaints).toEqual([]);
    });

    const open = (size: typeof wide) => openBrowserAs(web.browser, web.app, size);
    const bobsAddress = () => web.app.devnet.accounts[1]?.address ?? "";
    const button = (name: string | RegExp, { page } = alice) => page.getByRole("button", { name, exact: true });
    const dialog = ({ page } = alice) => page.getByRole("dialog");
    const readClipboard = ({ page }: Person) => page.evaluate(() => navigator.clipboard.readText());
    const toCid = (link = "") => link.split("/file/")[1]?.split("/")[0] ?? "";
    const ask = (cid: string, fields: Record<string, string>) =>
      `${web.app.url}#/request/${cid}?${new URLSearchParams(fields)}`;
    /** Requests that would change who can open a file. */
    const countChanges = () =>
      web.app.devnet.requests().filter(({ service, method }) => service === "keyNodes" && method === "PUT").length;

    async function signIn(person: Person, name: RegExp): Promise<void> {
      await person.page.getByRole("button", { name }).click();
      await person.page.getByRole("button", { name: "Lock", exact: true }).waitFor();
    }

    async function add(name: string, text: string): Promise<void> {
      await alice.choose("Add files", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
      await alice.page.getByRole("link", { name, exact: true }).waitFor();
    }

    /** Opens a URL as somebody who clicks on it elsewhere. */
    async function visit(person: Person, url: string): Promise<void> {
      await person.page.goto("about:blank");
      await person.page.goto(url);
    }

    async function copyFileLink(name: string): Promise<string> {
      await visit(alice, `${web.app.url}#/files`);
      await alice.page.getByRole("link", { name, exact: true }).click();
      await alice.openTab("People");
      await button("Copy link").click();
      return readClipboard(alice);
    }

    test("who is refused is offered a link to send, which names the file and the own address, and no secret", async () => {
      await visit(bob, links["letter.txt"] ?? "");
      await bob.sees("You have no access to this file");
      // The way back is the screen that the navigation marks.
      const back = bob.page.getByRole("main").getByRole("link", { name: "Shared", exact: true });
      expect(await back.getAttribute("href")).toBe("#/shared");
      await bob.page.locator("nav a[aria-current]", { hasText: "Shared" }).waitFor();
      await button("Ask for access", bob).click();
      await dialog(bob)
        .getByText(/Nothing is sent for you/)
        .waitFor();
      const before = web.app.devnet.requests().length;
      await dialog(bob).getByLabel("Note (optional)").fill("It’s me, Bob <b>of Bonn</b>");
      await bob.inspect("request-ask");
      await dialog(bob).getByRole("button", { name: "Copy link" }).click();
      request = await readClipboard(bob);
      const note = new URLSearchParams({ note: "It’s me, Bob <b>of Bonn</b>" });
      const query = `?from=${getAddress(bobsAddress())}&${note}`;
      expect(request).toBe(`${web.app.url}#/request/${toCid(links["letter.txt"])}${query}`);
      expect(web.app.devnet.requests().length).toBe(before);
      // This browser has no dialog to share links by; where there is one, it receives the same link.
      expect(await button("Send…", bob).count()).toBe(0);
      await bob.page.keyboard.press("Escape");
      await dialog(bob).waitFor({ state: "detached" });
      await bob.page.evaluate(() => {
        const share = async (data: ShareData) => void Object.assign(globalThis, { sharedData: data });
        Object.assign(Navigator.prototype, { share });
      });
      await button("Ask for access", bob).click();
      await dialog(bob).getByLabel("Note (optional)").fill("It’s me, Bob <b>of Bonn</b>");
      await button("Send…", bob).click();
      const read = () => bob.page.evaluate(() => (globalThis as { sharedData?: ShareData }).sharedData?.url);
      await expect.poll(read).toBe(request);
      await bob.page.keyboard.press("Escape");
      await bob.openTab("People");
      await bob.sees("Not shared with you");
      await button("Ask for access", bob).waitFor();
    });

    test("a person’s own request says whom it is for", async () => {
      await visit(bob, request);
      await bob.page.getByRole("heading", { name: "Your request for access" }).waitFor();
      expect(await button("Share…", bob).count()).toBe(0);
    });

    test("the link survives the owner’s sign-in, and shows the address, the own name of the file, and the note as text", async () => {
      await button("Lock").click();
      await alice.page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      await visit(alice, request);
      await alice.page.getByRole("heading", { name: "Someone asks you for access." }).waitFor();
      // Nothing of what anyone may have written.
      expect(await alice.page.getByText("of Bonn").count()).toBe(0);
      await alice.inspect("request-connect");
      const before = countChanges();
      await signIn(alice, /Alice/);
      await alice.page.getByRole("heading", { name: "Someone asks for access" }).waitFor();
      const who = alice.page.getByRole("region", { name: "Who asks" });
      await who.getByText("Not in your contacts").waitFor();
      await who.getByText(bobsAddress().toLowerCase(), { exact: true }).waitFor();
      await who.getByText(/Compare the whole address with what the person sent you another way/).waitFor();
      await who.getByText("It’s me, Bob <b>of Bonn</b>", { exact: true }).waitFor();
      await alice.page.getByRole("region", { name: "What they ask for" }).getByText("letter.txt").waitFor();
      await alice.inspect("request");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      expect(countChanges()).toBe(before);
    });

    test("the address is saved as a contact under a name that the owner types", async () => {
      await button("Add contact").click();
      expect(await dialog().getByLabel("Wallet address").inputValue()).toBe(bobsAddress().toLowerCase());
      expect(await dialog().getByLabel("Name").inputValue()).toBe("");
      await dialog().getByLabel("Name").fill("Bob");
      await dialog().getByRole("button", { name: "Save" }).click();
      const who = alice.page.getByRole("region", { name: "Who asks" });
      await who.getByText("Bob", { exact: true }).waitFor();
      await who.getByText(/Ask Bob another way whether it’s from them/).waitFor();
      expect(await button("Add contact").count()).toBe(0);
    });

    test("sharing takes two presses, the second in the usual dialog; then the person opens the file", async () => {
      const before = countChanges();
      await button("Share…").press("Enter");
      const field = dialog().getByRole("combobox");
      expect(await field.inputValue()).toBe(bobsAddress().toLowerCase());
      await alice.inspect("request-share");
      expect(countChanges()).toBe(before);
      await alice.page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
      expect(countChanges()).toBe(before);
      await button("Share…").click();
      await dialog().getByRole("button", { name: "Share", exact: true }).click();
      await alice.wasNotified(
        `Shared 1 file with Bob (${bobsAddress().toLowerCase().slice(0, 6)}…${bobsAddress().toLowerCase().slice(-4)})`,
      );
      await alice.sees(/^A key node lists Bob \(0x.+\) with access already/);
      await visit(bob, links["letter.txt"] ?? "");
      await bob.sees(LETTER);
      // Somebody else’s request for the same file is another one.
      await visit(alice, ask(toCid(links["letter.txt"]), { from: STRANGER }));
      await alice.sees("Not in your contacts");
      expect(await alice.page.getByText("with access already").count()).toBe(0);
    });

    test("a link of an older version shares that version, and says so", async () => {
      await visit(alice, `${web.app.url}#/files`);
      await waitForFolders(alice.page);
      await alice.choose("Add files", { name: "old.txt", mimeType: "text/plain", buffer: Buffer.from(SECOND) });
      await dialog().getByRole("button", { name: "Replace" }).click();
      await alice.sees("1 upload complete");
      expect(await copyFileLink("old.txt")).not.toBe(links["old.txt"]);
      await visit(alice, ask(toCid(links["old.txt"]), { from: getAddress(bobsAddress()) }));
      await alice.sees("The link is for an older version. Sharing it doesn’t share the current one.");
      await alice.page.getByRole("region", { name: "What they ask for" }).getByText("old.txt").waitFor();
      await button("Share…").click();
      await dialog().getByRole("button", { name: "Share", exact: true }).click();
      await alice.sees(/with access already/);
      await visit(bob, links["old.txt"] ?? "");
      await bob.sees(LETTER);
    });

    test("what is in the trash is not offered until it is restored", async () => {
      await visit(alice, `${web.app.url}#/files`);
      await button("Move gone.txt to trash").click();
      await alice.page.getByRole("link", { name: "gone.txt", exact: true }).waitFor({ state: "detached" });
      await visit(alice, ask(toCid(links["gone.txt"]), { from: STRANGER, note: "please" }));
      await alice.sees(/It’s in the trash/);
      await alice.inspect("request-trashed");
      expect(await button("Share…").count()).toBe(0);
      await alice.page.getByRole("main").getByRole("link", { name: "Open trash" }).click();
      await button("Restore gone.txt").click();
      await alice.page.getByText("Trash is empty").waitFor();
      await visit(alice, ask(toCid(links["gone.txt"]), { from: STRANGER }));
      await button("Share…").waitFor();
    });

    test("nothing is offered for files of others, unknown ones and links that are damaged", async () => {
      const notOwn = async (person: Person) => {
        await person.page.getByRole("heading", { name: "Not a file of this account" }).waitFor();
        for (const name of ["Share…", "Add contact"]) expect(await button(name, person).count()).toBe(0);
        expect(await person.page.getByText("please").count()).toBe(0);
      };
      // Bob may open this one, and does not own it.
      await visit(bob, ask(toCid(links["letter.txt"]), { from: STRANGER, note: "please" }));
      await notOwn(bob);
      await bob.inspect("request-not-own");
      const unknown = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq";
      await visit(alice, ask(unknown, { from: STRANGER, note: "please" }));
      await notOwn(alice);
      const cid = toCid(links["letter.txt"]);
      for (const url of [
        ask(cid, { from: STRANGER.toLowerCase() }),
        ask(cid, { note: "please" }),
        ask("letter.txt", { from: STRANGER }),
        ask(cid, { from: `0x${"0".repeat(40)}` }),
        `${ask(cid, { from: STRANGER })}&from=${getAddress(bobsAddress())}`,
      ]) {
        await visit(alice, url);
        await alice.sees("This request can’t be read");
        expect(await button("Share…").count()).toBe(0);
      }
    });

    test("a file that was given away is not offered, although the list has it", async () => {
      const { endpoints, accounts } = web.app.devnet;
      const cid = toCid(links["gone.txt"]);
      const owner = createKit({ endpoints, pauseMs: 0, signer: new Wallet(accounts[0]?.privateKey ?? "") });
      await owner.kavachTransferOwnership(cid, { newOwner: accounts[2]?.address ?? "" });
      await visit(alice, ask(cid, { from: STRANGER, note: "please" }));
      await alice.page.getByRole("heading", { name: "Not a file of this account" }).waitFor();
      expect(await button("Share…").count()).toBe(0);
    });

    test("the drive’s key is not offered, whatever the listing calls it, and a name of the listing is said to be one", async () => {
      const { endpoints, accounts } = web.app.devnet;
      const signer = new Wallet(accounts[0]?.privateKey ?? "");
      const kit = createKit({ endpoints, pauseMs: 0, signer, apiKey: await createApiKey({ signer, endpoints }) });
      const [loose] = await kit.uploadEncrypted(new File(["a"], "loose.txt"));
      let key = "";
      for await (const { fileName, cid } of kit.iterateFiles()) if (fileName === "keeplight-drive-key") key = cid;
      const { page } = alice;
      await page.route("**/api/user/files_uploaded*", async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replaceAll("keeplight-drive-key", "holiday.txt");
        await route.fulfill({ response, body });
      });
      await visit(alice, ask(key, { from: STRANGER, note: "please" }));
      await page.getByRole("heading", { name: "Not a file of this account" }).waitFor();
      expect(await button("Share…").count()).toBe(0);
      await visit(alice, `${web.app.url}#/files`);
      await page.getByRole("link", { name: "loose.txt", exact: true }).waitFor();
      expect(await page.getByRole("link", { name: "holiday.txt", exact: true }).count()).toBe(0);
      // Nor from the page of the file, under another encoding of its content id.
      for (const cid of [key, CID.parse(key).toString(base16)]) {
        await visit(alice, `${web.app.url}#/file/${cid}/people`);
        await alice.sees("It opens the names of all your files and folders");
        expect(await button("Share").count()).toBe(0);
        expect(await button("Create link").count()).toBe(0);
        await alice.openTab("Conditions");
        await alice.sees("It opens the names of all your files and folders");
        expect(await button("Delete").count()).toBe(0);
      }
      await page.unroute("**/api/user/files_uploaded*");
      await visit(alice, ask(loose.Hash, { from: STRANGER }));
      await button("Share…").waitFor();
      await alice.sees("this name is only what the network says");
      await alice.inspect("request-network-name");
      await visit(alice, ask(toCid(links["letter.txt"]), { from: STRANGER }));
      await button("Share…").waitFor();
      expect(await page.getByText("what the network says").count()).toBe(0);
    });

    test("a key node that does not respond is no refusal, and nothing is offered until it does", async () => {
      const restore = web.app.devnet.faults.add({
        service: "keyNodes",
        method: "GET",
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await visit(alice, ask(toCid(links["letter.txt"]), { from: STRANGER }));
      const again = button("Try again");
      await again.waitFor();
      expect(await alice.page.getByText("Not a file of this account").count()).toBe(0);
      restore();
      await again.click();
      await button("Share…").waitFor();
    });

    test("a folder of the drive, and one that was uploaded as a whole, are asked for and shared", async () => {
      await visit(alice, `${web.app.url}#/files`);
      await button("New folder").click();
      await dialog().getByLabel("Name").fill("Letters");
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("link", { name: "Letters", exact: true }).click();
      await alice.page.getByRole("heading", { name: "Letters" }).waitFor();
      await add("a.txt", "a");
      await button("Share").click();
      await dialog().getByRole("button", { name: "Copy link" }).click();
      const letters = await readClipboard(alice);
      const { endpoints, accounts } = web.app.devnet;
      const signer = new Wallet(accounts[0]?.privateKey ?? "");
      const kit = createKit({ endpoints, pauseMs: 0, signer, apiKey: await createApiKey({ signer, endpoints }) });
      const b = new File(["b"], "b.txt");
      Object.defineProperty(b, "webkitRelativePath", { value: "Photos/b.txt" });
      const photos = await kit.uploadEncryptedFolder([b]);
      const cids = { Letters: letters.split("/folder/")[1] ?? "", Photos: photos.cid };
      for (const [name, cid] of Object.entries(cids)) {
        const link = `${web.app.url}#/folder/${cid}`;
        await visit(bob, link);
        await bob.sees("You have no access to this file");
        await button("Ask for access", bob).click();
        await dialog(bob).getByRole("button", { name: "Copy link" }).click();
        await visit(alice, await readClipboard(bob));
        await alice.page.getByRole("region", { name: "What they ask for" }).getByText(name, { exact: true }).waitFor();
        // A folder that was uploaded as a whole cannot change.
        const asItIsNow = alice.page.getByText("You’d share the folder as it is now");
        expect(await asItIsNow.count()).toBe(name === "Letters" ? 1 : 0);
        await alice.inspect(`request-folder-${name}`);
        await button("Share…").click();
        await expect.poll(() => dialog().getByRole("combobox").inputValue()).toBe(bobsAddress().toLowerCase());
        await dialog().getByRole("button", { name: "Share", exact: true }).click();
        await dialog()
          .getByRole("button", { name: /^Revoke access of Bob/ })
          .waitFor();
        await dialog().getByRole("button", { name: "Close" }).click();
        await alice.sees(/with access already/);
        await visit(bob, link);
        await bob.sees("1 item");
      }
    });

    test("a request that is pasted under Shared is opened as one", async () => {
      await alice.openScreen("Shared");
      await alice.page.getByLabel("Link or CID").fill(`Please: ${request}`);
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("heading", { name: "Someone asks for access" }).waitFor();
      await alice.sees(/with access already/);
      await alice.openScreen("Settings");
      await alice.page.getByText("Deutsch", { exact: true }).click();
      await visit(alice, request);
      await alice.page.getByRole("heading", { name: "Jemand bittet um Zugriff" }).waitFor();
      await alice.page.getByText(/^Laut einem Schlüsselknoten hat Bob .* schon Zugriff/).waitFor();
      await alice.inspect("request-german");
    });
  },
  600_000,
);
