import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { optionsOf } from "../../../test/folders/rig.ts";
import { folderAppForTests, signIn, writeTree } from "./folder-rig.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const started = await folderAppForTests({});
let alice: Person;

const link = (name: string) => alice.page.getByRole("grid").getByRole("link", { name, exact: true });
const row = (name: string) => alice.page.getByRole("row", { name: new RegExp(name) });

async function createFolder(name: string): Promise<void> {
  await alice.page.getByRole("button", { name: "New folder" }).click();
  await alice.page.getByRole("dialog").getByLabel("Name").fill(name);
  await alice.page.keyboard.press("Enter");
  await link(name).waitFor();
}

beforeAll(async () => {
  alice = await openBrowserAs(started.browser, started.app, wide);
  await signIn(alice, /Alice/);
  await createFolder("Letters");
}, 600_000);

test("an own public file is listed, although it has the name of the file with the drive's key", async () => {
  await alice.page.getByText("Public", { exact: true }).first().click();
  const file = { name: "keeplight-drive-key", mimeType: "text/plain", buffer: Buffer.from("mine") };
  await alice.choose("Add files", file);
  await link("keeplight-drive-key").waitFor();
});

test("a folder has the size of a file that was in none and is moved to it", async () => {
  const file = { name: "poster.txt", mimeType: "text/plain", buffer: Buffer.from("a public poster") };
  await alice.choose("Add files", file);
  await link("poster.txt").waitFor();
  await row("poster.txt").dragTo(row("Letters"));
  await alice.wasNotified("Moved poster.txt to Letters");
  await expect.poll(() => row("Letters").innerText()).toContain("15 bytes");
});

test("what another tab has moved since stays where it is when that is undone", async () => {
  const { context, page } = alice;
  await createFolder("Posters");
  const tab = await context.newPage();
  await tab.goto(`${started.app.url}#/files/Letters`);
  await tab.getByLabel("Select poster.txt").check();
  await tab.getByRole("button", { name: "Move…" }).click();
  await tab.getByRole("dialog").getByLabel("Folder").selectOption("Posters");
  await tab.getByRole("dialog").getByRole("button", { name: "Move", exact: true }).click();
  await tab.getByText("This folder is empty").waitFor();
  await tab.evaluate(() => new BroadcastChannel("keeplight files").postMessage("changed"));
  await link("Posters").click();
  await link("poster.txt").waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await alice.wasNotified("Changed elsewhere since, so not all of it was undone");
  await link("poster.txt").waitFor();
  await page.goBack();
  await tab.close();
});

test("a folder that is one upload is not moved by dragging it", async () => {
  const { page } = alice;
  await writeTree(join(started.disk, "trip"), { "a.txt": "a", "b.txt": "b" });
  await createKit(await optionsOf(started.app.devnet)).uploadEncryptedFolder(join(started.disk, "trip"));
  await page.reload();
  await link("trip").waitFor();
  await row("trip").dragTo(row("Letters"));
  await row("keeplight-drive-key").dragTo(row("Letters"));
  await alice.wasNotified("Moved keeplight-drive-key to Letters");
  expect(await link("trip").count()).toBe(1);
});
