import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { optionsOf } from "../../../test/folders/rig.ts";
import { folderAppForTests, openFolderRig, signIn, type Tree, writeTree } from "./folder-rig.ts";
import { narrow, openBrowserAs, type Person, wide } from "./person.ts";

const tree: Tree = {
  "readme.txt": "Photos of our holiday",
  "day 1/sea.txt": "Hello from the sea",
  "day 1/日本語/写真.txt": "a description of a picture",
};

describe("folders that are added to the drive", async () => {
  const web = await folderAppForTests({ chain: false });
  let alice: Person;
  let bob: Person;
  let rig: ReturnType<typeof openFolderRig>;
  let link = "";
  let hasFailed = false;

  beforeAll(async () => {
    await writeTree(join(web.disk, "Reise"), tree);
    const { browser, app } = web;
    [alice, bob] = await Promise.all([openBrowserAs(browser, app, wide), openBrowserAs(browser, app, narrow)]);
    for (const { page } of [alice, bob]) page.on("dialog", (dialog) => dialog.accept());
    rig = openFolderRig(alice, web.disk);
    await Promise.all([signIn(alice, /Alice/), signIn(bob, /Bob/)]);
  }, 600_000);

  // The tests form one story: each depends on the ones before.
  beforeEach(({ task, skip, onTestFailed }) => {
    skip(hasFailed, `an earlier step failed: ${task.name}`);
    onTestFailed(() => {
      hasFailed = true;
    });
  });

  const dialog = () => alice.page.getByRole("dialog");
  const bobsAddress = () => web.app.devnet.accounts[1]?.address ?? "";
  const failedPuts = { service: "keyNodes", method: "PUT", node: 4, action: { kind: "respond", status: 500 } } as const;

  /** Opens the folder that the link of the dialog leads to. */
  async function openAsBob(): Promise<void> {
    await bob.page.goto("about:blank");
    await bob.page.goto(link);
  }

  test("a folder is one upload, and a folder of the drive; the network sees no name of it", async () => {
    await alice.choose("Add folder", join(web.disk, "Reise"));
    await alice.sees("1 upload complete");
    await rig.link("Reise").click();
    await rig.link("day 1").click();
    await rig.link("日本語").click();
    await rig.link("写真.txt").click();
    await alice.sees("a description of a picture");
    const names: (string | null)[] = [];
    for await (const { fileName } of createKit(await optionsOf(web.app.devnet)).iterateFiles()) names.push(fileName);
    expect(names.filter((name) => /readme|sea|写真|Reise|day|\.txt/.test(name ?? ""))).toEqual([]);
  });

  test("it is saved as an archive, and so is a folder in it", async () => {
    await rig.show("#/files/Reise");
    await rig.heading("Reise").waitFor();
    await alice.inspect("drive-folder-tools");
    expect(await rig.saveFromMemory()).toEqual(
      Object.fromEntries(Object.entries(tree).map(([path, text]) => [`Reise/${path}`, text])),
    );
    await rig.link("day 1").click();
    await rig.heading("day 1").waitFor();
    expect(Object.keys(await rig.saveFromMemory()).sort()).toEqual(["day 1/sea.txt", "day 1/日本語/写真.txt"]);
    await rig.chooseOwnFile();
    const restore = web.app.devnet.faults.add({ service: "gateway", action: { kind: "respond", status: 500 } });
    await rig.button("Download as ZIP").click();
    await alice.page.getByRole("alert").waitFor();
    expect(await rig.readSaved()).toBeUndefined();
    restore();
  });

  test("it is shared as a whole; what fails half way is reported, and completed", async () => {
    await rig.show("#/files/Reise");
    await rig.heading("Reise").waitFor();
    await rig.button("Share").dblclick();
    await dialog().getByText("Nobody else can open this folder yet.").waitFor();
    await alice.inspect("drive-folder-share");
    await dialog().getByLabel("Wallet address").fill(bobsAddress());
    const restore = web.app.devnet.faults.add({ ...failedPuts, after: 1 });
    await dialog().getByRole("button", { name: "Share", exact: true }).click();
    await dialog()
      .getByText(/files? not updated yet/)
      .waitFor();
    await dialog().getByText("Partly shared").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await rig.button("Share").click();
    await dialog().getByText("Partly shared").waitFor();
    restore();
    await dialog().getByRole("button", { name: "Retry the rest" }).click();
    await dialog()
      .getByRole("button", { name: `Revoke access of ${bobsAddress()}` })
      .waitFor();
    await dialog().getByRole("button", { name: "Copy link" }).click();
    link = await alice.page.evaluate(() => navigator.clipboard.readText());
    await dialog().getByRole("button", { name: "Close" }).click();
    // The list by which it is shared is none of its files.
    expect(await alice.page.locator("tbody tr[aria-rowindex]").count()).toBe(2);
    await rig.show("#/files");
    await alice.page
      .getByRole("row", { name: /Reise/ })
      .getByText(/Shared with 0x/)
      .waitFor();
  });

  test("Bob opens it by the link, with its names, and saves it", async () => {
    const bobs = openFolderRig(bob, web.disk);
    await openAsBob();
    await bobs.heading("Reise").waitFor();
    await bobs.link("day 1").click();
    await bobs.link("sea.txt").click();
    await bob.sees("Hello from the sea");
    await openAsBob();
    await bobs.heading("Reise").waitFor();
    expect(Object.keys(await bobs.saveFromMemory())).toHaveLength(3);
  });

  test("what is changed since is shared on request", async () => {
    await rig.show("#/files/Reise");
    await alice.choose("Add files", { name: "new.txt", mimeType: "text/plain", buffer: Buffer.from("new") });
    await rig.link("new.txt").waitFor();
    await alice.page.getByRole("button", { name: "Move readme.txt to trash" }).click();
    await rig.link("readme.txt").waitFor({ state: "detached" });
    await rig.button("Share").click();
    await dialog().getByText("The folder has changed since you shared it with 1 person.", { exact: false }).waitFor();
    await alice.inspect("drive-folder-share-changes");
    await dialog().getByRole("button", { name: "Share the changes" }).click();
    await dialog().getByText("The folder has changed", { exact: false }).waitFor({ state: "detached" });
    await dialog().getByRole("button", { name: "Copy link" }).click();
    const older = link;
    link = await alice.page.evaluate(() => navigator.clipboard.readText());
    expect(link).not.toBe(older);
    const bobs = openFolderRig(bob, web.disk);
    await openAsBob();
    await bobs.link("new.txt").waitFor();
    expect(await bobs.link("readme.txt").count()).toBe(0);
  });

  test("revoking ends Bob's access to it, as it is and as it was, even if that fails half way", async () => {
    const restore = web.app.devnet.faults.add({ ...failedPuts, method: "DELETE" });
    await dialog()
      .getByRole("button", { name: `Revoke access of ${bobsAddress()}` })
      .click();
    await dialog().getByRole("button", { name: "Retry the rest" }).waitFor();
    restore();
    await dialog().getByRole("button", { name: "Retry the rest" }).click();
    await dialog().getByText("Nobody else can open this folder yet.").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await openAsBob();
    await bob.sees("You have no access to this file");
    const kit = createKit(await optionsOf(web.app.devnet));
    const bobs = createKit(await optionsOf(web.app.devnet, 1));
    const refused: string[] = [];
    for await (const { cid, fileName, encryption } of kit.iterateFiles()) {
      if (!encryption || fileName?.startsWith("keeplight-drive")) continue;
      await bobs.decrypt(cid).catch((error: { code: string }) => refused.push(error.code));
    }
    // Three files and one that was added, and both lists.
    expect(refused).toEqual(Array(6).fill("NODE_REFUSED"));
  });

  test("one whose files are gone can still be revoked", async () => {
    await rig.show("#/files");
    await writeTree(join(web.disk, "Gone"), { "a.txt": "a" });
    await alice.choose("Add folder", join(web.disk, "Gone"));
    await rig.link("Gone").click();
    await rig.link("a.txt").waitFor();
    await rig.button("Share").click();
    await dialog().getByLabel("Wallet address").fill(bobsAddress());
    await dialog().getByRole("button", { name: "Share", exact: true }).click();
    const revoke = dialog().getByRole("button", { name: `Revoke access of ${bobsAddress()}` });
    await revoke.waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await alice.page.getByRole("button", { name: "Move a.txt to trash" }).click();
    await alice.sees("This folder is empty");
    await rig.button("Share").click();
    await revoke.waitFor();
    expect(await dialog().getByLabel("Wallet address").count()).toBe(0);
    await alice.inspect("drive-folder-share-over");
    await revoke.click();
    await dialog().getByText("Nobody else can open this folder yet.").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
  });

  test("a public file in it is saved with it, and named where it cannot be shared", async () => {
    const kit = createKit(await optionsOf(web.app.devnet));
    await kit.upload(new File(["everyone's"], "poster.txt"));
    await rig.show("#/files");
    await alice.page.reload();
    await rig.button("New folder").click();
    await dialog().getByLabel("Name").fill("Posters");
    await alice.page.keyboard.press("Enter");
    await rig.link("Posters").waitFor();
    await alice.page.getByLabel("Select poster.txt").check();
    await alice.page.getByRole("button", { name: "Move…" }).click();
    await dialog().getByLabel("Folder").selectOption("Posters");
    await dialog().getByRole("button", { name: "Move" }).click();
    await rig.link("poster.txt").waitFor({ state: "detached" });
    await rig.link("Posters").click();
    await rig.link("poster.txt").waitFor();
    await rig.button("Share").click();
    await alice.sees("“poster.txt” isn’t encrypted");
    expect(await rig.saveFromMemory()).toEqual({ "Posters/poster.txt": "everyone's" });
  });

  test("one whose files were not sent is continued once it is chosen again", async () => {
    await rm(join(web.disk, "Reise"), { recursive: true });
    await writeTree(join(web.disk, "Later"), { "one.txt": "1", "below/two.txt": "2" });
    await rig.show("#/files");
    const restore = web.app.devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 600_000 } });
    // Until its first request it only waits in the queue, which is continued in another way. One file alone is the drive's list.
    const isOfFolder = (url: string) =>
      url.startsWith(web.app.devnet.endpoints.upload) && /wrap-with-directory/.test(url);
    const sent = alice.page.waitForRequest((request) => isOfFolder(request.url()));
    await alice.choose("Add folder", join(web.disk, "Later"));
    await sent;
    await alice.page.reload();
    restore();
    await alice.sees("1 upload was interrupted");
    await alice.page.getByRole("button", { name: /^Resume / }).click();
    const [chooser] = await Promise.all([
      alice.page.waitForEvent("filechooser"),
      alice.page.getByRole("button", { name: /^Choose .* again$/ }).click(),
    ]);
    await chooser.setFiles(join(web.disk, "Later"));
    await alice.wasNotified("1 operation completed");
    await rig.link("Later").click();
    await rig.link("below").click();
    await rig.link("two.txt").waitFor();
    await writeFile(join(web.disk, "Later", "one.txt"), "1");
    expect([...alice.complaints, ...bob.complaints]).toEqual([]);
  });
});
