import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { pdf, recordVideo } from "./media.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();

/** A realistic folder: names in several scripts, an empty file, nested folders. */
const holiday: Readonly<Record<string, string>> = {
  "readme.txt": "Photos of our holiday",
  "leer.txt": "",
  "tag 1/grüße 🌊.txt": "Hello from the sea",
  "tag 1/日本語/写真.txt": "a description of a picture",
};

describe.skipIf(!executablePath)(
  "folders, videos and PDFs in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let carol: Person;
    let folder: string;

    beforeAll(async () => {
      folder = join(await mkdtemp(join(tmpdir(), "keeplight-media-")), "Reise 旅行");
      for (const [path, text] of Object.entries(holiday)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      [app, browser] = await Promise.all([
        startApp({ chain: false, pageSize: 4 }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      carol = await openBrowserAs(browser, app, wide);
      await carol.page.getByRole("button", { name: /Carol/ }).click();
      await carol.page.getByRole("heading", { name: "Files", exact: true }).waitFor();
    }, 600_000);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
      await rm(dirname(folder), { recursive: true, force: true });
    });

    /** Everything below a stored folder, by its path, as the gateway returns it. */
    async function createTree(cid: string, path = ""): Promise<Record<string, string>> {
      const at = `${app.devnet.endpoints.gateway}/ipfs/${cid}${path.split("/").map(encodeURIComponent).join("/")}`;
      const response = await fetch(at);
      if (!response.headers.get("content-type")?.startsWith("application/json")) {
        return { [path.slice(1)]: await response.text() };
      }
      const entries = (await response.json()) as { Name: string }[];
      return Object.assign({}, ...(await Promise.all(entries.map(({ Name }) => createTree(cid, `${path}/${Name}`)))));
    }

    const openFile = async (name: string) => {
      await carol.openScreen("Files");
      await carol.page.getByRole("link", { name, exact: true }).click();
    };

    test("a dropped folder is stored as a whole, with every path, name and byte", async () => {
      await carol.page.getByRole("radio", { name: "Public" }).check({ force: true });
      const { x = 0, y = 0 } = (await carol.page.locator(".drop-zone").boundingBox()) ?? {};
      const mouse = await carol.context.newCDPSession(carol.page);
      for (const type of ["dragEnter", "dragOver", "drop"] as const) {
        const data = { items: [], files: [folder], dragOperationsMask: 1 };
        await mouse.send("Input.dispatchDragEvent", { type, x: x + 40, y: y + 40, data });
      }
      await carol.sees("1 upload complete");
      const row = carol.page.getByRole("row", { name: /Reise 旅行/ });
      await row.getByRole("button", { name: "Copy CID" }).click();
      const cid = await carol.page.evaluate(() => navigator.clipboard.readText());
      expect(await createTree(cid)).toEqual(holiday);
    });

    test("a picked folder is encrypted as one, with an empty file", async () => {
      await carol.page.getByRole("radio", { name: "Encrypted" }).check({ force: true });
      await carol.choose("Add folder", folder);
      await carol.sees("2 uploads complete");
      // The listing has four files per page; all pages are loaded.
      await carol.sees("2 items");
      await carol.inspect("files-folder");
      await carol.page
        .getByRole("row", { name: /Reise 旅行.*Encrypted/ })
        .getByRole("link", { name: "Reise 旅行", exact: true })
        .click();
      await carol.page.getByRole("link", { name: "leer.txt", exact: true }).click();
      await carol.sees("This file is empty");
    });

    test("a video plays and a PDF is shown while they are decrypted, and both can be downloaded", async () => {
      await carol.openScreen("Files");
      const film = Buffer.from(await carol.page.evaluate(recordVideo), "base64");
      await carol.choose("Add files", [
        { name: "film.webm", mimeType: "video/webm", buffer: film },
        { name: "paper.pdf", mimeType: "application/pdf", buffer: pdf },
      ]);
      await carol.sees("4 uploads complete");
      await carol.page.getByRole("button", { name: "Clear" }).click();

      await openFile("film.webm");
      const video = carol.page.locator("video");
      await video.evaluate(async (element: HTMLVideoElement) => {
        element.muted = true;
        await element.play();
      });
      expect(await video.evaluate((element: HTMLVideoElement) => [element.videoWidth, element.videoHeight])).toEqual([
        320, 180,
      ]);
      await carol.inspect("file-film");

      await openFile("paper.pdf");
      const frame = carol.page.locator("iframe");
      await frame.waitFor();
      const shown = await frame.evaluate(async (element: HTMLIFrameElement) => {
        const blob = await (await fetch(element.src)).blob();
        return { type: blob.type, text: await blob.text() };
      });
      expect(shown).toEqual({ type: "application/pdf", text: pdf.toString() });
      await carol.inspect("file-paper");
      const [download] = await Promise.all([
        carol.page.waitForEvent("download"),
        carol.page.getByRole("button", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("paper.pdf");
    });

    test("there was no layout shift and no unexpected error", async () => {
      expect(await carol.listLayoutShifts()).toEqual([]);
      expect(carol.complaints).toEqual([]);
    });
  },
  600_000,
);
