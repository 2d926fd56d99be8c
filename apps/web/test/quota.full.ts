import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)("an account of 1 MiB", () => {
  let app: RunningApp;
  let browser: Browser;
  let alice: Person;

  beforeAll(async () => {
    [app, browser] = await Promise.all([
      startApp({ dataLimit: 1024 * 1024 }),
      chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
    ]);
    alice = await openBrowserAs(browser, app, wide);
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await alice.sees("0 bytes of 1 MiB used");
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const file = (name: string, size: number) => ({ name, mimeType: "text/plain", buffer: Buffer.alloc(size, "x") });

  test("is told what does not fit before anything is sent", async () => {
    // What the choice is about is written beside it.
    await alice.page.getByText("Stored in", { exact: true }).waitFor();
    await alice.page.getByLabel("Stored in").getByText("Network’s default").waitFor({ state: "attached" });
    await alice.choose("Add files", file("large.txt", 1_500_000));
    await alice.sees(/Not enough storage: 1\.4 MiB needed, 1 MiB left/);
    await alice.inspect("over-quota");
    expect(await alice.page.getByRole("region", { name: /upload/i }).count()).toBe(0);
    await alice.choose("Add files", file("small.txt", 100));
    await alice.sees("1 upload complete");
    expect(await alice.page.getByText("Not enough storage").count()).toBe(0);
  });

  test("is told so by the network, too: what fits alone does not fit together", async () => {
    await alice.page.getByRole("button", { name: "Clear" }).click();
    await alice.choose("Add files", [file("one.txt", 700_000), file("two.txt", 300_000)]);
    await alice.sees("2 uploads complete");
    // The page does not know yet what another device has stored.
    await alice.page.route("**/api/user/user_data_usage**", (route) =>
      route.fulfill({ json: { dataLimit: 1024 * 1024 * 9, dataUsed: 0 } }),
    );
    await alice.page.reload();
    await alice.sees("0 bytes of 9 MiB used");
    await alice.choose("Add files", file("three.txt", 700_000));
    await alice.sees("Not enough storage. Delete files, or buy storage, then try again.");
    expect(await alice.page.getByText("Session expired").count()).toBe(0);
  });
});
