import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, upload, uploadEncrypted } from "../../../src/index.ts";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openKillRig } from "./kill-rig.ts";
import { recordVideo } from "./media.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";
import { createBomb, createPicture, turn } from "./pictures.ts";

const executablePath = await findChromium();
const MINUTES = 600_000;
const red = [200, 40, 40] as const;
const blue = [40, 60, 200] as const;

const png = (name: string, buffer: Buffer) => ({ name, mimeType: "image/png", buffer });

const toFile = (name: string, bytes: Buffer) => new File([Uint8Array.from(bytes)], name);

/** The thumbnail in the row of a file. */
const thumbnail = (page: Page, name: string) =>
  page.getByRole("row", { name: new RegExp(`^${name}`) }).locator(".thumbnail");

/** Rounded colour of the middle of an image of the page. */
const readColour = (page: Page, name: string) =>
  thumbnail(page, name).evaluate((element) => {
    const image = element as HTMLImageElement;
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
    const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
    pen.drawImage(image, image.naturalWidth / 2, image.naturalHeight / 2, 1, 1, 0, 0, 1, 1);
    return Array.from(pen.getImageData(0, 0, 1, 1).data.slice(0, 3), (part) => Math.round(part / 40) * 40);
  });

const listDatabases = (page: Page) =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name = "" }) => name).sort());

/** How many thumbnails this browser keeps. */
const countKept = (page: Page) =>
  page.evaluate(async () => {
    const { name = "" } =
      (await indexedDB.databases()).find((each) => each.name?.startsWith("keeplight thumbnails")) ?? {};
    if (name === "") return 0;
    const opening = indexedDB.open(name);
    await new Promise((done) => opening.addEventListener("success", done));
    const counting = opening.result.transaction("thumbnails").objectStore("thumbnails").index("usedAt").count();
    await new Promise((done) => counting.addEventListener("success", done));
    opening.result.close();
    return counting.result;
  });

describe.skipIf(!executablePath)(
  "thumbnails in the list of files",
  () => {
    const started = appForTests(executablePath, { chain: false });
    let alice: Person;
    let film: Buffer;

    beforeAll(async () => {
      alice = await openBrowserAs(started.browser, started.app, wide);
      film = Buffer.from(await alice.page.evaluate(recordVideo), "base64");
      await signIn(/Alice/);
    }, MINUTES);

    afterAll(() => expect(alice.complaints).toEqual([]));

    async function signIn(name: RegExp): Promise<void> {
      await alice.page.getByRole("button", { name }).click();
      await waitForFolders(alice.page);
    }

    async function signOut(): Promise<void> {
      await alice.openScreen("Settings");
      await alice.page.getByRole("button", { name: "Sign out", exact: true }).click();
      const end = alice.page.getByRole("heading", { name: "Connect a wallet" });
      const discard = alice.page.getByRole("dialog").getByRole("button", { name: /sign out$/i });
      await end.or(discard).first().waitFor();
      // The drive is stored some seconds after it has changed.
      if (await discard.isVisible()) await discard.click();
      await end.waitFor();
    }

    /** Stores a file of an account from another device; returns its content id. */
    async function storeElsewhere(at: number, file: File, privacy: "encrypted" | "public" = "public"): Promise<string> {
      const { endpoints, accounts } = started.app.devnet;
      const signer = new Wallet(accounts[at]?.privateKey ?? "");
      const common = { endpoints, apiKey: await createApiKey({ signer, endpoints }) };
      const storing = privacy === "public" ? upload(file, common) : uploadEncrypted(file, { ...common, signer });
      return (await storing)[0].Hash;
    }

    test("a picture and a film have one when they are uploaded, and after a reload", async () => {
      const { page } = alice;
      await page.getByRole("radio", { name: "Public" }).check({ force: true });
      await alice.choose("Add files", png("poster.png", createPicture(blue)));
      await thumbnail(page, "poster.png").waitFor();
      await page.getByRole("radio", { name: "Encrypted" }).check({ force: true });
      await alice.choose("Add files", [
        png("sunset.png", createPicture(red)),
        { name: "film.webm", mimeType: "video/webm", buffer: film },
      ]);
      const names = ["poster.png", "sunset.png", "film.webm"];
      for (const name of names) await thumbnail(page, name).waitFor();
      await alice.sees("3 uploads complete");
      expect(await readColour(page, "sunset.png")).toEqual([200, 40, 40]);
      expect(await thumbnail(page, "film.webm").getAttribute("alt")).toBe("");
      await expect.poll(() => countKept(page)).toBe(3);
      await alice.inspect("thumbnails");

      await page.reload();
      for (const name of names) await thumbnail(page, name).waitFor();
      expect(await readColour(page, "sunset.png")).toEqual([200, 40, 40]);
      expect(await readColour(page, "poster.png")).toEqual([40, 80, 200]);
      await page.getByRole("row", { name: /^sunset.png/ }).focus();
      await page.locator(".file-details .thumbnail").waitFor();
      await alice.inspect("thumbnails-details");
      expect(await alice.listLayoutShifts()).toEqual([]);
    });

    test("it is shown where it cannot be kept, as on a full disk, and the page has no error of that", async () => {
      const { page } = alice;
      await page.evaluate(() => {
        const { put } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.put = function (value, key) {
          const request = put.call(this, value, key);
          if (this.name === "thumbnails") this.transaction.abort();
          return request;
        };
      });
      await alice.choose("Add files", png("full.png", createPicture(red)));
      await thumbnail(page, "full.png").waitFor();
      await alice.choose("Add files", png("next.png", createPicture(blue)));
      await thumbnail(page, "next.png").waitFor();
      await alice.sees("2 uploads complete");
      expect(alice.complaints).toEqual([]);
      await page.reload();
      await waitForFolders(page);
    });

    test("that of a photo is upright, and small", async () => {
      const { page } = alice;
      const photo = await page.evaluate(async () => {
        const canvas = new OffscreenCanvas(1_200, 400);
        const pen = canvas.getContext("2d");
        if (!pen) throw new Error("The canvas has no 2D context");
        for (let at = 0; at < 9_000; at++) {
          pen.fillStyle = `hsl(${(at * 47) % 360} 80% ${(at * 31) % 90}%)`;
          pen.fillRect((at * 89) % 1_200, (at * 53) % 400, 9, 9);
        }
        const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg" })).arrayBuffer());
        return Array.from(bytes);
      });
      const buffer = turn(Buffer.from(photo));
      await alice.choose("Add files", { name: "photo.jpg", mimeType: "image/jpeg", buffer });
      const shown = await thumbnail(page, "photo.jpg").evaluate(async (element) => {
        const image = element as HTMLImageElement;
        await image.decode();
        const { size } = await (await fetch(image.src)).blob();
        return { width: image.naturalWidth, height: image.naturalHeight, isSmall: size <= 10_240 };
      });
      expect(shown).toEqual({ width: 85, height: 256, isSmall: true });
    });

    test("their URLs end when they are no longer shown", async () => {
      const { page } = alice;
      await alice.openScreen("Settings");
      await page.evaluate(() => {
        const urls = new Set<string>();
        const [create, revoke] = [URL.createObjectURL, URL.revokeObjectURL];
        URL.createObjectURL = (source) => {
          const url = create.call(URL, source);
          urls.add(url);
          return url;
        };
        URL.revokeObjectURL = (url) => {
          urls.delete(url);
          revoke.call(URL, url);
        };
        Object.assign(window, { urls });
      });
      const countUrls = () => page.evaluate(() => (window as unknown as { urls: Set<string> }).urls.size);
      await alice.openScreen("Files");
      await expect.poll(countUrls).toBeGreaterThanOrEqual(3);
      await alice.openScreen("Settings");
      await expect.poll(countUrls).toBe(0);
      await alice.openScreen("Files");
    });

    test("another version has another one", async () => {
      const { page } = alice;
      await alice.choose("Add files", png("sunset.png", createPicture(blue)));
      await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
      await expect.poll(() => readColour(page, "sunset.png").catch(() => [])).toEqual([40, 80, 200]);
      await page.reload();
      await expect.poll(() => readColour(page, "sunset.png").catch(() => [])).toEqual([40, 80, 200]);
    });

    test("what other devices have stored has one once it is opened, and is not downloaded for it", async () => {
      const { page } = alice;
      await storeElsewhere(0, toFile("sea.png", createPicture(red)), "encrypted");
      await storeElsewhere(0, toFile("waves.webm", film));
      const downloads: string[] = [];
      page.on("request", (request) => {
        if (request.url().includes("/ipfs/")) downloads.push(request.url());
      });
      await page.reload();
      const link = (name: string) => page.getByRole("grid").getByRole("link", { name, exact: true });
      await link("waves.webm").waitFor();
      await thumbnail(page, "poster.png").waitFor();
      expect(await thumbnail(page, "sea.png").count()).toBe(0);
      await link("sea.png").click();
      await page.locator(".preview-image").waitFor();
      await alice.openScreen("Files");
      await thumbnail(page, "sea.png").waitFor();
      await link("waves.webm").click();
      await page.locator("video").evaluate(async (player: HTMLVideoElement) => {
        player.muted = true;
        const ended = new Promise((done) => player.addEventListener("ended", done));
        await player.play();
        await ended;
      });
      await alice.openScreen("Files");
      await thumbnail(page, "waves.webm").waitFor();
      const cids = new Set(downloads.map((url) => /\/ipfs\/(\w+)/.exec(url)?.[1]));
      expect(cids.size).toBeLessThanOrEqual(2);
    });

    test("bombs, damaged files, drawings and playlists keep the icon of their kind, and the page responds", async () => {
      const { page } = alice;
      const playlist = Buffer.from("#EXTM3U\n#EXTINF:9,\nhttps://tracker.example/film.ts\n");
      const hostile = [
        png("large.png", createBomb(8_000)),
        png("huge.png", createBomb(100_000, 8)),
        png("damaged.png", createPicture(red).subarray(0, 60)),
        png("text.png", Buffer.from("no picture")),
        {
          name: "drawing.svg",
          mimeType: "image/svg+xml",
          buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        },
        { name: "cut.webm", mimeType: "video/webm", buffer: film.subarray(0, 300) },
        { name: "list.webm", mimeType: "video/webm", buffer: playlist },
      ];
      await alice.choose("Add files", hostile);
      await alice.sees("7 uploads complete");
      await alice.choose("Add files", png("after.png", createPicture(red)));
      // All are made one after another.
      await thumbnail(page, "after.png").waitFor();
      for (const { name } of hostile) {
        expect(await thumbnail(page, name).count()).toBe(0);
        await page
          .getByRole("row", { name: new RegExp(`^${name}`) })
          .locator(".file-icon svg")
          .waitFor();
      }
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await page.getByRole("button", { name: "Clear", exact: true }).waitFor({ state: "detached" });
    });

    test("the least recently shown are dropped", async () => {
      const { page } = alice;
      const kept = await countKept(page);
      await page.evaluate(async () => {
        const { name = "" } =
          (await indexedDB.databases()).find((each) => each.name?.startsWith("keeplight thumbnails")) ?? {};
        const opening = indexedDB.open(name);
        await new Promise((done) => opening.addEventListener("success", done));
        const transaction = opening.result.transaction("thumbnails", "readwrite");
        const store = transaction.objectStore("thumbnails");
        for (let at = 0; at < 2_000; at++)
          store.put({ iv: new Uint8Array(12), data: new ArrayBuffer(9), usedAt: at }, `old ${at}`);
        await new Promise((done) => transaction.addEventListener("complete", done));
        opening.result.close();
      });
      expect(await countKept(page)).toBe(kept + 2_000);
      await alice.choose("Add files", png("new.png", createPicture(red)));
      await expect.poll(() => countKept(page)).toBe(2_000);
      await page.reload();
      for (const name of ["new.png", "after.png", "sea.png", "poster.png"]) await thumbnail(page, name).waitFor();
    });

    test("a lock ends them; nothing of them is left after signing out, nor shown to the next account", async () => {
      const { page } = alice;
      await page.locator(".account-card").getByRole("button", { name: "Lock", exact: true }).click();
      await signIn(/Alice/);
      const row = page.getByRole("row", { name: /^poster.png/ });
      await row.locator(".file-icon svg").waitFor();
      await alice.choose("Add files", png("later.png", createPicture(blue)));
      await thumbnail(page, "later.png").waitFor();
      expect(await page.locator(".file-table .thumbnail").count()).toBe(1);
      await expect.poll(() => countKept(page)).toBe(1);

      await storeElsewhere(1, toFile("poster.png", createPicture(blue)));
      await signOut();
      await expect.poll(() => listDatabases(page)).toEqual(["keeplight"]);
      await signIn(/Bob/);
      await row.locator(".file-icon svg").waitFor();
      await alice.choose("Add files", png("bob.png", createPicture(red)));
      await thumbnail(page, "bob.png").waitFor();
      expect(await page.locator(".file-table .thumbnail").count()).toBe(1);
    });

    test("somebody else's picture has none, although it was shown", async () => {
      const { page } = alice;
      const cid = await storeElsewhere(0, toFile("a.png", createPicture(red, "theirs")));
      await expect.poll(() => countKept(page)).toBe(1);
      await page.goto(`${started.app.url}#/file/${cid}`);
      await page.locator(".preview-image").waitFor();
      await alice.openScreen("Files");
      await alice.choose("Add files", png("own.png", createPicture(red)));
      await thumbnail(page, "own.png").waitFor();
      await expect.poll(() => countKept(page)).toBe(2);
    });
  },
  MINUTES,
);

describe.skipIf(!executablePath)(
  "thumbnails on the disk",
  () => {
    const started = appForTests(executablePath, { chain: false });

    /** Which needles are in the files of a folder. */
    async function search(folder: string, needles: Readonly<Record<string, Buffer>>): Promise<string[]> {
      const found = new Set<string>();
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        // The browser, which is running again, may have removed it.
        const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
        for (const [name, needle] of Object.entries(needles)) if (bytes.includes(needle)) found.add(name);
      }
      return [...found].sort();
    }

    test("are sealed: no byte of a picture, of its thumbnail or of its content id is there", async () => {
      const rig = await openKillRig(started.app, executablePath ?? "");
      try {
        await rig.signIn();
        const page = rig.page();
        const picture = createPicture(red, "secret");
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("button", { name: "Add files" }).click(),
        ]);
        await chooser.setFiles(png("secret.png", picture));
        await thumbnail(page, "secret.png").waitFor();
        await expect.poll(() => countKept(page)).toBe(1);
        const shown = await thumbnail(page, "secret.png").evaluate(async (image: HTMLImageElement) =>
          Array.from(new Uint8Array(await (await fetch(image.src)).arrayBuffer())),
        );
        expect(shown.length).toBeLessThanOrEqual(10_240);
        const href = await page
          .getByRole("grid")
          .getByRole("link", { name: "secret.png", exact: true })
          .getAttribute("href");
        const cid = /baf\w+/.exec(href ?? "")?.[0] ?? "none";
        const [database = ""] = (await listDatabases(page)).filter((name) => name.startsWith("keeplight thumbnails"));
        const needles = {
          database: Buffer.from(database.replace("keeplight thumbnails ", "")),
          picture: picture.subarray(600, 632),
          thumbnail: Buffer.from(shown).subarray(40, 72),
          "start of the thumbnail": Buffer.from(shown).subarray(0, 16),
          "content id": Buffer.from(cid),
          "content id of the database": Buffer.from(cid, "utf16le"),
        };
        await rig.killAndStart();
        const utf16 = { ...needles, database: Buffer.from(needles.database.toString(), "utf16le") };
        const both = [...(await search(rig.profile, needles)), ...(await search(rig.profile, utf16))];
        // Else nothing would be found at all.
        expect([...new Set(both)]).toEqual(["database"]);
        await rig.signIn();
        await thumbnail(rig.page(), "secret.png").waitFor();
      } finally {
        await rig.close();
      }
    });
  },
  MINUTES,
);
