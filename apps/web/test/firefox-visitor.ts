import type { Browser, BrowserContext, Page } from "playwright-core";
import type { RunningApp } from "./app.ts";
import { waitForFolders } from "./person.ts";
import { injectWallet } from "./test-wallet.ts";
import { setPicked, toFilesForPage, type Visitor } from "./visitor.ts";

/** Opens the app in a browser context of its own; `prepare` runs in its pages before the app. */
export async function visitInFirefox(browser: Browser, app: RunningApp, prepare?: () => void): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  if (prepare) await context.addInitScript(prepare);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const complaints = watchComplaints(page);
  await page.goto(app.url);
  return { ...openVisitor(page, context, app), listComplaints: async () => complaints };
}

function watchComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", ({ message, stack }) => {
    // The browser's own page that shows PDFs is not the app's; once it is left, its scripts miss each other, without a stack.
    const isViewer = stack?.includes("resource://pdf.js/") || message.startsWith("globalThis.pdfjsLib");
    if (!isViewer) complaints.push(message);
  });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return complaints;
}

function openVisitor(page: Page, context: BrowserContext, app: RunningApp): Omit<Visitor, "listComplaints"> {
  const click: Visitor["click"] = (role, name) => page.getByRole(role, { name, exact: true }).first().click();
  return {
    async open(url) {
      await page.goto("about:blank");
      await page.goto(url);
    },
    reload: async () => void (await page.reload()),
    async connectFirstAccount() {
      await injectWallet({ context, page }, app);
      await click("button", /Harbour Wallet/);
      await waitForFolders(page);
    },
    click,
    goTo: (place, name) =>
      page.getByRole("navigation", { name: place }).getByRole("link", { name, exact: true }).click(),
    // Playwright's `fill` sets the value of a field in Firefox, which React does not notice.
    async type(label, text, enter) {
      const field = page.getByLabel(label, { exact: true });
      await field.focus();
      await field.evaluate((input: HTMLInputElement) => input.select());
      await page.keyboard.type(text);
      if (enter) await page.keyboard.press("Enter");
    },
    async sees(text) {
      try {
        await page.getByText(text).first().waitFor();
      } catch (error) {
        throw new Error(`The page does not show ${text}, but:\n${await page.locator("body").innerText()}`, {
          cause: error,
        });
      }
    },
    finds: (role, name) => page.getByRole(role, { name, exact: true }).first().waitFor(),
    loses: (role, name) => page.getByRole(role, { name, exact: true }).waitFor({ state: "detached" }),
    async choose(button, files) {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), click("button", button)]);
      await chooser.element().evaluate(setPicked, toFilesForPage(files));
    },
    async copy(button) {
      await click("button", button);
      return page.evaluate(() => navigator.clipboard.readText());
    },
    run: (work, argument) => page.evaluate(work as never, argument as never) as never,
  };
}
