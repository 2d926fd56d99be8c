import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, chromium, type Page } from "playwright-core";
import { decodeQR } from "qr/decode.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { listRows } from "./listed-rows.ts";
import { preferInputs } from "./prefer-inputs.ts";

const executablePath = await findChromium();
const screens = ["files", "shared", "names", "storage", "settings"] as const;

describe.skipIf(!executablePath)(
  "the web app, as readers have set up their browsers",
  () => {
    let app: RunningApp;
    let browser: Browser;

    beforeAll(async () => {
      [app, browser] = await Promise.all([
        startApp(),
        chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
      ]);
    }, 600_000);

    afterAll(async () => {
      await browser?.close();
      await app?.close();
    });

    async function open(options: Parameters<Browser["newContext"]>[0]): Promise<Page> {
      const context = await browser.newContext(options);
      await preferInputs(context);
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(app.url);
      await page.getByRole("button", { name: /Alice/ }).click();
      await page.locator("#main h1").waitFor();
      return page;
    }
    const show = async (page: Page, screen: string) => {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${screen}`);
      await page.locator(`.rail a[href="#/${screen}"][aria-current]`).waitFor();
      await page.locator("#main [aria-busy=true]").waitFor({ state: "detached" });
    };

    test("a name has a label, a QR code of its link, and a field that finds files", async () => {
      const page = await open({ viewport: { width: 1440, height: 900 } });
      page.on("filechooser", () => undefined);
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Add files" }).click(),
      ]);
      await chooser.setFiles(
        ["prices.txt", "menu.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })),
      );
      await page.getByRole("link", { name: "prices.txt", exact: true }).waitFor();
      await page.getByRole("link", { name: "menu.txt", exact: true }).waitFor();
      await show(page, "names");
      await page.getByRole("button", { name: "New name" }).click();
      await page.getByLabel("Label").fill("Price list");
      await page.getByRole("heading", { name: "Price list" }).waitFor();

      const field = page.getByRole("combobox", { name: "File or CID to publish" });
      await field.fill("PRIC");
      await page.getByRole("option", { name: "prices.txt" }).waitFor();
      expect(await page.getByRole("option").count()).toBe(1);
      await field.press("ArrowDown");
      await field.press("Enter");
      expect(await field.inputValue()).toMatch(/^baf/);
      await field.press("Enter");
      await page.locator(".name-card").getByRole("link", { name: "prices.txt", exact: true }).waitFor();

      await page.getByRole("button", { name: "QR code of Price list" }).click();
      const dialog = page.getByRole("dialog", { name: "Price list" });
      const image = dialog.getByRole("img", { name: /^QR code of http/ });
      await image.waitFor();
      const pixels = await image.evaluate(async (svg) => {
        const copy = svg.cloneNode(true) as SVGElement;
        copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
        const picture = new Image(300, 300);
        picture.src = `data:image/svg+xml,${encodeURIComponent(copy.outerHTML)}`;
        await picture.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width: 300, height: 300 });
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        context.fillStyle = "#fff";
        context.fillRect(0, 0, 300, 300);
        context.drawImage(picture, 0, 0, 300, 300);
        return Array.from(context.getImageData(0, 0, 300, 300).data);
      });
      const link = decodeQR({ width: 300, height: 300, data: Uint8Array.from(pixels) });
      expect(link).toMatch(new RegExp(`^${app.devnet.endpoints.gateway}/ipns/k51`));
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.context().close();
    });

    test("fits windows of 375 px, and of 1280 px at 400% zoom, in both languages", async () => {
      const tooWide: string[] = [];
      for (const [locale, width, height] of [
        ["en-US", 375, 812],
        ["de-DE", 375, 812],
        ["en-US", 320, 256],
        ["de-DE", 320, 256],
      ] as const) {
        const page = await open({ locale, viewport: { width, height } });
        for (const screen of screens) {
          await show(page, screen);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (overflow > 0) tooWide.push(`${screen}, ${locale}, ${width}: ${overflow}`);
        }
        // What stays in place leaves most of the window to what is read.
        const covered = await page.evaluate(() =>
          Array.from(document.querySelectorAll("body *"))
            .filter((each) => getComputedStyle(each).position === "fixed" && !each.matches(".toasts, .skip-link"))
            .reduce((sum, each) => sum + each.getBoundingClientRect().height, 0),
        );
        expect(covered).toBeLessThan(height / 3);
        await page.context().close();
      }
      expect(tooWide).toEqual([]);
    });

    test.each([45, 60, 10_000])("a list of %i files fills the width of its table in every window", async (count) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await context.route("**/api/user/files_uploaded*", (route) =>
        route.fulfill({
          headers: { "access-control-allow-origin": "*" },
          json: { fileList: listRows(count), totalFiles: count },
        }),
      );
      const page = await context.newPage();
      await page.goto(app.url);
      await page.getByRole("button", { name: /Alice/ }).click();
      await page.locator(`.file-table[aria-rowcount="${count + 1}"]`).waitFor();
      for (const width of [375, 768, 1024, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        // From the end, so that there are rows that are not rendered above and below.
        for (const share of [0, 0.5, 1]) {
          await page.evaluate(async (at) => {
            window.scrollTo(0, at * document.documentElement.scrollHeight);
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          }, share);
          const measure = () =>
            page.evaluate(() => {
              const right = (element: Element) => Math.round(element.getBoundingClientRect().right);
              const table = document.querySelector(".file-table") as HTMLElement;
              const rows = Array.from(table.querySelectorAll("tr[aria-rowindex]")).filter((row) =>
                row.checkVisibility(),
              );
              const cells = rows.map((row) => Array.from(row.children).filter((cell) => cell.checkVisibility()));
              const ends = cells.map((each) => Math.max(...each.map(right)));
              // Where a row is a card, its last cell is not at its end.
              const isCards = getComputedStyle(rows.at(-1) as Element).display !== "table-row";
              const farthest = isCards ? Math.max(...rows.map(right)) : Math.min(...ends);
              return { table: right(table), farthest, rows: rows.length };
            });
          const isRight = ({ table, farthest, rows }: Awaited<ReturnType<typeof measure>>) =>
            Math.abs(table - farthest) <= 1 && rows >= 5;
          await expect.poll(measure, { message: `${width} px, ${share}` }).toSatisfy(isRight);
        }
      }
      await context.close();
    });

    test("distinguishes what is chosen, current and used in forced colours", async () => {
      const page = await open({ forcedColors: "active", viewport: { width: 1440, height: 900 } });
      const findings: string[] = [];
      for (const screen of screens) {
        await show(page, screen);
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        findings.push(...violations.map(({ id }) => `${screen}: ${id}`));
        const outlines = await page.evaluate(() =>
          Array.from(document.querySelectorAll(".rail nav a, .segmented label"), (each) => ({
            isChosen: each.matches("[aria-current], :has(:checked)"),
            hasOutline: getComputedStyle(each).outlineStyle !== "none",
          })),
        );
        expect(outlines.length).toBeGreaterThan(3);
        expect(outlines.filter(({ isChosen, hasOutline }) => isChosen !== hasOutline)).toEqual([]);
      }
      expect(findings).toEqual([]);
      await page.context().close();
    });

    test.each([
      ["no-preference", "1.2s"],
      ["reduce", "1e-05s"],
    ] as const)(
      "highlights a file that was added, and not with reduced motion: %s",
      async (reducedMotion, duration) => {
        const page = await open({ reducedMotion, viewport: { width: 2560, height: 1300 } });
        page.on("filechooser", () => undefined);
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("button", { name: "Add files" }).click(),
        ]);
        const name = `${reducedMotion}.txt`;
        await chooser.setFiles([{ name, mimeType: "text/plain", buffer: Buffer.from(name) }]);
        const row = page.getByRole("row", { name: new RegExp(name) });
        await row.waitFor();
        expect(
          await row.evaluate((element) => {
            const { animationName, animationDuration } = getComputedStyle(element);
            return { animationName, animationDuration };
          }),
        ).toEqual({ animationName: "file-added", animationDuration: duration });
        // The table uses the width of the window, for the CID as well.
        expect((await row.boundingBox())?.width).toBeGreaterThan(1_500);
        expect(await row.locator(".file-cid").isVisible()).toBe(true);
        await page.context().close();
      },
    );

    test.each([
      ["phone", { viewport: { width: 375, height: 812 }, hasTouch: true }],
      ["desktop", { viewport: { width: 1440, height: 900 } }],
    ])("a message covers no control of the screen, and is in the top layer: %s", async (name, options) => {
      const page = await open({ ...options, permissions: ["clipboard-write"] });
      page.on("filechooser", () => undefined);
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Add files" }).click(),
      ]);
      await chooser.setFiles([{ name: `${name}.txt`, mimeType: "text/plain", buffer: Buffer.from(name) }]);
      await page.getByRole("button", { name: `Copy CID of ${name}.txt` }).click();
      await page.evaluate(() => window.scrollTo(0, 0));
      const toast = page.locator(".toast");
      await toast.waitFor();
      const covered = await toast.evaluate((element) => {
        const over = element.getBoundingClientRect();
        const controls = document.querySelectorAll("main a, main button, main input, .tray button, .rail nav a");
        return Array.from(controls)
          .filter((control) => {
            const { top, bottom, left, right } = control.getBoundingClientRect();
            return top < over.bottom && bottom > over.top && left < over.right && right > over.left;
          })
          .map(({ textContent, ariaLabel }) => ariaLabel ?? textContent);
      });
      expect(covered).toEqual([]);
      await page.getByRole("button", { name: `Copy CID of ${name}.txt` }).click();
      await page.getByRole("button", { name: "New folder" }).click();
      await page.getByRole("dialog").waitFor();
      expect(await page.locator(".toasts").evaluate((element) => element.matches(":popover-open"))).toBe(true);
      await page.context().close();
    });

    test("shows that something runs with reduced motion, without a rotation", async () => {
      const page = await open({ reducedMotion: "reduce" });
      const animation = await page.evaluate(() => {
        const spinner = document.createElement("span");
        spinner.className = "spinner";
        document.body.append(spinner);
        const { animationName, animationIterationCount } = getComputedStyle(spinner);
        return { animationName, animationIterationCount };
      });
      expect(animation).toEqual({ animationName: "breathe", animationIterationCount: "infinite" });
      await page.context().close();
    });
  },
  600_000,
);
