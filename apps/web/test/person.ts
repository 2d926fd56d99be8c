import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContext, FileChooser, Page, ViewportSize } from "playwright-core";
import { expect } from "vitest";
import type { RunningApp } from "./app.ts";
import { watchLayout } from "./layout-watch.ts";
import { preferInputs } from "./prefer-inputs.ts";

const artifacts = fileURLToPath(new URL("./artifacts/", import.meta.url));
/** Whether the tests leave pictures of the screens, for somebody who looks at them. */
const withPictures = process.env["KEEPLIGHT_PICTURES"] === "1";
/** A desktop window. */
export const wide = { width: 1440, height: 900 };
/** A phone window. */
export const narrow = { width: 375, height: 812 };

/** A person with a browser of their own. */
export interface Person {
  page: Page;
  context: BrowserContext;
  /** Errors of the page and its console. */
  complaints: string[];
  /** Checks what is shown, wide and narrow, light and dark: accessibility with axe, overflow; takes the pictures. */
  inspect(name: string): Promise<void>;
  /** Layout shifts so far, except those of `inspect`. */
  listLayoutShifts(): Promise<string[]>;
  /** Presses Tab through the whole screen; returns the controls that it did not reach. */
  listUnreachableByKeyboard(): Promise<string[]>;
  openScreen(name: string): Promise<void>;
  /** Opens a tab of the current file. */
  openTab(name: string): Promise<void>;
  /** Waits until a string is on the screen. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits until a toast with this text was shown, even if it has disappeared by now; each counts once. */
  wasNotified(text: string): Promise<void>;
  /** Picks files, or a folder, in the dialog that this button opens. */
  choose(button: "Add files" | "Add folder", files: Parameters<FileChooser["setFiles"]>[0]): Promise<void>;
}

/** Opens the app in a browser context of its own, in a window of this size. */
export async function openBrowserAs(browser: Browser, { url }: RunningApp, size: ViewportSize): Promise<Person> {
  const context = await browser.newContext({
    viewport: size,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  // A listener suppresses the browser's native file dialog.
  page.on("filechooser", () => undefined);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The browser logs each failed request; whether it was expected to fail is checked by the tests.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  await preferInputs(context);
  await context.addInitScript(recordToasts);
  const layout = await watchLayout(page);
  await page.goto(url);

  async function inspectView(name: string, width: string, viewport: ViewportSize, colorScheme: "light" | "dark") {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    await page.waitForFunction((scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches, colorScheme);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    if (withPictures) await page.screenshot({ path: `${artifacts}${name}-${width}-${colorScheme}.png` });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${name}, ${width}: wider than its window`).toBeLessThanOrEqual(0);
  }

  async function inspect(name: string): Promise<void> {
    if (withPictures) mkdirSync(artifacts, { recursive: true });
    await layout.without(async () => {
      // Each width and each theme is checked once, in two of the four combinations.
      await inspectView(name, "narrow", narrow, "dark");
      await checkAccessibility(`${name}, narrow, dark`);
      if (withPictures) await inspectView(name, "narrow", narrow, "light");
      if (withPictures) await inspectView(name, "wide", wide, "dark");
      await inspectView(name, "wide", wide, "light");
      await checkAccessibility(`${name}, wide, light`);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.setViewportSize(size);
    });
  }

  async function orSayWhatIsShown(expected: string | RegExp, shown: Promise<unknown>): Promise<void> {
    try {
      await shown;
    } catch (error) {
      const text = await page.locator("body").innerText();
      throw new Error(`The page does not show ${expected}, but:\n${text.slice(0, 2_000)}`, { cause: error });
    }
  }

  async function checkAccessibility(what: string): Promise<void> {
    // Otherwise each check would open a page of its own, which only frames of other sites require.
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ["violations"] })
      .analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    expect(found, what).toEqual([]);
  }

  async function listUnreachableByKeyboard(): Promise<string[]> {
    const count = await page.evaluate(() => {
      const all = document.querySelectorAll<HTMLElement>("a[href], button:enabled, input:enabled, select, video");
      // Tab reaches only the checked one of several radio buttons, and one row of a grid; arrow keys reach its controls.
      const reachable = Array.from(all).filter(
        (one) => one.checkVisibility() && !one.matches("[type=radio]:not(:checked), [role=grid] tr[tabindex='-1'] *"),
      );
      for (const one of reachable)
        one.dataset["unreached"] = one.getAttribute("aria-label") ?? one.textContent ?? one.id;
      (document.activeElement as HTMLElement | null)?.blur();
      return reachable.length;
    });
    for (let press = 0; press < count + 12; press++) {
      await page.keyboard.press("Tab");
      const controls = await page.evaluate(markReached);
      for (let each = 0; each < controls; each++) {
        await page.keyboard.press("ArrowRight");
        await page.evaluate(markReached);
      }
    }
    return page.evaluate(() =>
      Array.from(
        document.querySelectorAll<HTMLElement>("[data-unreached]"),
        ({ dataset }) => dataset["unreached"] ?? "",
      ),
    );
  }

  const link = (place: string, name: string) =>
    page.getByRole("navigation", { name: place }).getByRole("link", { name, exact: true });
  return {
    page,
    context,
    complaints,
    inspect,
    listLayoutShifts: layout.shifts,
    listUnreachableByKeyboard,
    openScreen: (name) => link("Screens", name).click(),
    openTab: (name) => link("About this file", name).click(),
    sees: (text) => orSayWhatIsShown(text, page.getByText(text).first().waitFor()),
    wasNotified: (text) => orSayWhatIsShown(text, page.waitForFunction(takeToast, text)),
    async choose(button, files) {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: button }).click(),
      ]);
      await chooser.setFiles(files);
    },
  };
}

/** Waits until the folders of the signed-in account are open. */
export async function waitForFolders(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New folder", disabled: false }).waitFor();
}

/** Runs in the page: returns how many controls the row has that has the focus, if one has. */
function markReached(): number {
  const reached = document.activeElement as HTMLElement | null;
  delete reached?.dataset["unreached"];
  if (!reached?.matches("[role=grid] tr")) return 0;
  return reached.querySelectorAll("a[href], button:enabled, input:enabled").length;
}

type WithToasts = typeof globalThis & { shownToasts?: string[] };

/** Runs in the page: keeps the text of every toast, without its button, which disappears after seconds. */
function recordToasts(): void {
  const shown: string[] = [];
  (globalThis as WithToasts).shownToasts = shown;
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => Array.from(addedNodes)))
      if (node instanceof HTMLElement && node.matches(".toast")) shown.push(node.firstChild?.textContent ?? "");
  }).observe(document, { childList: true, subtree: true });
}

/** Runs in the page. */
function takeToast(text: string): boolean {
  const shown = (globalThis as WithToasts).shownToasts ?? [];
  const at = shown.indexOf(text);
  if (at >= 0) shown.splice(at, 1);
  return at >= 0;
}
