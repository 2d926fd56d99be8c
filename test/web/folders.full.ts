import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import { type Browser, chromium, type Download } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, upload } from "../../src/index.ts";
import { chromiumArgs, chromiumHint, findChromium } from "../support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";
import { readZip } from "./zip.ts";

/** Names that other programs, or readers, would take for something else. */
const tree: Readonly<Record<string, string>> = {
  "readme.txt": "Photos of our holiday",
  "README.TXT": "In capitals",
  "a\u202egpj.exe": "not a picture",
  "..\\..\\evil.txt": "not outside",
  "con.txt": "not a device",
  "empty.txt": "",
  "day 1/grüße 🌊.txt": "Hello from the sea",
  "day 1/100% ? # &.txt": "signs",
  "day 1/日本語/写真.txt": "a description of a picture",
};

/** Returns files as a page gets them when a folder is picked. */
function toFiles(name: string, files: Readonly<Record<string, string>>): File[] {
  return Object.entries(files).map(([path, text]) => {
    const file = new File([text], path.split("/").at(-1) ?? "");
    Object.defineProperty(file, "webkitRelativePath", { value: `${name}/${path}` });
    return file;
  });
}

describe("folders in the web app", () => {
  let app: RunningApp;
  let browser: Browser;
  let alice: Person;
  let disk: string;
  let cid = "";

  beforeAll(async () => {
    const executablePath = await findChromium();
    if (!executablePath) throw new Error(chromiumHint());
    disk = await mkdtemp(join(tmpdir(), "keeplight-folders-"));
    [app, browser] = await Promise.all([
      startApp({ chain: false }),
      chromium.launch({ executablePath, args: chromiumArgs }),
    ]);
    cid = await uploadFolder("Reise 旅行", tree);
    alice = await openBrowserAs(browser, app, wide);
    await signIn();
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await rm(disk, { recursive: true, force: true });
  });

  async function uploadFolder(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const { endpoints, accounts } = app.devnet;
    const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
    const [root] = await upload(toFiles(name, files), { apiKey, endpoints });
    return root.Hash;
  }

  async function signIn(): Promise<void> {
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await alice.page.locator("#main h1").waitFor();
  }

  const heading = (name: string) => alice.page.getByRole("heading", { name, exact: true, level: 1 });
  const link = (name: string) => alice.page.getByRole("link", { name, exact: true });
  const button = (name: string) => alice.page.getByRole("button", { name, exact: true });
  const show = (hash: string) =>
    alice.page.evaluate((next) => {
      location.hash = next;
    }, hash);

  async function openFolder(): Promise<void> {
    await show(`#/folder/${cid}`);
    await heading("Reise 旅行").waitFor();
    await alice.sees("7 items");
  }

  /** Saves the folder that is shown by the browser's downloads. */
  async function saveFromMemory(): Promise<Download> {
    await alice.page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
    const [download] = await Promise.all([alice.page.waitForEvent("download"), button("Download as ZIP").click()]);
    return download;
  }

  describe("public ones", () => {
    test("a folder's row opens it, and its folders and files open", async () => {
      await link("Reise 旅行").click();
      await heading("Reise 旅行").waitFor();
      await alice.sees("7 items");
      expect(await alice.page.evaluate(() => location.hash)).toBe(`#/folder/${cid}`);
      await alice.inspect("folder");
      expect(await alice.listUnreachableByKeyboard()).toEqual([]);
      await link("day 1").click();
      await heading("day 1").waitFor();
      await link("日本語").click();
      await heading("日本語").waitFor();
      await alice.inspect("folder-below");
      await link("写真.txt").click();
      await heading("写真.txt").waitFor();
      await alice.sees("a description of a picture");
      await alice.inspect("folder-file");
    });

    test("Back returns through its folders, a reload stays, and the folders above are links", async () => {
      await alice.page.goBack();
      await heading("日本語").waitFor();
      await alice.page.reload();
      await signIn();
      await heading("日本語").waitFor();
      await link("写真.txt").waitFor();
      await link("Reise 旅行").click();
      await heading("Reise 旅行").waitFor();
      await alice.page.goBack();
      await heading("日本語").waitFor();
      await link("day 1").click();
      await link("100% ? # &.txt").click();
      await alice.sees("signs");
      await alice.page.reload();
      await signIn();
      await heading("100% ? # &.txt").waitFor();
      await alice.sees("signs");
      await link("Proof").click();
      await alice.page.goBack();
      await heading("day 1").waitFor();
    });

    test("names cannot read as others", async () => {
      await openFolder();
      await link("a\ufffdgpj.exe").waitFor();
    });

    test("an archive has every file, under names that no program writes elsewhere", async () => {
      await openFolder();
      const path = join(disk, "folder.zip");
      await (await saveFromMemory()).saveAs(path);
      await alice.sees("Saved Reise 旅行.zip");
      expect(await readZip(path)).toEqual({
        "Reise 旅行/a_gpj.exe": "not a picture",
        "Reise 旅行/.._.._evil.txt": "not outside",
        "Reise 旅行/_con.txt": "not a device",
        "Reise 旅行/empty.txt": "",
        "Reise 旅行/README.TXT": "In capitals",
        "Reise 旅行/readme (2).txt": "Photos of our holiday",
        "Reise 旅行/day 1/grüße 🌊.txt": "Hello from the sea",
        "Reise 旅行/day 1/100% _ # &.txt": "signs",
        "Reise 旅行/day 1/日本語/写真.txt": "a description of a picture",
      });
    });

    test("an archive of a folder below has that one only, and is written to a chosen file", async () => {
      await show(`#/folder/${cid}/day%201`);
      await heading("day 1").waitFor();
      await chooseOwnFile();
      await button("Download as ZIP").click();
      await alice.sees("Saved day 1.zip");
      const bytes = await readSaved();
      expect(bytes).toBeGreaterThan(200);
    });

    test("what fails half way is reported, and leaves no file", async () => {
      // The browser has kept the blocks of the other one.
      const other = await uploadFolder("Fresh", { "one.txt": "one of them", "two.txt": "two of them" });
      await show(`#/folder/${other}`);
      await heading("Fresh").waitFor();
      await chooseOwnFile();
      const restore = app.devnet.attacks.add({
        kind: "tamper-blocks",
        cid: await getCidOf(other, "two.txt"),
        change: (block) => [{ ...block, bytes: new TextEncoder().encode("other bytes") }],
      });
      await button("Download as ZIP").click();
      await alice.page.getByRole("alert").waitFor();
      await alice.inspect("folder-failed");
      expect(await readSaved()).toBeUndefined();
      restore();
      await button("Try again").click();
      await alice.sees("Saved Fresh.zip");
    });

    test("a file is no folder, and what is not there is said", async () => {
      const file = await getCidOf(cid, "readme.txt");
      await show(`#/folder/${file}`);
      await alice.sees("This is not a folder");
      await alice.inspect("folder-none");
      await link("Show the file").click();
      await alice.sees("21 bytes");
      await show(`#/folder/${cid}/nowhere`);
      await alice.page.getByRole("alert").waitFor();
    });

    test("nothing complained", () => {
      expect(alice.complaints).toEqual([]);
    });
  });

  /** Lets the person choose a file, as far as the app can tell. */
  async function chooseOwnFile(): Promise<void> {
    await alice.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const picker = async () => root.getFileHandle("saved.zip", { create: true });
      Object.assign(window, { showSaveFilePicker: picker });
    });
  }

  /** The size of the chosen file; `undefined` if there is none. */
  function readSaved(): Promise<number | undefined> {
    return alice.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const file = await root.getFileHandle("saved.zip").catch(() => undefined);
      return (await file?.getFile())?.size;
    });
  }

  async function getCidOf(folder: string, name: string): Promise<string> {
    const response = await fetch(`${app.devnet.endpoints.gateway}/ipfs/${folder}`);
    const entries = (await response.json()) as { Name: string; Hash: string }[];
    return entries.find(({ Name }) => Name === name)?.Hash ?? "";
  }
});
