import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { waitForFolders } from "./person.ts";
import { preferInputs } from "./prefer-inputs.ts";
import { readStoredFiles } from "./stored-files.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)(
  "the web app without a network",
  () => {
    let app: RunningApp;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp({ chain: false }),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
    }, 600_000);

    afterEach(() => context?.close());

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    async function open(): Promise<void> {
      context = await browser.newContext();
      await preferInputs(context);
      page = await context.newPage();
      page.setDefaultTimeout(120_000);
      page.on("filechooser", () => undefined);
      await page.goto(app.url);
      // Its Service Worker is active once it has kept all files of the app.
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    }
    const signIn = async () => {
      await page.getByRole("button", { name: /Alice/ }).click();
      await waitForFolders(page);
    };

    test("an upload that fails offline is retried once the connection is back", async () => {
      await open();
      await signIn();
      await page.getByText("No files yet").waitFor();
      await context.setOffline(true);
      await page.getByText("You’re offline. Uploads continue when you’re back.").waitFor();
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Add files" }).click(),
      ]);
      await chooser.setFiles({ name: "later.txt", mimeType: "text/plain", buffer: Buffer.from("later") });
      await page.getByText("You’re offline. Try again once you’re connected.").waitFor();
      await context.setOffline(false);
      await page.getByRole("link", { name: "later.txt", exact: true }).waitFor();
      expect(await page.locator(".offline-banner").count()).toBe(0);
      // Its name is stored some seconds later, for other browsers.
      await expect.poll(async () => (await readStoredFiles(app)).byName.has("later.txt")).toBe(true);
    });

    test("nothing but the app's own files is kept, also after work", async () => {
      await open();
      await signIn();
      await page.reload();
      await page.getByRole("link", { name: "later.txt", exact: true }).click();
      await page.getByText("later", { exact: true }).waitFor();
      const kept = await page.evaluate(async () => {
        const [name = "", ...others] = await caches.keys();
        const requests = await (await caches.open(name)).keys();
        return { name, others, paths: requests.map(({ url }) => url.replace(location.origin, "")) };
      });
      expect(kept.name).toMatch(/^app-[0-9a-f]{16}$/);
      expect(kept.others).toEqual([]);
      expect(kept.paths).toContain("/");
      const own = /^\/(assets\/[\w-]+\.(js|css|woff2)|[\w-]+\.(png|svg|js|webmanifest)|network\.json|)$/;
      expect(kept.paths.filter((path) => !own.test(path))).toEqual([]);
    });

    test("the manifest names icons that exist, in their sizes", async () => {
      await open();
      const sizes = await page.evaluate(async () => {
        const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]");
        const { icons } = await (await fetch(link?.href ?? "")).json();
        const measure = async ({ src, sizes }: { src: string; sizes: string }) => {
          const image = new Image();
          image.src = src;
          await image.decode();
          return sizes === "any" || sizes === `${image.naturalWidth}x${image.naturalHeight}`;
        };
        return Promise.all(icons.map(measure));
      });
      expect(sizes).toEqual([true, true, true, true]);
    });

    test.each([502, "connectionrefused"] as const)(
      "a server that cannot say which network it is for is asked again: %s",
      async (failure) => {
        context = await browser.newContext({ serviceWorkers: "block" });
        await context.route("**/network.json", (route) =>
          typeof failure === "number" ? route.fulfill({ status: failure, body: "Bad gateway" }) : route.abort(failure),
        );
        page = await context.newPage();
        await page.goto(app.url);
        const texts = failure === 502 ? /^The service has a problem/ : /^Network unreachable/;
        await page.getByRole("alert").filter({ hasText: texts }).waitFor();
        // Nobody signs in to the public network by mistake.
        expect(await page.getByText("Connect a wallet").count()).toBe(0);
        await context.unroute("**/network.json");
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByText("Local devnet", { exact: true }).waitFor();
      },
    );

    test("a server that names no network is for the public one", async () => {
      context = await browser.newContext({ serviceWorkers: "block" });
      await context.route("**/network.json", (route) => route.fulfill({ status: 404, body: "Not found" }));
      page = await context.newPage();
      await page.goto(app.url);
      await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      expect(await page.getByText("Local devnet").count()).toBe(0);
    });

    // The last one, as it stops the server.
    test("the app starts while its server is gone", async () => {
      await open();
      await signIn();
      await page.getByRole("link", { name: "later.txt", exact: true }).waitFor();
      await app.close();
      await context.setOffline(true);
      await page.reload();
      await page.getByRole("heading", { name: "Files", exact: true }).waitFor();
      await page
        .getByText(/^You’re offline/)
        .first()
        .waitFor();
      await page.getByRole("button", { name: "Lock", exact: true }).click();
      await page.getByRole("heading", { name: "Connect a wallet" }).waitFor();
      await page.getByText("Local devnet", { exact: true }).waitFor();
    });
  },
  600_000,
);
