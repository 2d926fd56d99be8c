import { Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { createApiKey, upload } from "../../../src/index.ts";
import { folderAppForTests, openFolderRig, signIn, type Tree, toFiles } from "./folder-rig.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

/** Names that other programs, or readers, would take for something else. */
const tree: Tree = {
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

/** Enough for a sharded folder. */
const LARGE = 10_000;

describe("public folders in the web app", async () => {
  const web = await folderAppForTests({ chain: false });
  let alice: Person;
  let cid = "";
  let rig: ReturnType<typeof openFolderRig>;

  beforeAll(async () => {
    cid = await uploadFolder("Reise 旅行", tree);
    alice = await openBrowserAs(web.browser, web.app, wide);
    rig = openFolderRig(alice, web.disk);
    await signIn(alice, /Alice/);
  }, 600_000);

  async function uploadFolder(name: string, files: Tree): Promise<string> {
    const { endpoints, accounts } = web.app.devnet;
    const apiKey = await createApiKey({ signer: new Wallet(accounts[0]?.privateKey ?? ""), endpoints });
    const [root] = await upload(toFiles(name, files), { apiKey, endpoints });
    return root.Hash;
  }

  async function openFolder(): Promise<void> {
    await rig.show(`#/folder/${cid}`);
    await rig.heading("Reise 旅行").waitFor();
    await alice.sees("7 items");
  }

  test("a folder's row opens it, and its folders and files open", async () => {
    await rig.link("Reise 旅行").click();
    await rig.heading("Reise 旅行").waitFor();
    await alice.sees("7 items");
    expect(await alice.page.evaluate(() => location.hash)).toBe(`#/folder/${cid}`);
    await alice.inspect("folder");
    expect(await alice.listUnreachableByKeyboard()).toEqual([]);
    await rig.link("day 1").click();
    await rig.heading("day 1").waitFor();
    await rig.link("日本語").click();
    await rig.heading("日本語").waitFor();
    await alice.inspect("folder-below");
    await rig.link("写真.txt").click();
    await rig.heading("写真.txt").waitFor();
    await alice.sees("a description of a picture");
    await alice.inspect("folder-file");
  });

  test("Back returns through its folders, a reload stays, and the folders above are links", async () => {
    await alice.page.goBack();
    await rig.heading("日本語").waitFor();
    await alice.page.reload();
    await rig.heading("日本語").waitFor();
    await rig.link("写真.txt").waitFor();
    await rig.link("Reise 旅行").click();
    await rig.heading("Reise 旅行").waitFor();
    await alice.page.goBack();
    await rig.heading("日本語").waitFor();
    await rig.link("day 1").click();
    await rig.link("100% ? # &.txt").click();
    await alice.sees("signs");
    await alice.page.reload();
    await rig.heading("100% ? # &.txt").waitFor();
    await alice.sees("signs");
    await rig.link("Proof").click();
    await alice.page.goBack();
    await rig.heading("day 1").waitFor();
  });

  test("names cannot read as others", async () => {
    await openFolder();
    await rig.link("a\ufffdgpj.exe").waitFor();
  });

  test("an archive has every file, under names that no program writes elsewhere", async () => {
    await openFolder();
    const saved = await rig.saveFromMemory();
    await alice.sees("Saved Reise 旅行.zip");
    expect(saved).toEqual({
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
    await rig.show(`#/folder/${cid}/day%201`);
    await rig.heading("day 1").waitFor();
    await rig.chooseOwnFile();
    await rig.button("Download as ZIP").click();
    await alice.sees("Saved day 1.zip");
    const bytes = await rig.readSaved();
    expect(bytes).toBeGreaterThan(200);
  });

  test("what fails half way is reported, and leaves no file", async () => {
    // The browser has kept the blocks of the other one.
    const other = await uploadFolder("Fresh", { "one.txt": "one of them", "two.txt": "two of them" });
    await rig.show(`#/folder/${other}`);
    await rig.heading("Fresh").waitFor();
    await rig.chooseOwnFile();
    const restore = web.app.devnet.attacks.add({
      kind: "tamper-blocks",
      cid: await getCidOf(other, "two.txt"),
      change: (block) => [{ ...block, bytes: new TextEncoder().encode("other bytes") }],
    });
    await rig.button("Download as ZIP").click();
    await alice.sees("The gateway sent the wrong data");
    expect(await alice.page.getByRole("alert").textContent()).not.toMatch(/http|baf/);
    await alice.inspect("folder-failed");
    expect(await rig.readSaved()).toBeUndefined();
    restore();
    await rig.button("Try again").click();
    await alice.sees("Saved Fresh.zip");
  });

  test("a gateway that sends other bytes is reported without its URL, and asked again", async () => {
    const other = await uploadFolder("Untrue", { "three.txt": "three of them" });
    const restore = web.app.devnet.attacks.add({
      kind: "tamper-blocks",
      cid: other,
      change: (block) => [{ ...block, bytes: new TextEncoder().encode("other bytes") }],
    });
    await rig.show(`#/folder/${other}`);
    await alice.sees("The gateway sent the wrong data");
    expect(await alice.page.getByRole("alert").textContent()).not.toMatch(/http|baf/);
    await alice.inspect("folder-wrong-data");
    restore();
    await rig.button("Try again").click();
    await rig.link("three.txt").waitFor();
  });

  test("a file is no folder, and what is not there is reported", async () => {
    const file = await getCidOf(cid, "readme.txt");
    await rig.show(`#/folder/${file}`);
    await alice.sees("This is not a folder");
    await alice.inspect("folder-none");
    await rig.link("Show the file").click();
    await alice.sees("21 bytes");
    await rig.show(`#/folder/${cid}/nowhere`);
    await alice.page.getByRole("alert").waitFor();
  });

  test("a folder of thousands of entries renders those in sight; Back and a reload return to the same place", async () => {
    const names = Array.from({ length: LARGE }, (_, at) => `file ${at}.txt`);
    const large = await uploadFolder("Large", Object.fromEntries(names.map((name) => [name, name])));
    const all = `${LARGE.toLocaleString("en-US")} items`;
    await rig.show(`#/folder/${large}`);
    await alice.sees(all);
    expect(await alice.page.locator("tbody tr[aria-rowindex]").count()).toBeLessThan(80);
    await alice.page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await alice.page.locator(`tr[aria-rowindex="${LARGE + 1}"]`).waitFor();
    await alice.page.waitForFunction(() => (history.state as { scroll?: number } | null)?.scroll === window.scrollY);
    const scrolled = await alice.page.evaluate(() => window.scrollY);
    await rig.link(`file ${LARGE - 1}.txt`).click();
    await rig.heading(`file ${LARGE - 1}.txt`).waitFor();
    await alice.page.goBack();
    await alice.page.waitForFunction((place) => Math.abs(window.scrollY - place) < 5, scrolled);
    await alice.page.reload();
    await alice.sees(all);
    await alice.page.waitForFunction((place) => Math.abs(window.scrollY - place) < 5, scrolled);
  }, 600_000);

  test("the page reports no errors", () => {
    expect(alice.complaints).toEqual([]);
  });

  async function getCidOf(folder: string, name: string): Promise<string> {
    const response = await fetch(`${web.app.devnet.endpoints.gateway}/ipfs/${folder}`);
    const entries = (await response.json()) as { Name: string; Hash: string }[];
    return entries.find(({ Name }) => Name === name)?.Hash ?? "";
  }
});
