import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createKit } from "../../../src/index.ts";
import { optionsOf } from "../../../test/folders/rig.ts";
import { folderAppForTests, openFolderRig, signIn, writeTree } from "./folder-rig.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";
import { injectWallet } from "./test-wallet.ts";

const GIB = 1024 ** 3;

describe("uploads of folders in the web app", async () => {
  const web = await folderAppForTests({ chain: false });
  let restore: () => void = () => undefined;

  beforeAll(async () => {
    await writeTree(join(web.disk, "Trip"), { "one.txt": "1", "two.txt": "2" });
    await mkdir(join(web.disk, "Nothing", "below"), { recursive: true });
  });

  afterEach(() => restore());

  /** Drops a file or folder of the disk at the heading of a screen, as the desktop does. */
  async function drop({ context, page }: Person, path: string): Promise<void> {
    const heading = await page.locator("#main h1").boundingBox();
    const session = await context.newCDPSession(page);
    const at = { x: (heading?.x ?? 0) + 40, y: (heading?.y ?? 0) + 20 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", {
        type,
        ...at,
        data: { items: [], files: [path], dragOperationsMask: 1 },
      });
    }
  }

  const holdUploads = () => web.app.devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 600_000 } });

  test("an empty folder is named, and a folder that has files is uploaded", async () => {
    const alice = await openBrowserAs(web.browser, web.app, wide);
    await signIn(alice, /Alice/);
    await drop(alice, join(web.disk, "Nothing"));
    await alice.sees("“Nothing” is empty: there is nothing to upload.");
    await alice.inspect("empty-folder");
    await drop(alice, join(web.disk, "Trip"));
    await alice.page.getByRole("row", { name: /Trip/ }).waitFor();
    expect(await alice.page.getByText(/is empty/).count()).toBe(0);
    await alice.context.close();
  });

  test("what is dropped on another screen, or beside a dialog, does not leave the app", async () => {
    const alice = await openBrowserAs(web.browser, web.app, wide);
    await signIn(alice, /Alice/);
    await drop(alice, join(web.disk, "Trip", "one.txt"));
    await alice.page.getByRole("link", { name: "one.txt", exact: true }).waitFor();
    await alice.page.getByRole("button", { name: "New folder" }).click();
    await alice.page.getByRole("dialog").waitFor();
    await drop(alice, join(web.disk, "Trip", "two.txt"));
    await alice.page.keyboard.press("Escape");
    await alice.openScreen("Storage");
    await drop(alice, join(web.disk, "Trip", "two.txt"));
    await alice.openScreen("Files");
    await alice.page.getByRole("link", { name: "one.txt", exact: true }).waitFor();
    expect(await alice.page.getByText("two.txt").count()).toBe(0);
    expect(alice.page.url().startsWith(web.app.url)).toBe(true);
    await alice.context.close();
  });

  test("another tab sees a folder whose files are being uploaded, and its files once they are stored", async () => {
    const bob = await openBrowserAs(web.browser, web.app, wide);
    await signIn(bob, /Bob/);
    restore = holdUploads();
    await bob.choose("Add folder", join(web.disk, "Trip"));
    await bob.sees("Uploading 1 item");
    const page = await bob.context.newPage();
    await page.goto(web.app.url);
    await page.getByText("In progress in another tab").waitFor();
    await page.getByRole("link", { name: "Trip", exact: true }).waitFor();
    restore();
    await bob.page.getByRole("button", { name: "Cancel Trip" }).click();
    await bob.page.getByRole("button", { name: "Retry" }).click();
    await bob.page.getByRole("link", { name: "Trip", exact: true }).click();
    await bob.page.getByRole("link", { name: "one.txt", exact: true }).waitFor();
    await page.bringToFront();
    await page.getByRole("link", { name: "Trip", exact: true }).click();
    await page.getByRole("link", { name: "two.txt", exact: true }).waitFor();
    expect(await page.locator("tbody tr[aria-rowindex]").count()).toBe(2);
    await bob.context.close();
  });

  test("another account sees nothing of a folder's upload, and the first one continues it", async () => {
    const person = await openBrowserAs(web.browser, web.app, wide);
    person.page.on("dialog", (dialog) => dialog.accept());
    const wallet = await injectWallet(person, web.app);
    await wallet.changeAccount(2);
    await signIn(person, /Harbour Wallet/);
    restore = holdUploads();
    await person.choose("Add folder", join(web.disk, "Trip"));
    await person.page
      .locator(".upload")
      .getByText(/^Uploading · /)
      .waitFor();
    const change = person.page.getByRole("button", { name: /^Sign in as/ });
    await wallet.changeAccount(3);
    await change.click();
    const { address = "" } = web.app.devnet.accounts[3] ?? {};
    await person.page
      .locator(".account-card")
      .getByText(new RegExp(`^${address.slice(0, 6)}`, "i"))
      .waitFor();
    await person.sees("No files yet");
    expect(await person.page.getByText("Trip").count()).toBe(0);
    restore();
    await wallet.changeAccount(2);
    await change.click();
    await person.sees("1 upload was interrupted");
    await person.page.getByRole("button", { name: "Resume Trip" }).click();
    await person.sees("Choose the same folder again to continue.");
    await person.choose("Choose Trip again" as never, join(web.disk, "Trip"));
    await person.page.getByRole("link", { name: "Trip", exact: true }).waitFor();
    expect(await person.page.locator("tbody tr[aria-rowindex]").count()).toBe(1);
    await person.context.close();
  });

  test("signing out is asked about while files wait for their upload", async () => {
    const dave = await openBrowserAs(web.browser, web.app, wide);
    await signIn(dave, /Dave/);
    restore = holdUploads();
    const names = Array.from({ length: 12 }, (_, at) => `${at}.txt`);
    await dave.choose(
      "Add files",
      names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })),
    );
    await dave.sees("Uploading 12 items");
    await dave.page
      .getByText(/^Waiting/)
      .first()
      .waitFor();
    await dave.openScreen("Settings");
    await dave.page.getByRole("button", { name: "Sign out" }).click();
    await dave.page
      .getByText(/^2 uploads and 10 files are not complete\. .*only in this browser\. Signing out deletes/)
      .waitFor();
    await dave.inspect("leave");
    await dave.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await dave.sees("Uploading 12 items");
    await dave.context.close();
  });

  test("a folder that is too large for an archive in memory is refused, with the limit", async () => {
    const kit = createKit(await optionsOf(web.app.devnet, 4));
    const manifest = {
      ...{ type: "keeplight folder", version: 1, name: "Films" },
      ...{ owner: web.app.devnet.accounts[4]?.address.toLowerCase(), createdAt: 1 },
      files: [{ path: "film.mkv", cid: "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy", size: 5 * GIB }],
    };
    const files = manifest.files.map((file) => ({ ...file, commitment: "0".repeat(64) }));
    const text = JSON.stringify({ ...manifest, files, proofs: ["0".repeat(64)] });
    const name = "Films.abcdefghij.keeplight-folder.json";
    const [{ Hash: cid }] = await kit.uploadEncrypted(new File([text], name));
    const erin = await openBrowserAs(web.browser, web.app, wide);
    await signIn(erin, /Erin/);
    const rig = openFolderRig(erin, web.disk);
    await rig.show(`#/folder/${cid}`);
    await rig.heading("Films").waitFor();
    await erin.page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
    await rig.button("Download as ZIP").click();
    await erin.sees("The folder is too large for this browser");
    await erin.sees(/^It’s 5 GiB; this browser can save archives of up to 500 MiB\./);
    await erin.inspect("folder-too-large");
    await erin.context.close();
  });
});
