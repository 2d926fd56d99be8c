import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listFiles } from "../../../src/index.ts";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { narrow, openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";
import { injectWallet, type TestWallet } from "./test-wallet.ts";

const executablePath = await findChromium();
const NOTE = "# Holiday\n\nIt rained. We stayed in and read.\n";
const MIB = 1024 * 1024;

describe.skipIf(!executablePath)(
  "two people use the web app, each with a browser of their own",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let alice: Person;
    let bob: Person;
    let wallet: TestWallet;
    let noteLink = "";
    let hasFailed = false;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ proofDelayMs: 100 }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      [alice, bob] = await Promise.all([openBrowserAs(browser, app, wide), openBrowserAs(browser, app, narrow)]);
    }, 600_000);

    // The tests form one story: each depends on the ones before.
    beforeEach(({ skip }) => skip(hasFailed, "an earlier step failed"));
    afterEach(({ task }) => {
      hasFailed ||= task.result?.state === "fail";
    });

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    const bobsAddress = () => app.devnet.accounts[1]?.address ?? "";
    test("Alice connects an injected wallet, Bob an account of the devnet, by keyboard alone", async () => {
      wallet = await injectWallet(alice, app);
      await alice.page.getByRole("button", { name: /Harbour Wallet/ }).waitFor();
      await alice.inspect("connect");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      wallet.rejectNext("personal_sign");
      await alice.page.getByRole("button", { name: /Harbour Wallet/ }).click();
      await alice.sees("Signature rejected");
      await alice.inspect("not-signed");
      const sign = wallet.hold("personal_sign");
      await alice.page.getByRole("button", { name: "Try again" }).click();
      await alice.sees("Sign the message in Harbour Wallet…");
      await alice.inspect("connect-waiting");
      await alice.page.getByRole("button", { name: "Cancel" }).click();
      const choice = alice.page.getByRole("button", { name: /Harbour Wallet/ });
      expect(await choice.evaluate((button) => button === document.activeElement)).toBe(true);
      sign();
      for (const method of ["eth_accounts", "eth_requestAccounts"]) wallet.rejectNext(method);
      await choice.click();
      await alice.sees("Request rejected in your wallet");
      await alice.inspect("not-connected");
      await alice.page.getByRole("button", { name: "Try again" }).click();
      await alice.page.getByRole("heading", { name: "Files", exact: true }).waitFor();

      const { keyboard } = bob.page;
      await bob.page.getByRole("button", { name: /Bob/ }).waitFor();
      // Past the buttons for language and theme and Alice, to Bob.
      for (let press = 0; press < 4; press++) await keyboard.press("Tab");
      await keyboard.press("Enter");
      await bob.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    });

    test("nothing secret is stored beyond the page", async () => {
      const kept = await alice.page.evaluate(async () => ({
        local: { ...localStorage },
        session: { ...sessionStorage },
        cookies: document.cookie,
        databases: (await indexedDB.databases()).map(({ name }) => name),
      }));
      // Encrypted by a key that no page can read: the sessions of this site, and a journal of a random name.
      const databases = expect.arrayContaining(["keeplight", expect.stringMatching(/^[0-9a-f]{32}$/)]);
      expect(kept).toEqual({ local: { "keeplight.wallet": "test.harbour" }, session: {}, cookies: "", databases });
      expect(kept.databases).toHaveLength(2);
    });

    test("Alice adds files by keyboard and by drag and drop, sees progress, and retries a failed upload", async () => {
      await waitForFolders(alice.page);
      await alice.inspect("files-empty");
      const restore = app.devnet.faults.add({
        service: "upload",
        times: 1,
        action: { kind: "respond", status: 503, json: { message: "Busy" } },
      });
      const add = alice.page.getByRole("button", { name: "Add files" });
      await add.focus();
      const [chooser] = await Promise.all([alice.page.waitForEvent("filechooser"), alice.page.keyboard.press("Enter")]);
      await chooser.setFiles([{ name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from(NOTE) }]);
      await alice.sees(/service has a problem/);
      await alice.inspect("upload-failed");
      restore();
      await alice.page.getByRole("button", { name: "Retry" }).click();
      await alice.sees("1 upload complete");

      const picture = (await alice.page.screenshot()).toString("base64");
      await alice.page.evaluate(async (base64) => {
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        transfer.items.add(new File([bytes], "harbour.png", { type: "image/png" }));
        transfer.items.add(new File([new Uint8Array(24 * 1024 * 1024)], "film.mp4", { type: "video/mp4" }));
        const zone = document.querySelector(".drop-zone");
        zone?.dispatchEvent(new DragEvent("dragover", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        zone?.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      }, picture);
      await alice.page.getByRole("progressbar", { name: "film.mp4" }).waitFor();
      await alice.sees("3 uploads complete");

      await alice.page.getByRole("radio", { name: "Public" }).check({ force: true });
      const publicFile = { name: "for-all.txt", mimeType: "text/plain", buffer: Buffer.from("Hello, all") };
      await alice.choose("Add files", publicFile);
      await alice.sees("4 uploads complete");
      await alice.sees("4 files");
      // Only what distinguishes a file is shown, and the exact time of a relative one.
      const row = alice.page.getByRole("row", { name: /notes\.md/ });
      expect(await row.locator("time").getAttribute("title")).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d/);
      expect(await row.textContent()).not.toMatch(/deal|stored/i);
      expect(await row.textContent()).toContain(`${NOTE.length} bytes`);
      await alice.inspect("files");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
    });

    test("a cancelled upload is not stored, and can be retried", async () => {
      const restore = app.devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 3_000 } });
      await alice.choose("Add files", {
        name: "second-thoughts.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("no"),
      });
      await alice.page.getByRole("button", { name: "Cancel second-thoughts.txt" }).click();
      await alice.sees(/Cancelled/);
      restore();
      await alice.page.getByRole("button", { name: "Retry" }).click();
      await alice.sees("5 files");
      await alice.page.getByRole("button", { name: "Clear" }).click();
      // A double click asks, and does no more; so does Escape.
      const remove = alice.page.getByRole("button", { name: "Delete second-thoughts.txt" });
      await remove.dblclick();
      await alice.page.getByRole("dialog", { name: "Delete this file?" }).waitFor();
      await alice.inspect("delete");
      await alice.page.keyboard.press("Escape");
      await alice.page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await remove.evaluate((button) => button === document.activeElement)).toBe(true);
      await alice.sees("5 files");
      await remove.press("Enter");
      await alice.page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
      await alice.sees("4 files");
    });

    test("Alice copies a CID, and decrypts a note and a picture in the page", async () => {
      const row = alice.page.getByRole("row", { name: /notes\.md/ });
      await row.getByRole("button", { name: /^Copy CID/ }).click();
      expect(await alice.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^baf/);
      await alice.page.getByRole("link", { name: "harbour.png", exact: true }).click();
      const picture = alice.page.getByRole("img", { name: "harbour.png" });
      await picture.waitFor();
      expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(
        1440,
      );
      await alice.inspect("file-picture");

      await alice.openScreen("Files");
      await alice.page.getByRole("link", { name: "notes.md", exact: true }).click();
      await alice.sees("It rained. We stayed in and read.");
      await alice.sees(/^Key recovered from nodes \d, \d, and \d$/);
      await alice.inspect("file-text");
    });

    test("Bob is refused, with advice, until Alice shares the note with him", async () => {
      await alice.openTab("People");
      await alice.page.getByRole("button", { name: "Copy link" }).click();
      noteLink = await alice.page.evaluate(() => navigator.clipboard.readText());
      await bob.openScreen("Shared");
      await bob.inspect("shared-empty");
      await bob.page.getByLabel("Link or CID").fill(noteLink);
      await bob.page.keyboard.press("Enter");
      await bob.sees("You have no access to this file");
      await bob.sees(/Ask its owner to share it with your address/);
      // It belongs to what others have shared, not to his own files.
      await bob.page.locator('.rail a[href="#/shared"][aria-current="page"]').waitFor();
      await bob.inspect("refused");

      await alice.page.getByLabel("Wallet address").fill(bobsAddress());
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("button", { name: `Revoke access of ${bobsAddress()}` }).waitFor();
      await alice.inspect("people");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      await bob.page.getByRole("button", { name: "Try again" }).click();
      await bob.sees("It rained. We stayed in and read.");
      await bob.openTab("People");
      await bob.sees("Can view (you)");
      await bob.sees(/^Only the owner can share this file/);
    });

    test("a node that fails during a share leaves a button that completes it", async () => {
      const carol = app.devnet.accounts[2]?.address ?? "";
      const restore = app.devnet.faults.add({
        service: "keyNodes",
        node: 4,
        action: { kind: "respond", status: 500, json: { message: "Busy" } },
      });
      await alice.page.getByLabel("Wallet address").fill(carol);
      await alice.page.getByRole("button", { name: "Share", exact: true }).last().click();
      const finish = alice.page.getByRole("button", { name: "Retry remaining nodes" });
      await finish.waitFor();
      await alice.sees("Partly shared");
      // It is offered here, and not besides.
      expect(await alice.page.locator(".tray").count()).toBe(0);
      expect(await alice.page.getByText("This address has access already.").count()).toBe(0);
      expect(await finish.evaluate((button) => button.getBoundingClientRect().bottom < window.innerHeight)).toBe(true);
      await alice.inspect("half-shared");
      restore();
      await finish.click();
      await finish.waitFor({ state: "detached" });
      await alice.page.getByRole("button", { name: `Revoke access of ${carol}` }).waitFor();
    });

    test("once Alice revokes, Bob is refused again", async () => {
      await alice.page.getByRole("button", { name: `Revoke access of ${bobsAddress()}` }).click();
      await alice.page
        .getByRole("button", { name: `Revoke access of ${bobsAddress()}` })
        .waitFor({ state: "detached" });
      await bob.page.reload();
      await bob.openTab("Preview");
      await bob.sees("You have no access to this file");
    });

    test("Alice enters rules, reads them in English, tests them, and saves them", async () => {
      await alice.openTab("Conditions");
      await alice.sees("Fill in the contract address.");
      // Nothing is wrong before anything was typed.
      expect(await alice.page.locator("[aria-invalid=true], .hint-problem").count()).toBe(0);
      // What nobody could ever meet, or everybody would, cannot be saved.
      const save = alice.page.getByRole("button", { name: "Save rules" });
      await alice.page.getByLabel("Contract").fill("0x123");
      await alice.sees("Use a 0x… address of 42 characters.");
      for (const wrong of ["abc", "1,5", "", "-1"]) {
        await alice.page.getByLabel("Quantity").fill(wrong);
        await alice.sees("Use a whole number.");
        expect(await save.isDisabled()).toBe(true);
      }
      await alice.page.getByLabel("Requirement").selectOption("coin");
      await alice.page.getByLabel("Amount (ETH)").fill("1");
      await alice.sees(/native balance of the requester on Ethereum/);
      await alice.page.getByRole("button", { name: "Add condition" }).click();
      await alice.page.getByLabel("Requirement").nth(1).selectOption("block");
      await alice.page.getByLabel("Block number").fill("1");
      await alice.page.getByRole("radio", { name: "Match any" }).check({ force: true });
      await alice.sees(/at least one of these holds/);
      if (app.devnet.chain) {
        await alice.page.getByLabel("Block number").fill("1000000");
        await alice.page.getByLabel("Test an address").fill("0x000000000000000000000000000000000000dEaD");
        await alice.page.getByRole("button", { name: "Test", exact: true }).click();
        await alice.sees(/^Denied$/);
        await alice.page.getByLabel("Block number").fill("1");
        await alice.page.getByLabel("Test an address").fill(bobsAddress());
        await alice.page.getByRole("button", { name: "Test", exact: true }).click();
        await alice.sees(/^Allowed$/);
      }
      await alice.inspect("conditions");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      await alice.page.getByRole("button", { name: "Save rules" }).click();
      await alice.sees("Rules saved on all five nodes");
      if (!app.devnet.chain) return;
      await bob.page.getByRole("button", { name: "Try again" }).click();
      await bob.sees("It rained. We stayed in and read.");
    });

    test("an amount of a token cannot be entered in a wrong unit while the chain does not respond", async () => {
      if (!app.devnet.chain) return;
      const { page } = alice;
      let isBusy = true;
      const toWord = (value: number) => value.toString(16).padStart(64, "0");
      await page.route(app.devnet.chain.rpc, async (route) => {
        const { method, params } = route.request().postDataJSON();
        if (method !== "eth_call") return route.fallback();
        const symbol = `${toWord(32)}${toWord(4)}${Buffer.from("USDC").toString("hex").padEnd(64, "0")}`;
        const result = `0x${params[0].data === "0x313ce567" ? toWord(6) : symbol}`;
        const error = { code: -32005, message: "rate limited" };
        await route.fulfill({ json: { jsonrpc: "2.0", id: 1, ...(isBusy ? { error } : { result }) } });
      });
      await page.getByRole("button", { name: "Edit rules" }).click();
      const refused = page.waitForResponse(app.devnet.chain.rpc);
      await page.getByLabel("Requirement").first().selectOption("ERC20");
      await page.getByLabel("Contract").fill("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
      await page.getByLabel("Amount (tokens)").fill("1.5");
      await refused;
      await alice.sees("Reading the token’s unit from the chain…");
      const save = page.getByRole("button", { name: "Save rules" });
      expect(await save.isDisabled()).toBe(true);
      isBusy = false;
      await page.evaluate(() => window.dispatchEvent(new Event("online")));
      expect(await page.getByLabel("Amount (USDC)").inputValue()).toBe("1.5");
      expect(await save.isEnabled()).toBe(true);
      await page.unroute(app.devnet.chain.rpc);
    });

    test("the proof is verified in the page, and a picture shows its two paths", async () => {
      await alice.openTab("Proof");
      await alice.sees("Verified in your browser");
      await alice.sees(/Only the network says that the piece is this file/);
      await alice.page.getByRole("img", { name: /Two Merkle paths, of \d+ and \d+ steps, that meet/ }).waitFor();
      // These pictures are in the README and the docs.
      await alice.page.locator(".toast").waitFor({ state: "detached" });
      await alice.inspect("proof");
    });

    test("Alice creates a name, publishes a file to it, and deletes it", async () => {
      await alice.openScreen("Names");
      await alice.sees("No names yet");
      await alice.page.getByRole("button", { name: "New name" }).click();
      await alice.sees("Not published yet");
      const cid = /file\/([^/]+)/.exec(noteLink)?.[1] ?? "";
      await alice.page.getByLabel("File or CID to publish").fill(cid);
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("link", { name: "notes.md", exact: true }).waitFor();
      await alice.inspect("names");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      await alice.page.getByRole("button", { name: "Remove this name" }).click();
      await alice.page.getByRole("button", { name: "Delete permanently" }).click();
      await alice.sees("No names yet");
    });

    test("Alice creates an API key for her own apps", async () => {
      await alice.openScreen("Storage");
      await alice.sees(/of 100 GiB/);
      await alice.openScreen("Settings");
      await alice.page.getByRole("button", { name: "Create key" }).click();
      await alice.page.getByRole("button", { name: "Copy", exact: true }).click();
      const apiKey = await alice.page.evaluate(() => navigator.clipboard.readText());
      const { fileList } = await listFiles({ apiKey, endpoints: app.devnet.endpoints });
      expect(fileList.map(({ fileName }) => fileName)).toContain("for-all.txt");
    });

    test("Alice gets a quote, rejects the payment, then pays, sees each transaction, and has more storage", async ({
      skip,
    }) => {
      if (!app.devnet.chain) {
        await alice.inspect("storage");
        skip("no anvil, so no chain to pay on");
      }
      await alice.openScreen("Storage");
      await alice.page.getByRole("radio", { name: "10 GiB" }).check({ force: true });
      await alice.sees("40 USDC");
      await alice.inspect("storage");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      wallet.rejectNext("eth_sendTransaction");
      await alice.page.getByRole("button", { name: "Pay", exact: true }).dblclick();
      await alice.inspect("pay");
      await alice.page.getByRole("dialog", { name: "Pay 40 USDC?" }).getByRole("button", { name: "Pay now" }).click();
      await alice.sees("Request rejected in your wallet");
      await alice.inspect("declined");
      await alice.page.getByRole("button", { name: "Pay again" }).click();
      // The payment continues on another screen.
      await alice.openScreen("Names");
      await alice.sees("No names yet");
      await alice.openScreen("Storage");
      await alice.sees("Paid, storage added");
      await alice.sees("Approve USDC");
      await alice.sees(/of 110 GiB/);
      await alice.inspect("paid");
    });

    test("Alice buys more storage with the native coin", async ({ skip }) => {
      if (!app.devnet.chain) skip("no anvil, so no chain to pay on");
      await alice.page.getByRole("radio", { name: "1 GiB" }).check({ force: true });
      await alice.page.getByLabel("Pay with").selectOption("native");
      await alice.sees(/^0\.\d+ [A-Z]+$/);
      await alice.page.getByRole("button", { name: "Pay", exact: true }).click();
      await alice.page.getByRole("button", { name: "Pay now" }).click();
      await alice.sees(/of 111 GiB/);
      await alice.sees("Paid, storage added");
      expect(await alice.page.getByText("Approve").count()).toBe(0);
    });

    test("a long text is shown in part; so far there was no layout shift and no unexpected error", async () => {
      await alice.openScreen("Files");
      await alice.choose("Add files", {
        name: "long.txt",
        mimeType: "text/plain",
        buffer: Buffer.alloc(3 * MIB, "word "),
      });
      await alice.page.getByRole("link", { name: "long.txt", exact: true }).click();
      await alice.sees(/^The first .* of 3 MiB\./);
      expect([...(await alice.listLayoutShifts()), ...(await bob.listLayoutShifts())]).toEqual([]);
      expect([...alice.complaints, ...bob.complaints]).toEqual([]);
    });

    test("the wallet's other account is signed in once she wants that", async () => {
      const { address = "" } = app.devnet.accounts[3] ?? {};
      await wallet.changeAccount(3);
      await alice.page.getByRole("button", { name: /^Sign in as/ }).click();
      await alice.page.getByText(new RegExp(`^${address.slice(0, 6)}…${address.slice(-4)}$`, "i")).waitFor();
      await alice.openScreen("Files");
      await alice.sees("No files yet");
      expect(await alice.page.getByText("long.txt").count()).toBe(0);
    });

    test("a lock ends the session, and leaves nothing of the account on the screen", async () => {
      await bob.page.getByRole("button", { name: "Lock", exact: true }).click();
      await bob.page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      expect(await bob.page.getByText("notes.md").count()).toBe(0);
    });

    test("dark mode is kept after a reload", async () => {
      const getBackground = () => bob.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await getBackground();
      await bob.page.getByRole("button", { name: "Switch to dark mode" }).click();
      const dark = await getBackground();
      expect(dark).not.toBe(light);
      await bob.page.reload();
      await bob.page.getByRole("button", { name: "Switch to light mode" }).waitFor();
      expect(await getBackground()).toBe(dark);
    });
  },
  600_000,
);
