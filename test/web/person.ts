import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContext, FileChooser, Page, ViewportSize } from "playwright-core";
import { expect } from "vitest";
import type { RunningApp } from "./app.ts";
import { watchLayout } from "./layout-watch.ts";

const artifacts = fileURLToPath(new URL("./artifacts/", import.meta.url));
/** A window on a desk. */
export const wide = { width: 1440, height: 900 };
/** A window in a hand. */
export const narrow = { width: 375, height: 812 };

/** Somebody with a browser of their own. */
export interface Person {
  page: Page;
  context: BrowserContext;
  /** What the page said went wrong. */
  complaints: string[];
  /** Keeps pictures of the screen as it is now, wide and narrow, light and dark, and has axe check it. */
  inspect(name: string): Promise<void>;
  /** What has jumped about, but for what a change of the window moved. */
  layoutShifts(): Promise<string[]>;
  /** Presses Tab through the whole screen; gives what could be clicked but was not come by. */
  missedByKeyboard(): Promise<string[]>;
  openScreen(name: string): Promise<void>;
  /** Of the file whose screen is open. */
  openTab(name: string): Promise<void>;
  /** Waits until a text is there. */
  sees(text: string | RegExp): Promise<void>;
  /** Chooses files, or a folder, in the window that this button opens. */
  choose(button: "Add files" | "Add a folder", files: Parameters<FileChooser["setFiles"]>[0]): Promise<void>;
}

/** Opens the app in a browser of its own, in a window of this size. */
export async function newPerson(browser: Browser, { url }: RunningApp, own: ViewportSize): Promise<Person> {
  const context = await browser.newContext({
    viewport: own,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  // From the first listener on, the browser's own window for choosing files stays closed.
  page.on("filechooser", () => undefined);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A refused request is said by the browser itself; whether it was to be refused is the story's matter.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  const layout = await watchLayout(page);
  await page.goto(url);

  async function look(name: string, size: string, viewport: ViewportSize, colorScheme: "light" | "dark") {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    await page.waitForFunction((scheme) => matchMedia(`(prefers-color-scheme: ${scheme})`).matches, colorScheme);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: `${artifacts}${name}-${size}-${colorScheme}.png` });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${name}, ${size}: wider than its window`).toBeLessThanOrEqual(0);
    // Both sizes and both colours, each in one of the two.
    if ((size === "wide") === (colorScheme === "light")) await checkAccessibility(`${name}, ${size}, ${colorScheme}`);
  }

  async function inspect(name: string): Promise<void> {
    mkdirSync(artifacts, { recursive: true });
    await layout.without(async () => {
      await look(name, "wide", wide, "dark");
      await look(name, "narrow", narrow, "light");
      await look(name, "narrow", narrow, "dark");
      await look(name, "wide", wide, "light");
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.setViewportSize(own);
    });
  }

  async function checkAccessibility(what: string): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    expect(found, what).toEqual([]);
  }

  async function missedByKeyboard(): Promise<string[]> {
    const count = await page.evaluate(() => {
      const all = document.querySelectorAll<HTMLElement>("a[href], button:enabled, input:enabled, select, video");
      // Of several radio buttons, the keyboard comes by the chosen one.
      const wanted = Array.from(all).filter(
        (one) => one.checkVisibility() && !one.matches("[type=radio]:not(:checked)"),
      );
      for (const one of wanted) one.dataset["wanted"] = one.getAttribute("aria-label") ?? one.textContent ?? one.id;
      (document.activeElement as HTMLElement | null)?.blur();
      return wanted.length;
    });
    for (let press = 0; press < count + 12; press++) {
      await page.keyboard.press("Tab");
      await page.evaluate(() => delete (document.activeElement as HTMLElement | null)?.dataset["wanted"]);
    }
    return page.evaluate(() =>
      Array.from(document.querySelectorAll<HTMLElement>("[data-wanted]"), ({ dataset }) => dataset["wanted"] ?? ""),
    );
  }

  const link = (place: string, name: string) =>
    page.getByRole("navigation", { name: place }).getByRole("link", { name, exact: true });
  return {
    page,
    context,
    complaints,
    inspect,
    layoutShifts: layout.shifts,
    missedByKeyboard,
    openScreen: (name) => link("Screens", name).click(),
    openTab: (name) => link("About this file", name).click(),
    sees: (text) => page.getByText(text).first().waitFor(),
    async choose(button, files) {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: button }).click(),
      ]);
      await chooser.setFiles(files);
    },
  };
}
