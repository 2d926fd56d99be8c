import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { injectWallet, newPerson, type Person } from "./person.ts";

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
    let noteLink = "";
    let broken = false;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ proofDelayMs: 100 }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      [alice, bob] = await Promise.all([newPerson(browser, app), newPerson(browser, app)]);
    }, 60_000);

    // It is one story: after a step that failed, the next ones have nothing to begin with.
    beforeEach(({ skip }) => skip(broken, "an earlier step failed"));
    afterEach(({ task }) => {
      broken ||= task.result?.state === "fail";
    });

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    const bobsAddress = () => app.devnet.accounts[1]?.address ?? "";
    const openScreen = (person: Person, name: string) =>
      person.page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name, exact: true }).click();
    const openTab = (person: Person, name: string) =>
      person.page.getByRole("navigation", { name: "About this file" }).getByRole("link", { name }).click();
    const seen = (person: Person, text: string | RegExp) => person.page.getByText(text).first().waitFor();

    test("Alice connects a wallet of her browser, Bob an account of the devnet, by keyboard alone", async () => {
      await injectWallet(alice, app, app.devnet.accounts[0]?.privateKey ?? "");
      await alice.page.getByRole("button", { name: /Harbour Wallet/ }).waitFor();
      await alice.inspect("connect");
      await alice.page.getByRole("button", { name: /Harbour Wallet/ }).click();
      await alice.page.getByRole("heading", { name: "Files" }).waitFor();

      const { keyboard } = bob.page;
      await bob.page.getByRole("button", { name: /Bob/ }).waitFor();
      // Past the switch of colours and Alice, to Bob.
      for (let press = 0; press < 3; press++) await keyboard.press("Tab");
      await keyboard.press("Enter");
      await bob.page.getByRole("heading", { name: "Files" }).waitFor();
    });

    test("nothing secret is kept where it outlives the page", async () => {
      const kept = await alice.page.evaluate(async () => ({
        local: { ...localStorage },
        session: { ...sessionStorage },
        cookies: document.cookie,
        databases: (await indexedDB.databases()).length,
      }));
      expect(kept).toEqual({ local: {}, session: {}, cookies: "", databases: 0 });
    });

    test("Alice adds files by keyboard and by dropping, sees progress, and retries what failed", async () => {
      await alice.inspect("files-empty");
      const mend = app.devnet.faults.add({
        service: "upload",
        times: 1,
        action: { kind: "answer", status: 503, json: { message: "Busy" } },
      });
      const add = alice.page.getByRole("button", { name: "Add files" });
      await add.focus();
      const [chooser] = await Promise.all([alice.page.waitForEvent("filechooser"), alice.page.keyboard.press("Enter")]);
      await chooser.setFiles([{ name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from(NOTE) }]);
      await seen(alice, /service has a problem/);
      await alice.inspect("upload-failed");
      mend();
      await alice.page.getByRole("button", { name: "Retry" }).click();
      await seen(alice, "1 upload finished");

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
      await seen(alice, "3 uploads finished");

      await alice.page.getByRole("radio", { name: "Public" }).check({ force: true });
      const [publicChooser] = await Promise.all([alice.page.waitForEvent("filechooser"), add.click()]);
      await publicChooser.setFiles([
        { name: "for-all.txt", mimeType: "text/plain", buffer: Buffer.from("Hello, all") },
      ]);
      await seen(alice, "4 uploads finished");
      await seen(alice, "4 files");
      await alice.inspect("files");
    });

    test("an upload that is cancelled is not stored, and may be retried", async () => {
      const mend = app.devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 3_000 } });
      const [chooser] = await Promise.all([
        alice.page.waitForEvent("filechooser"),
        alice.page.getByRole("button", { name: "Add files" }).click(),
      ]);
      await chooser.setFiles([{ name: "second-thoughts.txt", mimeType: "text/plain", buffer: Buffer.from("no") }]);
      await alice.page.getByRole("button", { name: "Cancel second-thoughts.txt" }).click();
      await seen(alice, /Cancelled/);
      mend();
      await alice.page.getByRole("button", { name: "Retry" }).click();
      await seen(alice, "5 files");
      await alice.page.getByRole("button", { name: "Clear" }).click();
      await alice.page.getByRole("button", { name: "Delete second-thoughts.txt" }).click();
      await alice.page.getByRole("button", { name: "Delete", exact: true }).click();
      await seen(alice, "4 files");
    });

    test("Alice copies a content id and decrypts a note and a picture in the page", async () => {
      const row = alice.page.getByRole("row", { name: /notes\.md/ });
      await row.getByRole("button", { name: "Copy content id" }).click();
      expect(await alice.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^baf/);
      await alice.page.getByRole("link", { name: "harbour.png", exact: true }).click();
      await alice.inspect("file-closed");
      await alice.page.getByRole("button", { name: "Decrypt and open" }).click();
      const picture = alice.page.getByRole("img", { name: "harbour.png" });
      await picture.waitFor();
      expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(
        1440,
      );
      await alice.inspect("file-picture");

      await openScreen(alice, "Files");
      await alice.page.getByRole("link", { name: "notes.md", exact: true }).click();
      await alice.page.getByRole("button", { name: "Decrypt and open" }).click();
      await seen(alice, "It rained. We stayed in and read.");
      await seen(alice, /^Key put together from nodes \d, \d, \d$/);
      await alice.inspect("file-text");
    });

    test("Bob is refused in words that say what to do, until Alice shares the note with him", async () => {
      await openTab(alice, "People");
      await alice.page.getByRole("button", { name: "Copy link" }).click();
      noteLink = await alice.page.evaluate(() => navigator.clipboard.readText());
      await openScreen(bob, "Open");
      await bob.inspect("open");
      await bob.page.getByLabel("Link or content id").fill(noteLink);
      await bob.page.keyboard.press("Enter");
      await bob.page.getByRole("button", { name: "Decrypt and open" }).click();
      await seen(bob, "You have no access to this file");
      await seen(bob, /Ask its owner to share it with your address/);
      await bob.inspect("refused");

      await alice.page.getByLabel("Their address").fill(bobsAddress());
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("button", { name: `Revoke access of ${bobsAddress()}` }).waitFor();
      await alice.inspect("people");
      await bob.page.getByRole("button", { name: "Try again" }).click();
      await seen(bob, "It rained. We stayed in and read.");
      await openTab(bob, "People");
      await seen(bob, "Can open (you)");
      await seen(bob, "Only the owner can share this file.");
    });

    test("a node that fails halfway leaves a button that finishes the job", async () => {
      const carol = app.devnet.accounts[2]?.address ?? "";
      const mend = app.devnet.faults.add({
        service: "keyNodes",
        node: 4,
        action: { kind: "answer", status: 500, json: { message: "Busy" } },
      });
      await alice.page.getByLabel("Their address").fill(carol);
      await alice.page.getByRole("button", { name: "Share", exact: true }).click();
      const finish = alice.page.getByRole("button", { name: "Finish on the other nodes" });
      await finish.waitFor();
      await alice.inspect("half-shared");
      mend();
      await finish.click();
      await finish.waitFor({ state: "detached" });
      await alice.page.getByRole("button", { name: `Revoke access of ${carol}` }).waitFor();
    });

    test("once Alice revokes, Bob is refused again", async () => {
      await alice.page.getByRole("button", { name: `Revoke access of ${bobsAddress()}` }).click();
      await alice.page
        .getByRole("button", { name: `Revoke access of ${bobsAddress()}` })
        .waitFor({ state: "detached" });
      await openTab(bob, "Preview");
      await bob.page.getByRole("button", { name: "Decrypt and open" }).click();
      await seen(bob, "You have no access to this file");
    });

    test("Alice builds conditions, reads them in English, tries them, and sets them", async () => {
      await openTab(alice, "Conditions");
      await seen(alice, /Fill in the contract/);
      await alice.page.getByLabel("Who opens it").selectOption("coin");
      await alice.page.getByLabel("In whole coins").fill("1");
      await seen(alice, /native balance of the requester on Ethereum/);
      await alice.page.getByRole("button", { name: "Add a condition" }).click();
      await alice.page.getByLabel("Who opens it").nth(1).selectOption("block");
      await alice.page.getByLabel("In block number").fill("1");
      await alice.page.getByRole("radio", { name: "Any is enough" }).check({ force: true });
      await seen(alice, /at least one of these holds/);
      if (app.devnet.chain) {
        await alice.page.getByLabel("Would this address get in?").fill(bobsAddress());
        await alice.page.getByRole("button", { name: "Try it" }).click();
        await seen(alice, "Gets in");
      }
      await alice.inspect("conditions");
      await alice.page.getByRole("button", { name: "Set these conditions" }).click();
      await seen(alice, "The conditions are set on all five nodes");
      if (!app.devnet.chain) return;
      await bob.page.getByRole("button", { name: "Try again" }).click();
      await seen(bob, "It rained. We stayed in and read.");
    });

    test("the proof is verified in the page and shown as a picture of its two paths", async () => {
      await openTab(alice, "Proof");
      await seen(alice, "Verified in this page");
      await alice.page.getByRole("img", { name: /Two Merkle paths, of \d+ and \d+ steps, that meet/ }).waitFor();
      await alice.inspect("proof");
    });

    test("Alice makes a name, publishes under it, and removes it", async () => {
      await openScreen(alice, "Names");
      await seen(alice, "No names yet");
      await alice.page.getByRole("button", { name: "New name" }).click();
      await seen(alice, "Points to nothing yet.");
      const cid = /file\/([^/]+)/.exec(noteLink)?.[1] ?? "";
      await alice.page.getByLabel("File or content id to publish").fill(cid);
      await alice.page.keyboard.press("Enter");
      await alice.page.getByRole("link", { name: "notes.md", exact: true }).waitFor();
      await alice.inspect("names");
      await alice.page.getByRole("button", { name: "Remove" }).click();
      await alice.page.getByRole("button", { name: "Remove for good" }).click();
      await seen(alice, "No names yet");
    });

    test("Alice gets a quote, pays with her wallet, sees each transaction, and has more room", async ({ skip }) => {
      await openScreen(alice, "Storage");
      await seen(alice, /of 100 GiB/);
      if (!app.devnet.chain) {
        await alice.inspect("storage");
        skip("no anvil, so no chain to pay on");
      }
      await alice.page.getByRole("radio", { name: "10 GiB" }).check({ force: true });
      await seen(alice, "40 USDC");
      await alice.inspect("storage");
      await alice.page.getByRole("button", { name: "Pay", exact: true }).click();
      await seen(alice, "Paid: the room is yours");
      await seen(alice, "Allow the payment contract to take the amount");
      await seen(alice, /of 110 GiB/);
      await alice.inspect("paid");
    });

    test("a long text is shown in part; until here, nothing has jumped about or failed unseen", async () => {
      await openScreen(alice, "Files");
      const [chooser] = await Promise.all([
        alice.page.waitForEvent("filechooser"),
        alice.page.getByRole("button", { name: "Add files" }).click(),
      ]);
      await chooser.setFiles([{ name: "long.txt", mimeType: "text/plain", buffer: Buffer.alloc(3 * MIB, "word ") }]);
      await alice.page.getByRole("link", { name: "long.txt", exact: true }).click();
      await alice.page.getByRole("button", { name: "Decrypt and open" }).click();
      await seen(alice, /^The first .* of 3 MiB\./);
      expect(await alice.layoutShifts()).toEqual([]);
      expect([...alice.complaints, ...bob.complaints]).toEqual([]);
    });

    test("who disconnects is out, and nothing of the account is left on the screen", async () => {
      await bob.page.getByRole("button", { name: "Disconnect" }).click();
      await bob.page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      expect(await bob.page.getByText("notes.md").count()).toBe(0);
    });
  },
  90_000,
);
