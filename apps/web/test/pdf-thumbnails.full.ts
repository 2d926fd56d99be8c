import type { Page, Worker } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import {
  createCuriousPdf,
  createEndlessPdf,
  createHalfPdf,
  createInflatingPdf,
  createLargePicturePdf,
  createLockedPdf,
  createNoisyPdf,
  createPdf,
  createStampedPdf,
  createTwoPagePdf,
} from "./pdfs.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";

const executablePath = await findChromium();
const MINUTES = 600_000;
const MIB = 1024 * 1024;

const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: "application/pdf", buffer });

const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) });

const thumbnail = (page: Page, name: string) => row(page, name).locator(".thumbnail");

/** Sizes of a thumbnail, its rounded colour in two places, and which part of its lower third is dark. */
const readThumbnail = (page: Page, name: string) =>
  thumbnail(page, name).evaluate(async (element) => {
    const image = element as HTMLImageElement;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
    pen.drawImage(image, 0, 0);
    const round = (x: number, y: number) =>
      Array.from(pen.getImageData(x * width, y * height, 1, 1).data.slice(0, 3), (part) => Math.round(part / 40) * 40);
    const { data } = pen.getImageData(0, height * 0.7, width, Math.ceil(height * 0.2));
    const dark = data.filter((part, at) => at % 4 === 0 && part < 128).length / (data.length / 4);
    const { size } = await (await fetch(image.src)).blob();
    return {
      width,
      height,
      size,
      middle: round(0.5, 0.4),
      corner: round(0.02, 0.02),
      right: round(0.98, 0.1),
      bottom: round(0.1, 0.98),
      dark,
    };
  });

/** Runs in the page: counts the workers that draw PDFs, until they are terminated. */
function countPdfWorkers(): void {
  const live = new Set<object>();
  const counted = { most: 0 };
  const { terminate } = Worker.prototype;
  Worker.prototype.terminate = function () {
    live.delete(this);
    terminate.call(this);
  };
  const construct = (target: typeof Worker, parameters: ConstructorParameters<typeof Worker>) => {
    const worker = new target(...parameters);
    if (String(parameters[0]).includes("pdf-worker")) live.add(worker);
    counted.most = Math.max(counted.most, live.size);
    return worker;
  };
  Object.assign(window, { pdfWorkers: counted, Worker: new Proxy(Worker, { construct }) });
}

describe.skipIf(!executablePath)(
  "thumbnails of PDFs",
  () => {
    const started = appForTests(executablePath, { chain: false });
    let alice: Person;
    const requests: string[] = [];
    /** The workers that draw PDFs: those that run now, and how many there were. */
    const running = new Set<Worker>();
    let count = 0;

    beforeAll(async () => {
      alice = await openBrowserAs(started.browser, started.app, wide);
      alice.context.on("request", (request) => requests.push(request.url()));
      alice.page.on("worker", (worker) => {
        if (!worker.url().includes("pdf-worker")) return;
        count++;
        running.add(worker);
        worker.on("close", () => running.delete(worker));
      });
      await alice.context.addInitScript(countPdfWorkers);
      await alice.page.reload();
      await alice.page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await alice.page.getByRole("button", { name: /Alice/ }).click();
      await waitForFolders(alice.page);
    }, MINUTES);

    afterAll(() => expect(alice.complaints).toEqual([]));

    const listLoads = () => requests.filter((url) => url.includes("pdf-worker"));

    /** Uploads files, and waits until a file after them has a thumbnail: all before it were tried. */
    async function addAndAwaitNext(files: readonly ReturnType<typeof pdf>[], next: string): Promise<void> {
      await alice.choose("Add files", [...files]);
      for (const { name } of files) await row(alice.page, name).waitFor();
      await alice.choose("Add files", pdf(next, createPdf()));
      await thumbnail(alice.page, next).waitFor();
    }

    async function expectIcon(name: string): Promise<void> {
      expect(await thumbnail(alice.page, name).count()).toBe(0);
      await row(alice.page, name).locator(".file-icon svg").waitFor();
    }

    test("the library is loaded when a PDF is shown, not for one that is only uploaded, and is not kept offline", async () => {
      const { page } = alice;
      await page.getByLabel("Search your files").fill("nothing like this");
      await alice.choose("Add files", pdf("paper.pdf", createPdf()));
      await alice.sees("1 upload complete");
      await page.waitForTimeout(2_000);
      expect(listLoads()).toEqual([]);
      await page.getByLabel("Search your files").fill("");
      await thumbnail(page, "paper.pdf").waitFor();
      expect(new Set(listLoads()).size).toBe(1);
      expect(new URL(listLoads()[0] ?? "").origin).toBe(new URL(started.app.url).origin);
      const kept = await page.evaluate(async () => {
        const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
        return (await Promise.all(stores.map((store) => store.keys()))).flat().map(({ url }) => url);
      });
      expect(kept.some((url) => url.includes("/assets/main-"))).toBe(true);
      expect(kept.filter((url) => url.includes("pdf-worker"))).toEqual([]);
    });

    test("shows the picture and the text of the first page, on white, and is there after a reload", async () => {
      const { page } = alice;
      const shown = await readThumbnail(page, "paper.pdf");
      expect(shown).toMatchObject({ width: 256, height: 256, middle: [200, 40, 40], corner: [240, 240, 240] });
      expect(shown.dark).toBeGreaterThan(0.02);
      expect(shown.size).toBeLessThanOrEqual(10_240);
      await expect.poll(() => running.size).toBe(0);
      count = 0;
      await page.reload();
      await thumbnail(page, "paper.pdf").waitFor();
      expect(count).toBe(0);
      await row(page, "paper.pdf").focus();
      await page.locator(".file-details .thumbnail").waitFor();
      await alice.inspect("thumbnails-pdf");
      await waitForFolders(page);
    });

    test("shows the first page of several, and all of it, whatever its shape", async () => {
      const { page } = alice;
      await alice.choose("Add files", [
        pdf("two.pdf", createTwoPagePdf()),
        pdf("landscape.pdf", createHalfPdf(400, 200)),
      ]);
      for (const name of ["two.pdf", "landscape.pdf"]) await thumbnail(page, name).waitFor();
      expect.soft(await readThumbnail(page, "two.pdf")).toMatchObject({ middle: [240, 0, 0] });
      const whole = await readThumbnail(page, "landscape.pdf");
      expect.soft(whole).toMatchObject({ width: 256, height: 128, corner: [240, 240, 240], right: [240, 0, 0] });
    });

    test("turns a page as its file says", async () => {
      await alice.choose("Add files", pdf("turned.pdf", createHalfPdf(400, 400, "/Rotate 90")));
      await thumbnail(alice.page, "turned.pdf").waitFor();
      // What was on the right is below.
      const turned = await readThumbnail(alice.page, "turned.pdf");
      expect(turned).toMatchObject({ right: [240, 240, 240], bottom: [240, 0, 0] });
    });

    test("draws no stamps, notes or forms over the page", async () => {
      await alice.choose("Add files", pdf("stamped.pdf", createStampedPdf()));
      await thumbnail(alice.page, "stamped.pdf").waitFor();
      expect(await readThumbnail(alice.page, "stamped.pdf")).toMatchObject({ middle: [200, 40, 40] });
    });

    test("is small, also of a page that compresses badly", async () => {
      await alice.choose("Add files", pdf("noise-page.pdf", createNoisyPdf()));
      await thumbnail(alice.page, "noise-page.pdf").waitFor();
      const { width, size } = await readThumbnail(alice.page, "noise-page.pdf");
      expect(width).toBe(256);
      expect(size).toBeLessThanOrEqual(10_240);
    });

    test("damaged files do not delay the next one", async () => {
      // Together they would take longer than the page waits if each took as long as one may.
      const damaged = Array.from({ length: 15 }, (_, at) => pdf(`damaged ${at}.pdf`, Buffer.from(`%PDF-1.7 ${at}`)));
      await addAndAwaitNext(damaged, "after-many.pdf");
      for (const { name } of damaged) await expectIcon(name);
    });

    test("damaged, locked and text files keep their icon, and are not tried again", async () => {
      const { page } = alice;
      const noise = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(5_000, "\u0001 0 obj <<")]);
      const files = [
        pdf("cut.pdf", createPdf().subarray(0, 700)),
        pdf("locked.pdf", createLockedPdf()),
        pdf("noise.pdf", noise),
        pdf("text.pdf", Buffer.from("not a PDF")),
      ];
      await addAndAwaitNext(files, "after-damaged.pdf");
      for (const { name } of files) await expectIcon(name);
      const tried = count;
      await alice.openScreen("Settings");
      await alice.openScreen("Files");
      await thumbnail(page, "after-damaged.pdf").waitFor();
      await page.waitForTimeout(1_000);
      expect(count).toBe(tried);
    });

    test("nothing that a file names is requested, and none of its scripts runs", async () => {
      const before = requests.length;
      await addAndAwaitNext([pdf("curious.pdf", createCuriousPdf("http://127.0.0.1:9/tracker/"))], "after-curious.pdf");
      expect(requests.slice(before).filter((url) => url.includes("tracker"))).toEqual([]);
      // The app's policy would have blocked and reported it.
      expect(alice.complaints).toEqual([]);
    });

    test("a huge page is drawn small, and without a huge picture; files that are too large keep their icon", async () => {
      const { page } = alice;
      const files = [
        pdf("wide.pdf", createPdf({ size: [100_000, 100_000] })),
        pdf("thin.pdf", createPdf({ size: [100_000, 3] })),
        pdf("picture.pdf", createLargePicturePdf(30_000)),
      ];
      await addAndAwaitNext(files, "after-huge.pdf");
      expect(await readThumbnail(page, "wide.pdf")).toMatchObject({ width: 256, height: 256 });
      expect(await readThumbnail(page, "thin.pdf")).toMatchObject({ width: 256, height: 1 });
      // Without its picture.
      expect(await readThumbnail(page, "picture.pdf")).toMatchObject({ middle: [240, 240, 240] });
      const tried = count;
      await alice.choose("Add files", pdf("large.pdf", Buffer.concat([createPdf(), Buffer.alloc(33 * MIB, "%")])));
      await row(page, "large.pdf").waitFor();
      await page.waitForTimeout(2_000);
      await expectIcon("large.pdf");
      expect(count).toBe(tried);
    });

    test("one that takes for ever ends after ten seconds, while the page responds, and the next one is drawn", async () => {
      const { page } = alice;
      // Together they would take longer than the page waits if each took as long as the library may load.
      const files = [
        pdf("endless.pdf", createEndlessPdf()),
        pdf("inflating.pdf", createInflatingPdf(4_000)),
        pdf("again.pdf", createEndlessPdf("again")),
      ];
      await alice.choose("Add files", files);
      // The browser's driver decodes the files in the page.
      for (const { name } of files) await row(page, name).waitFor();
      await page.evaluate(() => {
        const found = { longestMs: 0 };
        Object.assign(window, { found });
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) found.longestMs = Math.max(found.longestMs, duration);
        }).observe({ type: "longtask" });
      });
      const startedAt = Date.now();
      await addAndAwaitNext([], "after-endless.pdf");
      expect(Date.now() - startedAt).toBeGreaterThan(10_000);
      for (const { name } of files) await expectIcon(name);
      await expect.poll(() => running.size).toBe(0);
      const { longestMs } = await page.evaluate(() => (window as unknown as { found: { longestMs: number } }).found);
      expect(longestMs).toBeLessThan(2_000);
      expect(await page.evaluate(() => (window as unknown as { pdfWorkers: { most: number } }).pdfWorkers.most)).toBe(
        1,
      );
    });

    test("leaving the list, or a lock, ends the drawing at once; it starts again when the file is shown", async () => {
      const { page } = alice;
      await alice.choose("Add files", pdf("left.pdf", createEndlessPdf("left")));
      const countRunning = () => running.size;
      await expect.poll(countRunning, { timeout: 30_000 }).toBe(1);
      await alice.openScreen("Settings");
      await expect.poll(countRunning, { timeout: 5_000 }).toBe(0);
      await page.waitForTimeout(1_000);
      expect(running.size).toBe(0);
      await alice.openScreen("Files");
      await expect.poll(countRunning, { timeout: 30_000 }).toBe(1);
      await page.locator(".account-card").getByRole("button", { name: "Lock", exact: true }).click();
      await expect.poll(countRunning, { timeout: 5_000 }).toBe(0);
    });
  },
  MINUTES,
);
