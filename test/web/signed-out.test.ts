import { randomBytes } from "node:crypto";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { newPerson, type Person, wide } from "./person.ts";

const executablePath = await findChromium();
const MIB = 1024 * 1024;
const MINUTES = 120_000;

describe.skipIf(!executablePath)(
  "somebody has opened a large encrypted file in the web app",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let alice: Person;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ chain: false }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
      alice = await newPerson(browser, app, wide);
      alice.page.setDefaultTimeout(MINUTES);
      await signIn();
      const buffer = randomBytes(40 * MIB);
      await alice.choose("Add files", [{ name: "film.mkv", mimeType: "video/x-matroska", buffer }]);
      await alice.sees("1 upload finished");
      await alice.page.getByRole("link", { name: "film.mkv", exact: true }).click();
    }, MINUTES);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    async function signIn(): Promise<void> {
      await alice.page.getByRole("button", { name: /Alice/ }).click();
      await alice.page.getByRole("button", { name: "Disconnect" }).waitFor();
    }

    /** Opens the file; gives its object URL. */
    async function open(): Promise<string> {
      await alice.page.getByRole("button", { name: "Decrypt and open" }).click();
      const url = await alice.page.getByRole("link", { name: "Save" }).getAttribute("href");
      expect(await isAlive(url ?? "")).toBe(true);
      return url ?? "";
    }

    const isAlive = (url: string) =>
      alice.page.evaluate(async (blob) => {
        const { ok, body } = await fetch(blob).catch(() => Response.error());
        await body?.cancel();
        return ok;
      }, url);

    /** What this browser keeps of the site in files. */
    const kept = () =>
      alice.page.evaluate(async () => {
        const paths: string[] = [];
        for await (const [folder, handle] of (await navigator.storage.getDirectory()).entries()) {
          for await (const file of (handle as FileSystemDirectoryHandle).keys()) paths.push(`${folder}/${file}`);
        }
        return paths;
      });

    test(
      "while it is open, its bytes are in no file, and when it is closed they are gone",
      async () => {
        const url = await open();
        expect(await kept()).toEqual([]);
        await alice.page.getByRole("button", { name: "Close" }).click();
        await expect.poll(() => isAlive(url)).toBe(false);
      },
      MINUTES,
    );

    test(
      "when they sign out, the next person at this browser finds nothing of it",
      async () => {
        const url = await open();
        await alice.page.getByRole("button", { name: "Disconnect" }).click();
        await alice.page.getByRole("button", { name: /Bob/ }).waitFor();
        expect(await isAlive(url)).toBe(false);
        expect(await kept()).toEqual([]);
      },
      MINUTES,
    );

    test(
      "what a page that was ended has left is gone as soon as the app is loaded again",
      async () => {
        await alice.page.evaluate(async () => {
          const root = await navigator.storage.getDirectory();
          const folder = await root.getDirectoryHandle("keeplight-ended", { create: true });
          await folder.getFileHandle("film", { create: true });
        });
        expect(await kept()).toHaveLength(1);
        await alice.page.reload();
        await expect.poll(kept, { timeout: 50_000 }).toEqual([]);
      },
      MINUTES,
    );
  },
  MINUTES,
);
