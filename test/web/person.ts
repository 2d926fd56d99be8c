import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { Wallet } from "ethers";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { answerWalletCall } from "../../examples/web/devnet/wallet.ts";
import type { RunningApp } from "./app.ts";

const artifacts = fileURLToPath(new URL("./artifacts/", import.meta.url));
const wide = { width: 1440, height: 900 };
const narrow = { width: 375, height: 812 };

/** Somebody with a browser of their own. */
export interface Person {
  page: Page;
  context: BrowserContext;
  /** What the page said went wrong. */
  complaints: string[];
  /** Keeps pictures of the screen as it is now, wide and narrow, light and dark, and has axe check it. */
  inspect(name: string): Promise<void>;
  /** What has jumped about that nobody touched (layout shifts), but for what a change of the window moved. */
  layoutShifts(): Promise<string[]>;
}

export async function newPerson(browser: Browser, { url }: RunningApp): Promise<Person> {
  const context = await browser.newContext({
    viewport: wide,
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
  await page.addInitScript(() => {
    type Shift = PerformanceEntry & { hadRecentInput: boolean; value: number; sources: { node: Element | null }[] };
    const shifts: string[] = Object.assign(window, { layoutShifts: [] as string[] }).layoutShifts;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value, sources } of list.getEntries() as Shift[]) {
        const what = sources.map(({ node }) => (node?.parentElement ?? node)?.outerHTML?.slice(0, 120)).join(" | ");
        // A new file comes first in the list, and moves the others down.
        const isList = sources.every(({ node }) => node?.closest?.(".file-table tbody"));
        if (!hadRecentInput && value >= 0.001 && !isList) shifts.push(`${value.toFixed(4)} ${location.hash} ${what}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url);

  async function inspect(name: string): Promise<void> {
    mkdirSync(artifacts, { recursive: true });
    const shifted = (await layoutShifts()).length;
    for (const [size, viewport, colorScheme] of [
      ["wide", wide, "dark"],
      ["narrow", narrow, "light"],
      ["narrow", narrow, "dark"],
      ["wide", wide, "light"],
    ] as const) {
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
    await page.evaluate((count) => {
      (window as unknown as { layoutShifts: string[] }).layoutShifts.length = count;
    }, shifted);
  }

  async function checkAccessibility(what: string): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
    expect(found, what).toEqual([]);
  }

  const layoutShifts = () => page.evaluate(() => (window as unknown as { layoutShifts: string[] }).layoutShifts);
  return { page, context, complaints, inspect, layoutShifts };
}

/** Gives a person's pages a wallet of this browser (EIP-1193), announced as EIP-6963 says. */
export async function injectWallet(
  { context, page }: Person,
  { devnet }: RunningApp,
  privateKey: string,
): Promise<void> {
  const wallet = new Wallet(privateKey);
  await context.exposeFunction("callTestWallet", async (method: string, params: unknown[]) => {
    try {
      return { result: await answerWalletCall({ address: wallet.address, method, params }, [wallet], devnet.chain) };
    } catch (error) {
      const { message, code = -32_603 } = error as Error & { code?: unknown };
      return { error: { message, code } };
    }
  });
  await context.addInitScript(() => {
    type Answer = { result?: unknown; error?: { message: string; code: number } };
    const { callTestWallet } = window as unknown as {
      callTestWallet: (method: string, params: readonly unknown[]) => Promise<Answer>;
    };
    const provider = {
      async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
        const { result, error } = await callTestWallet(method, params);
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
      on: () => undefined,
      removeListener: () => undefined,
    };
    const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="#7a3cc8"/><circle cx="4" cy="4" r="2" fill="#fff"/></svg>')}`;
    const info = { uuid: "4a0c1f0e-3d5b-4b43-8a5e-1a2b3c4d5e6f", name: "Harbour Wallet", icon, rdns: "test.harbour" };
    const announce = () =>
      window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  });
  await page.reload();
}
