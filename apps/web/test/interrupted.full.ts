import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chromiumArgs, chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";
import { readStoredFiles } from "./stored-files.ts";
import { injectWallet, type TestWallet } from "./test-wallet.ts";

describe("work that is interrupted in the web app", () => {
  let app: RunningApp;
  let browser: Browser;
  let alice: Person;
  let wallet: TestWallet;
  let folder: string;
  const dialogs: string[] = [];
  let restoreFaults: (() => void)[] = [];

  beforeAll(async () => {
    const executablePath = await findChromium();
    if (!executablePath) throw new Error(chromiumHint());
    folder = await mkdtemp(join(tmpdir(), "keeplight-interrupted-"));
    [app, browser] = await Promise.all([startApp(), chromium.launch({ executablePath, args: chromiumArgs })]);
  }, 600_000);

  beforeEach(async () => {
    alice = await openBrowserAs(browser, app, wide);
    alice.page.on("dialog", (dialog) => {
      dialogs.push(dialog.type());
      return dialog.accept();
    });
    wallet = await injectWallet(alice, app);
    await signIn();
  });

  afterEach(async () => {
    for (const restore of restoreFaults) restore();
    restoreFaults = [];
    await alice.context.close();
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function signIn(keepsData = true): Promise<void> {
    await alice.page.getByRole("button", { name: /Harbour Wallet/ }).click();
    await alice.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    if (keepsData) await waitForFolders(alice.page);
  }

  /** The account stays signed in. */
  async function reload(): Promise<void> {
    await alice.page.reload();
    await alice.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
  }

  /** Makes these key nodes fail. */
  function breakNodes(...nodes: number[]): void {
    for (const node of nodes) {
      const action = { kind: "respond", status: 500, json: { message: "Busy" } } as const;
      restoreFaults.push(app.devnet.faults.add({ service: "keyNodes", node, action }));
    }
  }

  /** Makes the upload node slow, so that uploads stay under way. */
  function slowUploads(): void {
    restoreFaults.push(app.devnet.faults.add({ service: "upload", action: { kind: "delay", ms: 600_000 } }));
  }

  function mend(): void {
    for (const restore of restoreFaults) restore();
    restoreFaults = [];
  }

  /** A file on the disk, which keeps its date. */
  async function createFile(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    await utimes(path, 1_700_000_000, 1_700_000_000);
    return path;
  }

  async function expectOpens(name: string, text: string): Promise<void> {
    await alice.page.getByRole("link", { name, exact: true }).click();
    const open = alice.page.getByRole("button", { name: "Decrypt and open" });
    // Small files may open by themselves.
    await Promise.race([open.click().catch(() => undefined), alice.sees(text)]);
    await alice.sees(text);
    await alice.openScreen("Files");
  }

  const button = (name: string) => alice.page.getByRole("button", { name, exact: true });

  test("keys that are not saved are finished after signing out and in, without the file", async () => {
    breakNodes(3, 4, 5);
    await alice.choose("Add files", await createFile("letter.txt", "Dear Bob"));
    await alice.sees("Key saved on 2 of 5 nodes");
    await button("Clear").click();
    await alice.page.getByRole("dialog", { name: "Clear uploads whose keys aren’t saved?" }).waitFor();
    await alice.inspect("clear-unsaved");
    await alice.page.keyboard.press("Escape");
    await button("Lock").click();
    await alice.page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
    mend();
    await signIn();
    await alice.sees("1 upload was interrupted");
    await alice.inspect("interrupted");
    expect(await alice.listUnreachableByKeyboard()).toEqual([]);
    await button("Resume letter.txt").click();
    await alice.wasNotified("1 operation completed");
    await alice.page.getByText("1 upload was interrupted").first().waitFor({ state: "detached" });
    await expectOpens("letter.txt", "Dear Bob");
    expect(alice.complaints).toEqual([]);
  });

  test("all that was interrupted is resumed at once", async () => {
    breakNodes(3, 4, 5);
    const names = ["one.txt", "two.txt"];
    await alice.choose("Add files", await Promise.all(names.map((name) => createFile(name, name))));
    await alice.sees("2 uploads failed");
    await reload();
    await alice.sees("2 uploads were interrupted");
    await button("Resume all").click();
    await alice.page
      .getByText(/key isn’t saved yet/)
      .nth(1)
      .waitFor();
    mend();
    await button("Resume all").click();
    await alice.wasNotified("2 operations completed");
    for (const name of names) await expectOpens(name, name);
  });

  test("a file that was not sent is asked for again; another one is refused", async () => {
    slowUploads();
    const path = await createFile("report.txt", "the report");
    await alice.choose("Add files", path);
    await alice.page.getByRole("progressbar", { name: "report.txt" }).waitFor();
    await alice.page.getByText(/^Uploading ·/).waitFor();
    await reload();
    // Nothing is lost by it.
    expect(dialogs).toEqual([]);
    mend();
    await button("Resume report.txt").click();
    await alice.sees("Choose the same file again to continue.");
    const choose = async (file: string) => {
      const [chooser] = await Promise.all([
        alice.page.waitForEvent("filechooser"),
        button("Choose report.txt again").click(),
      ]);
      await chooser.setFiles(file);
    };
    await createFile("report.txt", "another report");
    await choose(path);
    await alice.sees(/^This isn’t the file that was being uploaded/);
    await alice.inspect("interrupted-changed");
    await createFile("report.txt", "the report");
    await choose(path);
    await alice.wasNotified("1 operation completed");
    await expectOpens("report.txt", "the report");
  });

  test("a file that the browser may read again is not asked for", async () => {
    slowUploads();
    await alice.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const handle = await root.getFileHandle("diary.txt", { create: true });
      const writable = await handle.createWritable();
      await writable.write("Monday: rain");
      await writable.close();
      Object.assign(window, { showOpenFilePicker: async () => [handle] });
    });
    await button("Add files").click();
    await alice.page.getByText(/^Uploading ·/).waitFor();
    await reload();
    mend();
    await button("Resume diary.txt").click();
    await alice.wasNotified("1 operation completed");
    await expectOpens("diary.txt", "Monday: rain");
    // Its handle is removed.
    await expect
      .poll(() =>
        alice.page.evaluate(async () => {
          const databases = (await indexedDB.databases()).filter(({ name }) => name?.startsWith("keeplight files"));
          const counts = databases.map(
            ({ name = "" }) =>
              new Promise((resolve) => {
                const opening = indexedDB.open(name);
                opening.onsuccess = () => {
                  const counting = opening.result.transaction("handles").objectStore("handles").count();
                  counting.onsuccess = () => resolve(counting.result);
                  opening.result.close();
                };
              }),
          );
          return Promise.all(counts);
        }),
      )
      .toEqual([0]);
  });

  test("files that storage had no room for are recorded when they are retried, and offered after a reload", async () => {
    await alice.page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("There is no room", "QuotaExceededError");
      };
      Object.assign(window, { makeRoom: () => Object.assign(IDBObjectStore.prototype, { put }) });
    });
    const names = ["m1.txt", "m2.txt", "m3.txt", "m4.txt"];
    const paths = await Promise.all(names.map((name) => createFile(name, name)));
    await alice.choose("Add files", paths);
    await alice.sees("4 uploads failed");
    await alice.page.evaluate("makeRoom()");
    slowUploads();
    await button("Retry all").click();
    await alice.page.locator(".upload-running").nth(1).waitFor();
    await reload();
    mend();
    const [chooser] = await Promise.all([alice.page.waitForEvent("filechooser"), button("Choose files again").click()]);
    await chooser.setFiles(paths);
    // The two that had started wait, too, if the page ended before anything of them was sent.
    await alice.sees(/^[2-4] uploads complete/);
    for (const name of names.slice(2)) await expectOpens(name, name);
  });

  test("a page whose data was cleared says how files can be added again", async () => {
    await alice.page.evaluate(async () => {
      for (const { name = "" } of await indexedDB.databases()) indexedDB.deleteDatabase(name);
    });
    await alice.choose("Add files", await createFile("cleared.txt", "cleared"));
    await alice.sees(/^This site’s data was cleared in your browser\. Reload the page/);
    await alice.page.reload();
    await signIn();
    await alice.choose("Add files", await createFile("cleared.txt", "cleared"));
    await alice.sees("1 upload complete");
  });

  test("a page without databases uploads all the same, and says that it keeps nothing", async () => {
    await alice.context.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: undefined }));
    await alice.page.clock.install();
    await alice.page.reload();
    await signIn(false);
    slowUploads();
    await alice.choose("Add files", await createFile("unkept.txt", "unkept"));
    await alice.page.getByText(/^Uploading ·/).waitFor();
    await button("Lock").click();
    await alice.sees(/This browser can’t keep interrupted work/);
    await button("Cancel").click();
    // What is done once nothing has changed for a while.
    await alice.page.clock.runFor(5_000);
    await alice.sees(/^Uploading ·/);
    // The question stays until it is answered, and is not asked again because of what is added after that.
    await button("Lock").click();
    await alice.sees(/This browser can’t keep interrupted work/);
    await alice.page.evaluate(() => document.querySelector<HTMLElement>(".tray-actions button")?.click());
    await alice.page.locator(".upload-aborted").waitFor();
    const asked = alice.page.getByRole("dialog", { name: "Lock now?" });
    await asked.getByRole("button", { name: "Cancel" }).click();
    await button("Retry").click();
    await alice.page.getByText(/^Uploading ·/).waitFor();
    expect(await asked.count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  test("what another tab works on is not offered until that tab ends; discarding asks", async () => {
    slowUploads();
    await alice.choose("Add files", await createFile("shared.txt", "text"));
    await alice.page.getByText(/^Uploading ·/).waitFor();
    const first = alice.page;
    const second = await alice.context.newPage();
    await second.goto(app.url);
    await second.getByText("In progress in another tab").waitFor();
    expect(await second.getByRole("button", { name: "Resume shared.txt" }).count()).toBe(0);
    await first.close();
    await second.getByRole("button", { name: "Discard shared.txt" }).click();
    const dialog = second.getByRole("dialog", { name: "Discard shared.txt?" });
    await dialog.getByText(/the key is deleted/).waitFor();
    await dialog.getByRole("button", { name: "Discard" }).click();
    await second.getByText("1 upload was interrupted").first().waitFor({ state: "detached" });
  });

  test("another account sees nothing of the one before, whose uploads go on when it returns", async () => {
    await alice.choose("Add files", await createFile("secret.txt", "the secret"));
    await alice.sees("1 upload complete");
    await button("Clear").click();
    await alice.page.getByRole("link", { name: "secret.txt", exact: true }).click();
    const open = alice.page.getByRole("button", { name: "Decrypt and open" });
    await Promise.race([open.click().catch(() => undefined), alice.sees("the secret")]);
    await alice.sees("the secret");
    const urls = await alice.page.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLAnchorElement>("a[href^=blob]"), ({ href }) => href),
    );
    // Its name is stored some seconds later.
    await expect.poll(async () => (await readStoredFiles(app)).byName.has("secret.txt")).toBe(true);
    slowUploads();
    await alice.openScreen("Files");
    const paths = await Promise.all(["a1.txt", "a2.txt", "a3.txt"].map((name) => createFile(name, name)));
    await alice.choose("Add files", paths);
    await alice.page
      .getByText(/^Uploading ·/)
      .nth(1)
      .waitFor();
    await wallet.changeAccount(4);
    await alice.page.getByRole("button", { name: /^Sign in as/ }).click();
    const { address = "" } = app.devnet.accounts[4] ?? {};
    await alice.page.getByText(new RegExp(`^${address.slice(0, 6)}…${address.slice(-4)}$`, "i")).waitFor();
    await alice.sees("No files yet");
    mend();
    for (const name of ["secret", "a1.txt", "a2.txt", "a3.txt"])
      expect(await alice.page.getByText(name).count()).toBe(0);
    const alive = await alice.page.evaluate(
      (blobs) =>
        Promise.all(
          blobs.map((url) =>
            fetch(url).then(
              () => true,
              () => false,
            ),
          ),
        ),
      urls,
    );
    expect(alive.filter(Boolean)).toEqual([]);
    await wallet.changeAccount(0);
    await alice.page.getByRole("button", { name: /^Sign in as/ }).click();
    await alice.sees("2 uploads and 1 file were interrupted");
    await alice.sees("secret.txt");
    const [chooser] = await Promise.all([alice.page.waitForEvent("filechooser"), button("Choose file again").click()]);
    await chooser.setFiles(paths);
    for (const name of ["a1.txt", "a2.txt", "a3.txt"]) {
      await alice.page.getByRole("link", { name, exact: true }).waitFor();
    }
  });

  test("one choice of their folder continues all files, those that had started and those that had not", async () => {
    slowUploads();
    const names = ["f1.txt", "f2.txt", "f3.txt", "f4.txt", "f5.txt"];
    await mkdir(join(folder, "letters"));
    const paths = await Promise.all(names.map((name) => createFile(join("letters", name), name)));
    await alice.choose("Add files", paths);
    await alice.page
      .getByText(/^Uploading ·/)
      .nth(1)
      .waitFor();
    await reload();
    mend();
    await alice.sees("2 uploads and 3 files were interrupted");
    await alice.inspect("interrupted-queue");
    const [chooser] = await Promise.all([
      alice.page.waitForEvent("filechooser"),
      alice.page.getByRole("button", { name: "Choose folder" }).click(),
    ]);
    await chooser.setFiles(join(folder, "letters"));
    await alice.sees("3 uploads complete");
    await alice.page.getByText("2 uploads were interrupted").first().waitFor({ state: "detached" });
    for (const name of names) await expectOpens(name, name);
    expect(alice.complaints).toEqual([]);
  });
});
