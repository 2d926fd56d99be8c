import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chromiumArgs, chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { narrow, openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";
import { injectWallet, type TestWallet } from "./test-wallet.ts";

describe("the tray of uploads, and what waits for the wallet", () => {
  let app: RunningApp;
  let browser: Browser;
  let alice: Person;
  let wallet: TestWallet;
  let mends: (() => void)[] = [];

  beforeAll(async () => {
    const executablePath = await findChromium();
    if (!executablePath) throw new Error(chromiumHint());
    [app, browser] = await Promise.all([startApp(), chromium.launch({ executablePath, args: chromiumArgs })]);
  }, 600_000);

  beforeEach(async () => {
    alice = await openBrowserAs(browser, app, wide);
    wallet = await injectWallet(alice, app);
    await alice.page.getByRole("button", { name: /Harbour Wallet/ }).click();
    await waitForFolders(alice.page);
  });

  afterEach(async () => {
    for (const mend of mends) mend();
    mends = [];
    await alice.context.close();
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** Breaks a service until the test ends, or the returned function is called. */
  function fault(one: Parameters<typeof app.devnet.faults.add>[0]): () => void {
    const mend = app.devnet.faults.add(one);
    mends.push(mend);
    return mend;
  }

  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
  const button = (name: string) => alice.page.getByRole("button", { name, exact: true });
  const result = () => alice.page.locator(".tray-result");
  const listNames = () => alice.page.locator(".tray .upload-name").allTextContents();

  test("shows first what failed, then what runs, waits and is done; retries all, announces results, folds itself", async () => {
    await alice.choose("Add files", file("done.txt"));
    await alice.sees("1 upload complete");
    await expect.poll(() => result().textContent()).toBe("1 upload complete");
    await expect.poll(listNames).toEqual([]);
    const busy = { kind: "respond", status: 503, json: { message: "Busy" } } as const;
    const mend = fault({ service: "upload", action: busy });
    await alice.choose("Add files", file("failed.txt"));
    await alice.sees("1 upload failed");
    await expect.poll(() => result().textContent()).toBe("1 upload complete, 1 failed");
    mend();
    const speedUp = fault({ service: "upload", action: { kind: "delay", ms: 600_000 } });
    await alice.choose("Add files", ["r1.txt", "r2.txt", "w1.txt"].map(file));
    await alice.page
      .getByText(/^Uploading ·/)
      .nth(1)
      .waitFor();
    await expect.poll(listNames).toEqual(["failed.txt", "r1.txt", "r2.txt", "w1.txt", "done.txt"]);
    await alice.inspect("tray");
    await alice.page.locator(".tray").getByText("1 upload failed", { exact: true }).waitFor();
    await button("Cancel all").click();
    speedUp();
    await button("Retry all").click();
    await alice.sees(/complete$/);
    await expect.poll(listNames).toEqual([]);
    await button("Expand").click();
    await button("Copy link to done.txt").click();
    const link = await alice.page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/#\/file\/baf\w+\/preview$/);
    expect(await alice.page.getByRole("link", { name: "Open done.txt" }).getAttribute("href")).toBe(
      link.slice(link.indexOf("#")),
    );
    expect(await alice.listUnreachableByKeyboard()).toEqual([]);
    expect(alice.complaints).toEqual([]);
  });

  /** Texts of the fields and bars that the tray covers, at the current place of the page. */
  const listCovered = () =>
    alice.page.evaluate(() => {
      const over = document.querySelector(".tray")?.getBoundingClientRect() ?? new DOMRect();
      return Array.from(document.querySelectorAll("main :is(input, select, textarea, .selection-bar)"))
        .map((each) => each.closest("label") ?? each)
        .filter((each) => {
          const { top, bottom, left, right, height } = each.getBoundingClientRect();
          return height > 0 && top < over.bottom && bottom > over.top && left < over.right && right > over.left;
        })
        .map(({ textContent, ariaLabel, className }) => ariaLabel ?? textContent ?? className);
    });
  /** Names of those controls beside the list that the tray covers even when they have the focus. */
  async function listCoveredDetails(): Promise<string[]> {
    const covered: string[] = [];
    for (const control of await alice.page.locator(".file-details :is(button, a)").all()) {
      await control.focus();
      const tray = await alice.page.locator(".tray").boundingBox();
      const box = await control.boundingBox();
      if (!tray || !box || box.y + box.height > tray.y) covered.push(await control.innerText());
    }
    return covered;
  }
  /** Scrolls the page step by step; returns what the tray covers anywhere. */
  async function scrollAndListCovered(): Promise<string[]> {
    const covered: string[] = [];
    for (const share of [0, 0.5, 1]) {
      await alice.page.evaluate(async (at) => {
        window.scrollTo(0, at * document.documentElement.scrollHeight);
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, share);
      covered.push(...(await listCovered()));
    }
    return covered;
  }
  const getPlace = () =>
    alice.page.evaluate(() => {
      const { right, bottom, left } = document.querySelector(".tray")?.getBoundingClientRect() ?? new DOMRect();
      const { clientWidth } = document.documentElement;
      return right > clientWidth - 40 && bottom > innerHeight - 40 && left > 300 ? "over" : "rail";
    });

  test("is over the content where it covers no field and no selection, and in the rail elsewhere", async () => {
    await alice.choose(
      "Add files",
      Array.from({ length: 30 }, (_, at) => file(`row ${at}.txt`)),
    );
    await alice.sees("30 uploads complete");
    await button("Expand").click();
    for (const [width, height] of [
      [1024, 768],
      [1440, 900],
    ] as const) {
      await alice.page.setViewportSize({ width, height });
      await alice.openScreen("Files");
      await expect.poll(getPlace, { message: `${width} × ${height}` }).toBe("over");
      expect(await scrollAndListCovered(), `Files, ${width} × ${height}`).toEqual([]);
      // The page is at its end.
      const isFree = await alice.page.evaluate(() => {
        const row = Array.from(document.querySelectorAll("main tbody tr:not(.table-spacer)")).at(-1);
        const [last, tray] = [row, document.querySelector(".tray")].map((each) => each?.getBoundingClientRect());
        return last && tray ? last.bottom <= tray.top : false;
      });
      expect(isFree, `last row, ${width} × ${height}`).toBe(true);
      await alice.page.evaluate(() => window.scrollTo(0, 0));
      await alice.page.getByRole("checkbox", { name: /row 1\.txt/ }).check();
      const isBeside = width >= 1440;
      await alice.page.getByRole("region", { name: isBeside ? /selected$/ : "Selected files" }).waitFor();
      // The room for the uploads follows their size.
      if (isBeside) await expect.poll(listCoveredDetails, { message: `details, ${width} × ${height}` }).toEqual([]);
      await expect.poll(scrollAndListCovered, { message: `a selection, ${width} × ${height}` }).toEqual([]);
      for (const screen of ["Shared", "Names", "Storage", "Settings"]) {
        await alice.openScreen(screen);
        await alice.page.locator(`.rail a[aria-current]`, { hasText: screen }).waitFor();
        expect(await scrollAndListCovered(), `${screen}, ${width} × ${height}`).toEqual([]);
      }
    }
    await alice.page.setViewportSize({ width: 1024, height: 600 });
    await alice.openScreen("Settings");
    await expect.poll(getPlace).toBe("rail");
    await alice.page.setViewportSize(wide);
    await alice.openScreen("Files");
    await expect.poll(getPlace).toBe("over");
    // What receives the focus is scrolled above it.
    await alice.page.getByRole("link", { name: "row 0.txt", exact: true }).focus();
    await alice.inspect("tray-over");
    // A phone: what is complete is below the list.
    await button("Collapse").click();
    await alice.page.setViewportSize(narrow);
    for (const share of [0, 0.5, 1]) {
      await alice.page.evaluate((at) => window.scrollTo(0, at * document.documentElement.scrollHeight), share);
      const covered = await alice.page.evaluate(() => {
        const [tray, list] = [".tray", ".file-list"].map((each) =>
          document.querySelector(each)?.getBoundingClientRect(),
        );
        return tray && list ? tray.top < list.bottom : true;
      });
      expect(covered).toBe(false);
    }
    await alice.inspect("tray-complete");
    expect(alice.complaints).toEqual([]);
  });

  test("a thousand uploads have few rows, and can be cancelled; a narrow or magnified window can fold the tray", async () => {
    fault({ service: "upload", action: { kind: "delay", ms: 600_000 } });
    await alice.choose(
      "Add files",
      Array.from({ length: 1_000 }, (_, at) => file(`${at}.txt`)),
    );
    await alice.sees("Uploading 1,000 items");
    await alice.sees("and 940 more");
    expect(await alice.page.locator(".tray .upload").count()).toBe(60);
    // 400 % of a window of 1440 × 900.
    for (const size of [narrow, { width: 360, height: 225 }]) {
      await alice.page.setViewportSize(size);
      const fold = alice.page.locator(".tray-head .icon-button");
      if ((await fold.getAttribute("aria-expanded")) === "true") await fold.click();
      await button("Expand").click();
      await button("Collapse").click();
      const overflow = await alice.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
    await button("Cancel all").click();
    await alice.sees("1,000 uploads cancelled");
  });

  test("a key that one node misses is marked, and repaired from there", async () => {
    const mend = fault({
      service: "keyNodes",
      node: 2,
      action: { kind: "respond", status: 500, json: { message: "Busy" } },
    });
    await alice.choose("Add files", file("key.txt"));
    await alice.sees("1 upload complete");
    // It is not folded: not all is done.
    await alice.sees("Key saved on 4 of 5 nodes");
    await alice.inspect("tray-repair");
    mend();
    await button("Repair").click();
    await alice.page.getByText("Key saved on 4 of 5 nodes").waitFor({ state: "detached" });
  });

  test("a signature that key nodes ask for again is announced in the tray, and can be cancelled", async () => {
    const action = { kind: "respond", status: 401, json: { message: "Unauthorized" } } as const;
    const refused = [
      fault({ service: "keyNodes", path: /^\/api\/(?!message)/, action }),
      fault({ service: "keyNodes", method: "PUT", path: "/api/message/get-jwt", action }),
    ];
    const sign = wallet.hold("personal_sign");
    await alice.choose("Add files", file("signed.txt"));
    await alice.page.locator(".tray").getByText("Confirm in Harbour Wallet…").first().waitFor();
    await alice.inspect("tray-signature");
    for (const accept of refused) accept();
    await button("Cancel signed.txt").click();
    await alice.sees("1 upload cancelled");
    sign();
    await button("Retry").click();
    await alice.sees("1 upload complete");
  });

  test("a payment that the wallet does not answer can be stopped, and is continued without paying twice", async ({
    skip,
  }) => {
    if (!app.devnet.chain) skip("no anvil, so no chain to pay on");
    await alice.openScreen("Storage");
    await alice.page.getByLabel("Pay with").selectOption("native");
    await alice.sees(/^0\.\d+ [A-Z]+$/);
    const approve = wallet.hold("eth_sendTransaction");
    await button("Pay").click();
    await button("Pay now").click();
    await alice.sees("Confirm in your wallet");
    await button("Stop waiting").click();
    await alice.sees(/^No longer waiting/);
    await alice.inspect("payment-stopped");
    expect(await button("Pay").isDisabled()).toBe(true);
    approve();
    await button("Continue payment").click();
    await alice.sees("Paid, storage added");
    expect(wallet.count("eth_sendTransaction")).toBe(1);
  });
});
