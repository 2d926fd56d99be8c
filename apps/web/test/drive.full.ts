import { Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, iterateFiles, upload } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)("the folders of an account", () => {
  const started = appForTests(executablePath, {});
  let alice: Person;
  let stored: () => Promise<string[]>;

  beforeAll(async () => {
    const { endpoints, accounts } = started.app.devnet;
    const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
    await upload(new File(["poster"], "poster.txt"), { apiKey, endpoints });
    stored = async () => {
      const names: string[] = [];
      for await (const { fileName } of iterateFiles({ apiKey, endpoints })) names.push(fileName ?? "");
      return names.filter((name) => !name.startsWith("keeplight-drive"));
    };
    alice = await openBrowserAs(started.browser, started.app, wide);
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await alice.sees("1 file");
  }, 600_000);

  afterAll(() => expect(alice.complaints).toEqual([]));

  const link = (name: string) => alice.page.getByRole("grid").getByRole("link", { name, exact: true });
  const textFile = (name: string, text = name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const row = (name: string) => alice.page.getByRole("row", { name: new RegExp(name) });
  const dialog = () => alice.page.getByRole("dialog");

  /** The names of the rows, in their order. */
  const listRows = () =>
    alice.page.locator("tbody tr[aria-rowindex] th a").evaluateAll((links) => links.map((each) => each.textContent));

  test("an encrypted file is shown by its name, which the network does not know; its page has it, too", async () => {
    await alice.choose("Add files", textFile("Letter to Bob.txt", "Dear Bob"));
    await link("Letter to Bob.txt").waitFor();
    await alice.sees("1 upload complete");
    const names = await stored();
    expect(names).toHaveLength(2);
    expect(names.filter((name) => /letter|bob/i.test(name))).toEqual([]);
    await link("Letter to Bob.txt").click();
    await alice.page.getByRole("heading", { name: "Letter to Bob.txt" }).waitFor();
    await alice.sees("Dear Bob");
    await alice.page.goBack();
  });

  test("a new folder is opened, and files are added to it", async () => {
    const { page } = alice;
    await page.getByRole("button", { name: "New folder" }).click();
    await dialog().getByLabel("Name").fill("Letters");
    await dialog().getByRole("button", { name: "Create" }).click();
    await link("Letters").click();
    await page.getByRole("heading", { name: "Letters" }).waitFor();
    await alice.sees("This folder is empty");
    await alice.choose("Add files", [textFile("a.txt"), textFile("b.txt")]);
    await link("b.txt").waitFor();
    await link("a.txt").waitFor();
    // A folder of that name cannot be there twice.
    await page.getByRole("button", { name: "New folder" }).click();
    await dialog().getByLabel("Name").fill("2026");
    await page.keyboard.press("Enter");
    await link("2026").waitFor();
    await page.getByRole("button", { name: "New folder" }).click();
    await dialog().getByLabel("Name").fill("2026");
    await page.keyboard.press("Enter");
    await dialog().getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(listRows).toHaveLength(3);
    await alice.inspect("drive-folder");
  });

  test("a file is renamed and moved, by a dialog and by dragging, and that is undone", async () => {
    const { page } = alice;
    await page.getByLabel("Select a.txt").check();
    await page.getByRole("button", { name: "Rename" }).click();
    await dialog().getByLabel("Name").fill("first.txt");
    await page.keyboard.press("Enter");
    await link("first.txt").waitFor();
    await page.getByRole("button", { name: "Move…" }).click();
    await dialog().getByLabel("Folder").selectOption("Letters / 2026");
    await dialog().getByRole("button", { name: "Move" }).click();
    await alice.wasNotified("Moved first.txt to 2026");
    await link("first.txt").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await link("first.txt").waitFor();
    await row("b.txt").dragTo(row("2026"));
    await link("b.txt").waitFor({ state: "detached" });
    await link("2026").click();
    await link("b.txt").waitFor();
    const places = page.getByRole("navigation", { name: "Folders" });
    await row("b.txt").dragTo(places.getByRole("link", { name: "Files" }));
    await alice.sees("This folder is empty");
    await places.getByRole("link", { name: "Files" }).click();
    await link("b.txt").waitFor();
    await expect.poll(listRows).toEqual(["Letters", "b.txt", "Letter to Bob.txt", "poster.txt"]);
  });

  test("what is stored without a folder can be moved to one; a search finds everything, and says where", async () => {
    const { page } = alice;
    await page.getByLabel("Select poster.txt").check();
    await page.getByRole("button", { name: "Move…" }).click();
    await dialog().getByLabel("Folder").selectOption("Letters");
    await dialog().getByRole("button", { name: "Move" }).click();
    await link("poster.txt").waitFor({ state: "detached" });
    await page.getByLabel("Search your files").fill("t.txt");
    await alice.sees("1 match");
    await expect.poll(listRows).toEqual(["first.txt"]);
    await page.getByLabel("Search your files").fill("poster");
    await alice.sees("In Letters");
    await expect.poll(() => row("poster.txt").innerText()).toContain("Public");
    await page.getByLabel("Search your files").fill("");
    await link("Letters").waitFor();
  });

  test("the trash keeps what is moved to it until that is deleted permanently", async () => {
    const { page } = alice;
    await page.getByRole("button", { name: "Move Letters to trash" }).click();
    await alice.wasNotified("Moved Letters to trash");
    await page.getByLabel("Select b.txt").check();
    await page.getByRole("button", { name: "Move to trash", exact: true }).click();
    await page.getByRole("link", { name: "Trash (2)" }).click();
    await page.getByRole("heading", { name: "Trash" }).waitFor();
    await alice.inspect("drive-trash");
    await page.getByRole("button", { name: "Restore Letters" }).click();
    await alice.wasNotified("Restored Letters");
    await page.getByRole("button", { name: "Delete b.txt permanently" }).click();
    await dialog().getByRole("button", { name: "Delete permanently" }).click();
    await alice.wasNotified("Deleted b.txt");
    await alice.sees("Trash is empty");
    expect(await stored()).toHaveLength(3);
    await alice.openScreen("Files");
    await expect.poll(listRows).toEqual(["Letters", "Letter to Bob.txt"]);
  });

  test("folders and names are there after a reload, and in a browser that signs in anew", async () => {
    const { page } = alice;
    await page.reload();
    await link("Letters").click();
    await link("first.txt").waitFor();
    const other = await openBrowserAs(started.browser, started.app, wide);
    await other.page.getByRole("button", { name: /Alice/ }).click();
    await other.page.getByRole("link", { name: "Letters" }).click();
    await other.sees("first.txt");
    await other.page.goto(`${started.app.url}#/files/Letters/1999`);
    await other.sees("This folder isn’t here any more");
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });
});
