import { randomBytes } from "node:crypto";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();
const MIB = 1024 * 1024;
const MINUTES = 600_000;

describe.skipIf(!executablePath)(
  "a large encrypted file in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let alice: Person;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ chain: false }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      alice = await openBrowserAs(browser, app, wide);
      alice.page.setDefaultTimeout(MINUTES);
      await signIn();
      const buffer = randomBytes(40 * MIB);
      await alice.choose("Add files", [{ name: "film.mkv", mimeType: "video/x-matroska", buffer }]);
      await alice.sees("1 upload complete");
      await alice.page.getByRole("link", { name: "film.mkv", exact: true }).click();
    }, MINUTES);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    async function signIn(): Promise<void> {
      await alice.page.getByRole("button", { name: /Alice/ }).click();
      await alice.page.getByRole("button", { name: "Lock", exact: true }).waitFor();
    }

    /** Opens the file; returns its object URL. */
    async function open(): Promise<string> {
      await alice.page.getByRole("button", { name: "Decrypt and open" }).click();
      const url = await alice.page.getByRole("link", { name: "Download" }).getAttribute("href");
      expect(await isAlive(url ?? "")).toBe(true);
      return url ?? "";
    }

    const isAlive = (url: string) =>
      alice.page.evaluate(async (blob) => {
        const { ok, body } = await fetch(blob).catch(() => Response.error());
        await body?.cancel();
        return ok;
      }, url);

    /** Lists the files that this browser keeps for the site. */
    const listFiles = () =>
      alice.page.evaluate(async () => {
        const paths: string[] = [];
        for await (const [folder, handle] of (await navigator.storage.getDirectory()).entries()) {
          for await (const file of (handle as FileSystemDirectoryHandle).keys()) paths.push(`${folder}/${file}`);
        }
        return paths;
      });

    test(
      "an open file is in no private file, and closing it revokes its URL",
      async () => {
        const url = await open();
        expect(await listFiles()).toEqual([]);
        await alice.page.getByRole("button", { name: "Close" }).click();
        await expect.poll(() => isAlive(url)).toBe(false);
      },
      MINUTES,
    );

    test(
      "signing out leaves nothing for the next person at this browser",
      async () => {
        const url = await open();
        await alice.page.getByRole("button", { name: "Lock", exact: true }).click();
        await alice.page.getByRole("button", { name: /Bob/ }).waitFor();
        expect(await isAlive(url)).toBe(false);
        expect(await listFiles()).toEqual([]);
      },
      MINUTES,
    );

    test(
      "loading the app removes the files of a page that was terminated",
      async () => {
        await alice.page.evaluate(async () => {
          const root = await navigator.storage.getDirectory();
          const folder = await root.getDirectoryHandle("keeplight-ended", { create: true });
          await folder.getFileHandle("film", { create: true });
        });
        expect(await listFiles()).toHaveLength(1);
        await alice.page.reload();
        await expect.poll(listFiles, { timeout: 120_000 }).toEqual([]);
      },
      MINUTES,
    );
  },
  MINUTES,
);
