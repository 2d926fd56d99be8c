import { randomBytes } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { type Measured, measure } from "./heap.ts";

const executablePath = await findChromium();
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe.skipIf(!executablePath)("large files in the web app", () => {
  let app: RunningApp;
  let folder: string;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "keeplight-large-"));
    app = await startApp({ chain: false });
    // A profile on disk: in an incognito one the origin private file system is small.
    context = await chromium.launchPersistentContext(join(folder, "profile"), {
      executablePath: executablePath ?? "",
      args: chromiumArgs,
      acceptDownloads: true,
    });
    page = await context.newPage();
    page.on("filechooser", () => undefined);
    await page.goto(app.url);
    await page.getByRole("button", { name: /Alice/ }).click();
    await page.getByRole("heading", { name: "Files", exact: true }).waitFor();
  });

  afterAll(async () => {
    await context?.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function makeFile(name: string, size: number): Promise<string> {
    const path = join(folder, name);
    const file = await open(path, "w");
    const block = randomBytes(8 * MIB);
    for (let written = 0; written < size; written += block.length) {
      block.writeBigUInt64LE(BigInt(written), 0);
      await file.write(block);
    }
    await file.close();
    return path;
  }

  /** Uploads through the page, and waits until it is stored. */
  async function upload(path: string, privacy: "Encrypted" | "Public"): Promise<Measured> {
    await page.getByRole("radio", { name: privacy }).check({ force: true });
    return measure(page, async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Add files" }).click(),
      ]);
      await chooser.setFiles(path);
      await page.getByText(/^1 upload (finished|failed)$/).waitFor({ timeout: 400_000 });
      expect(await page.locator("#tray-title").textContent()).toBe("1 upload finished");
    }).finally(() => page.getByRole("button", { name: "Clear" }).click());
  }

  function tell(what: string, { peakHeapMiB, longestTaskMs, seconds }: Measured): void {
    console.log(
      `${what}: ${seconds.toFixed(1)} s, heap ${peakHeapMiB} MiB, longest task ${longestTaskMs.toFixed(0)} ms`,
    );
  }

  test("1 GiB is encrypted, uploaded and decrypted with a flat heap and a page that answers", async () => {
    const path = await makeFile("film-1.mkv", GIB);
    const up = await upload(path, "Encrypted");
    tell("1 GiB, encrypted upload", up);
    await page.getByRole("link", { name: "film-1.mkv", exact: true }).click();
    const down = await measure(page, async () => {
      await page.getByRole("button", { name: "Decrypt and open" }).click();
      await page.getByRole("link", { name: "Save" }).waitFor({ timeout: 400_000 });
    });
    tell("1 GiB, decryption", down);
    const size = await page.evaluate(async () => {
      const url = document.querySelector<HTMLAnchorElement>("a[download]")?.href ?? "";
      return (await (await fetch(url)).blob()).size;
    });
    expect(size).toBe(GIB);
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Files" }).click();
    expect(up.peakHeapMiB).toBeLessThanOrEqual(150);
    expect(down.peakHeapMiB).toBeLessThanOrEqual(150);
    expect(up.longestTaskMs).toBeLessThanOrEqual(50);
  });

  test("3 GiB from a disk file are uploaded encrypted, with a flat heap, at 0.4 of a plain upload's pace", async () => {
    const path = await makeFile("film-3.mkv", 3 * GIB);
    const plain = await upload(path, "Public");
    tell("3 GiB, plain upload", plain);
    const encrypted = await upload(path, "Encrypted");
    tell("3 GiB, encrypted upload", encrypted);
    expect(encrypted.peakHeapMiB).toBeLessThanOrEqual(100);
    expect(plain.seconds / encrypted.seconds).toBeGreaterThanOrEqual(0.4);
  });
});
