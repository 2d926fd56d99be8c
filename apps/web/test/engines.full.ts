import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureWebKit } from "../../../test/support/external-tools.mjs";
import { ensureFirefox, firefoxHint, firefoxRequired } from "../../../test/support/firefox.mjs";
import { launchFirefox } from "../../../test/support/launch-firefox.ts";
import { startApp } from "./app.ts";
import { type StoryPeople, tellStory } from "./engine-story.ts";
import { visitInFirefox } from "./firefox-visitor.ts";
import { openWebKitWindow, startDisplay, type WebKitWindow } from "./webkit-driver.ts";
import { visitInWebKit } from "./webkit-visitor.ts";

const executablePath = ensureFirefox();
if (!executablePath) console.warn(firefoxHint());

test("a required Firefox is installed, so that no test is skipped unnoticed", () => {
  expect(executablePath === undefined && firefoxRequired(), firefoxHint()).toBe(false);
});

describe.skipIf(!executablePath)(
  "two people use the web app in Firefox",
  () => {
    const people = {} as StoryPeople;
    let browser: Browser;
    let downloads: string;

    beforeAll(async () => {
      downloads = await mkdtemp(join(tmpdir(), "keeplight-downloads-"));
      [people.app, browser] = await Promise.all([
        startApp({ chain: false }),
        launchFirefox(executablePath ?? "", downloads),
      ]);
      people.alice = await visitInFirefox(browser, people.app);
      people.bob = await visitInFirefox(browser, people.app);
      people.dave = await visitInFirefox(browser, people.app);
    }, 600_000);

    afterAll(async () => {
      await browser?.close();
      await people.app?.close();
      if (downloads) await rm(downloads, { recursive: true, force: true });
    });

    tellStory(people, {
      hasFilms: true,
      showsPdfs: true,
      async readDownload(name) {
        const path = join(downloads, name);
        // Firefox writes to another name, next to an empty file of this one, and renames it.
        await expect.poll(async () => (await stat(path).catch(() => undefined))?.size ?? 0).toBeGreaterThan(0);
        return readFile(path);
      },
    });

    test("a browser that has no storage manager, as WebKitGTK has none, uploads files", async () => {
      const carol = await visitInFirefox(browser, people.app, () => {
        Object.defineProperty(navigator, "storage", { value: undefined });
      });
      await carol.click("button", /Carol/);
      await carol.finds("heading", "Files");
      await carol.choose("Add files", [{ path: "list.txt", type: "text/plain", bytes: Buffer.from("milk") }]);
      await carol.sees("1 upload complete");
      await carol.click("link", "list.txt");
      await carol.sees("milk");
      await carol.goTo("Screens", "Settings");
      await carol.finds("heading", "Settings");
      expect(await carol.listComplaints()).toEqual([]);
    });
  },
  600_000,
);

// KEEPLIGHT_WEBKIT=1 npx vitest run --config vitest.full.config.ts apps/web/test/engines
const inWebKit = () =>
  describe("two people use the web app in WebKit", () => {
    const people = {} as StoryPeople;
    const windows: WebKitWindow[] = [];
    let display: Awaited<ReturnType<typeof startDisplay>> | undefined;

    beforeAll(async () => {
      ensureWebKit();
      display = await startDisplay();
      people.app = await startApp({ chain: false });
      for (const person of ["alice", "bob", "dave"] as const) {
        const window = await openWebKitWindow(display.name);
        windows.push(window);
        people[person] = await visitInWebKit(window, people.app);
      }
    }, 600_000);

    afterAll(async () => {
      for (const window of windows) await window.close();
      await display?.close();
      await people.app?.close();
    });

    // Debian's build records no films, and its driver sees no downloads.
    tellStory(people, { hasFilms: false, showsPdfs: true });
  }, 600_000);

if (env["KEEPLIGHT_WEBKIT"] === "1") inWebKit();
