import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { pdf } from "./media.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();
const MIB = 1024 * 1024;

const markdown = [
  "# Trip",
  "Some **bold** text, `code` and [a link](https://example.org/a).",
  '<img src=x onerror="window.ran=1"><script>window.ran=1</script>',
  "![a beach](https://tracker.example/pixel.png)",
  "[bad](javascript:window.ran=1)",
  "- one\n- two",
].join("\n\n");

const texts: Readonly<Record<string, { mimeType: string; text: string }>> = {
  "trip.md": { mimeType: "text/markdown", text: markdown },
  "rows.csv": {
    mimeType: "text/csv",
    text: `name;note\n"a;b";"said ""hi"""\n${Array.from({ length: 1_500 }, (_, at) => `row ${at};x`).join("\n")}`,
  },
  "data.json": { mimeType: "application/json", text: '{"big":12345678901234567890,"list":[1,{"a":[]}]}' },
  "main.rs": { mimeType: "", text: "fn main() {\n    println!();\n}\n" },
  "page.html": { mimeType: "text/html", text: "<script>parent.ran=1;window.ran=1</script>Hello" },
  "drawing.svg": { mimeType: "image/svg+xml", text: '<svg xmlns="http://www.w3.org/2000/svg" onload="ran=1"/>' },
  "broken.png": { mimeType: "image/png", text: "no picture" },
  "broken.webm": { mimeType: "video/webm", text: "no film" },
  "broken.pdf": { mimeType: "application/pdf", text: "no paper" },
  "thing.bin": { mimeType: "application/octet-stream", text: "\u0001\u0002" },
};

describe.skipIf(!executablePath)(
  "a file's page in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let alice: Person;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "keeplight-file-page-"));
      [app, browser] = await Promise.all([
        startApp({ chain: false }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      alice = await openBrowserAs(browser, app, wide);
      await alice.page.getByRole("button", { name: /Alice/ }).click();
      await alice.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
      await alice.choose("Add files", [
        ...Object.entries(texts).map(([name, { mimeType, text }]) => ({ name, mimeType, buffer: Buffer.from(text) })),
        { name: "paper.pdf", mimeType: "application/pdf", buffer: pdf },
      ]);
      await writeFile(join(folder, "large.bin"), Buffer.alloc(33 * MIB, "large "));
      await alice.choose("Add files", join(folder, "large.bin"));
      await alice.sees("12 uploads complete");
      await alice.page.getByRole("button", { name: "Clear" }).click();
    }, 600_000);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const open = async (name: string) => {
      await alice.openScreen("Files");
      await alice.page.getByRole("link", { name, exact: true }).click();
      await alice.page.getByRole("heading", { name, exact: true }).waitFor();
    };

    test("shows what is known of the file, and how its key is kept", async () => {
      await open("data.json");
      await alice.sees("5 of 5 key nodes");
      const facts = await alice.page.locator(".file-facts > div").allInnerTexts();
      expect(facts.map((fact) => fact.replace(/\s+/g, " "))).toEqual([
        "Kind JSON",
        "Size 48 bytes",
        "Access Encrypted",
        expect.stringMatching(/^Added .*\d/),
        "Owner You",
        "Key 5 of 5 key nodes",
      ]);
      expect(await alice.page.getByRole("link", { name: "View on gateway" }).count()).toBe(0);
      await alice.inspect("file-page");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
    });

    test("indents JSON without changing its numbers", async () => {
      await open("data.json");
      expect(await alice.page.locator("pre code").textContent()).toBe(
        '{\n  "big": 12345678901234567890,\n  "list": [\n    1,\n    {\n      "a": []\n    }\n  ]\n}',
      );
    });

    test("formats Markdown, runs no HTML in it, and loads nothing from elsewhere", async () => {
      const requests: string[] = [];
      alice.page.on("request", (request) => requests.push(request.url()));
      await open("trip.md");
      await alice.page.getByRole("heading", { name: "Trip", exact: true }).waitFor();
      await alice.page.locator(".markdown-view li").getByText("two").waitFor();
      const view = alice.page.locator(".markdown-view");
      expect(await view.locator("img, script, iframe").count()).toBe(0);
      expect(await view.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href")))).toEqual([
        "https://example.org/a",
      ]);
      expect(requests.filter((url) => url.includes("tracker"))).toEqual([]);
      await alice.inspect("file-markdown");
    });

    test("shows the first thousand rows of a table", async () => {
      await open("rows.csv");
      await alice.page.getByRole("columnheader", { name: "note" }).waitFor();
      await alice.page.getByRole("cell", { name: 'said "hi"' }).waitFor();
      expect(await alice.page.locator(".table-view tbody tr").count()).toBe(1_000);
      await alice.sees(/^The first 1,000 rows/);
    });

    test("numbers the lines of code", async () => {
      await open("main.rs");
      await alice.page.locator(".code-view").waitFor();
      expect(await alice.page.locator(".code-lines").textContent()).toBe("1\n2\n3");
      await alice.inspect("file-code");
    });

    test.each(["page.html", "drawing.svg"])("shows %s as code, and offers no URL that would run it", async (name) => {
      await open(name);
      await alice.page.locator(".code-view").getByText("ran=1").waitFor();
      const type = await alice.page
        .getByRole("link", { name: "Download" })
        .evaluate(async (link: HTMLAnchorElement) => (await (await fetch(link.href)).blob()).type);
      expect(type).toBe("text/plain;charset=utf-8");
      expect(await alice.page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined();
    });

    test.each(["broken.png", "broken.webm", "broken.pdf"])("says that %s cannot be shown", async (name) => {
      await open(name);
      await alice.sees(/^Can’t show this/);
    });

    test("has no preview of an unknown kind, and does not open it by itself", async () => {
      await open("thing.bin");
      await alice.page.getByRole("button", { name: "Decrypt and open" }).click();
      await alice.sees("No preview");
    });

    test("keeps what is open while other tabs are shown, and the way back to the list", async () => {
      await open("trip.md");
      await alice.page.getByRole("heading", { name: "Trip", exact: true }).waitFor();
      const requested: string[] = [];
      alice.page.on("request", (request) => requested.push(request.url()));
      await alice.openTab("Proof");
      await alice.openTab("People");
      await alice.page.getByLabel("Wallet address").waitFor();
      expect(await alice.page.getByRole("heading", { name: "Trip", exact: true }).isVisible()).toBe(false);
      await alice.openTab("Preview");
      expect(await alice.page.getByRole("heading", { name: "Trip", exact: true }).isVisible()).toBe(true);
      expect(requested.filter((url) => url.includes("/ipfs/"))).toEqual([]);
      await alice.page.locator(".back-link").click();
      await alice.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    });

    test("saves a small file by the browser's downloads", async () => {
      await open("trip.md");
      const [download] = await Promise.all([
        alice.page.waitForEvent("download"),
        alice.page.getByRole("link", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("trip.md");
      expect(await readFile(await download.path(), "utf8")).toBe(markdown);
    });

    /** Runs in the page: the dialog cannot be driven, so a file of the site's own takes its place. */
    const chooseOwnFile = async () => {
      const root = await navigator.storage.getDirectory();
      const picker = async () => root.getFileHandle("saved.bin", { create: true });
      Object.assign(window, { showSaveFilePicker: picker });
    };
    const readSaved = () =>
      alice.page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        const file = await root.getFileHandle("saved.bin").catch(() => undefined);
        const saved = await file?.getFile();
        return saved && { size: saved.size, end: await saved.slice(-8).text() };
      });

    test("writes a large file straight to the disk, and removes it if that is cancelled", async () => {
      await open("large.bin");
      await alice.page.evaluate(chooseOwnFile);
      const restore = app.devnet.faults.add({ service: "gateway", action: { kind: "delay", ms: 600_000 } });
      await alice.page.getByRole("button", { name: "Download" }).click();
      await alice.page.getByRole("progressbar", { name: "Downloading the file" }).waitFor();
      await alice.inspect("file-saving");
      await alice.page.getByRole("button", { name: "Cancel the download" }).click();
      await alice.sees(/^Download of large.bin cancelled$/);
      expect(await readSaved()).toBeUndefined();
      restore();
      await alice.page.getByRole("button", { name: "Download" }).click();
      await alice.sees("Saved large.bin");
      expect(await readSaved()).toEqual({ size: 33 * MIB, end: "e large " });
    });

    test("a node that has lost its shard is counted, and repaired", async () => {
      const restore = app.devnet.faults.add({
        service: "keyNodes",
        node: 2,
        action: { kind: "respond", status: 404, json: { message: "cid not found" } },
      });
      await open("main.rs");
      await alice.sees("4 of 5 key nodes");
      restore();
      await alice.page.getByRole("button", { name: "Repair" }).click();
      await alice.sees("5 of 5 key nodes");
    });

    test("moves the file to the trash, and returns to the list", async () => {
      await open("thing.bin");
      await alice.page.getByRole("button", { name: "Move to trash", exact: true }).click();
      await alice.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
      await alice.page.getByRole("link", { name: "thing.bin", exact: true }).waitFor({ state: "detached" });
    });

    test("there was no layout shift and no unexpected error", async () => {
      expect(await alice.listLayoutShifts()).toEqual([]);
      expect(alice.complaints).toEqual([]);
    });
  },
  600_000,
);
