import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)("changes of several rows, and of folders that files are added to", () => {
  const started = appForTests(executablePath, {});
  let alice: Person;

  beforeAll(async () => {
    alice = await openBrowserAs(started.browser, started.app, wide);
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await waitForFolders(alice.page);
  }, 600_000);

  afterAll(() => expect(alice.complaints).toEqual([]));

  const link = (name: string) => alice.page.getByRole("grid").getByRole("link", { name, exact: true });
  const textFile = (name: string, text = name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const dialog = () => alice.page.getByRole("dialog");

  const listNames = () =>
    alice.page.locator("tbody tr[aria-rowindex] th a").evaluateAll((links) => links.map((each) => each.textContent));

  async function open(folder: string): Promise<void> {
    const { page } = alice;
    await page.goto(`${started.app.url}#/files${folder === "" ? "" : `/${folder}`}`);
    await page.getByRole("heading", { name: folder === "" ? "Files" : folder, exact: true, level: 1 }).waitFor();
  }

  async function createFolder(name: string): Promise<void> {
    await open("");
    await alice.page.getByRole("button", { name: "New folder" }).click();
    await dialog().getByLabel("Name").fill(name);
    await alice.page.keyboard.press("Enter");
    await link(name).waitFor();
  }

  async function renameFolder(name: string, next: string): Promise<void> {
    const { page } = alice;
    await open("");
    await page.getByLabel(`Select ${name}`).check();
    await page.getByRole("button", { name: "Rename" }).click();
    await dialog().getByLabel("Name").fill(next);
    await page.keyboard.press("Enter");
    await link(next).waitFor();
  }

  async function add(folder: string, ...files: ReturnType<typeof textFile>[]): Promise<void> {
    await open(folder);
    await alice.choose("Add files", files);
    for (const { name } of files) await link(name).waitFor();
  }

  test("a folder that a search finds with what is in it is moved to the trash, and Undo restores both as they were", async () => {
    const { page } = alice;
    await createFolder("Harbour");
    await add("Harbour", textFile("harbour plan.txt"));
    await open("");
    await page.getByLabel("Search your files").fill("harbour");
    await alice.sees("2 matches");
    await page.getByLabel("Select all").check();
    await page.getByRole("button", { name: "Move to trash", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await alice.wasNotified("Undone");
    await page.getByLabel("Search your files").fill("");
    await expect.poll(listNames).toEqual(["Harbour"]);
    await open("Harbour");
    await expect.poll(listNames).toEqual(["harbour plan.txt"]);
  });

  test("several files are moved by one change, and back to where each was; none is if the name of one is taken", async () => {
    const { page } = alice;
    const move = async () => {
      await page.getByLabel("Select all").check();
      await page.getByRole("button", { name: "Move…" }).click();
      await dialog().getByLabel("Folder").selectOption("To");
      await dialog().getByRole("button", { name: "Move", exact: true }).click();
    };
    await createFolder("From");
    await createFolder("To");
    await add("To", textFile("2.txt", "another"));
    await add("From", textFile("1.txt"), textFile("2.txt"));
    await move();
    await alice.sees(/^“2.txt” is already there/);
    expect((await listNames()).sort()).toEqual(["1.txt", "2.txt"]);
    await page.getByLabel("Select 2.txt").check();
    await page.getByRole("button", { name: "Rename" }).click();
    await dialog().getByLabel("Name").fill("3.txt");
    await page.keyboard.press("Enter");
    await link("3.txt").waitFor();
    await move();
    await alice.wasNotified("Moved 2 items to To");
    await alice.sees("This folder is empty");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await listNames()).sort()).toEqual(["1.txt", "3.txt"]);
  });

  test("files that wait to be added to a folder are added to it after it was renamed, also after a reload", async () => {
    const { page } = alice;
    const disk = await mkdtemp(join(tmpdir(), "keeplight-web-drive-"));
    const names = Array.from({ length: 6 }, (_, at) => `slow ${at}.txt`);
    const paths = names.map((name) => join(disk, name));
    for (const path of paths) {
      await writeFile(path, path);
      await utimes(path, 1_700_000_000, 1_700_000_000);
    }
    await createFolder("Drafts");
    const mend = started.app.devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 1_000 } });
    await open("Drafts");
    await alice.choose("Add files", paths);
    await renameFolder("Drafts", "Letters");
    await open("Letters");
    await link("slow 1.txt").waitFor();
    await page.reload();
    await waitForFolders(page);
    mend();
    await page
      .getByRole("button", { name: /again$/ })
      .first()
      .waitFor();
    const offer = page.getByRole("button", { name: /^(Resume slow|Choose .* again$)/ }).first();
    const continueOne = async () => {
      // The page may complete an upload by itself before the click.
      const label = await offer.textContent({ timeout: 500 }).catch(() => undefined);
      const name = await offer.getAttribute("aria-label", { timeout: 500 }).catch(() => null);
      const chosen = label?.startsWith("Choose") && page.waitForEvent("filechooser", { timeout: 5_000 });
      const [chooser] = await Promise.all([chosen, offer.click({ timeout: 2_000 })]).catch(() => []);
      if (chooser)
        await chooser.setFiles(chooser.isMultiple() ? paths : paths.filter((path) => name?.includes(basename(path))));
    };
    await expect
      .poll(async () => {
        await continueOne();
        return (await listNames()).sort();
      })
      .toEqual(names);
    await open("");
    expect(await listNames()).not.toContain("Drafts");
    await rm(disk, { recursive: true });
  });

  test("while folders cannot be opened, no file of which the name is not known is deleted, nor the drive's own name", async () => {
    await alice.page.waitForTimeout(3_000);
    const action = { kind: "respond", status: 500 } as const;
    const mend = started.app.devnet.faults.add({ service: "gateway", action });
    const other = await openBrowserAs(started.browser, started.app, wide);
    await other.page.getByRole("button", { name: /Alice/ }).click();
    await other.sees("Your folders can’t be opened");
    await other.page
      .getByRole("button", { name: /^Delete bafk/ })
      .first()
      .click();
    await other.wasNotified("Your folders can’t be opened.");
    expect(await other.page.getByRole("dialog").count()).toBe(0);
    await other.openScreen("Names");
    // That of the drive is none of theirs.
    await other.sees("No names yet");
    await other.openScreen("Files");
    await other.page.getByRole("grid").getByRole("link", { name: /^bafk/ }).first().click();
    await other.page.getByRole("button", { name: "Download", exact: true }).waitFor();
    expect(await other.page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
    mend();
    await other.context.close();
  });
});
