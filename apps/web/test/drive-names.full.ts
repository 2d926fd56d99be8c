import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { openBrowserAs, type Person, waitForFolders, wide } from "./person.ts";

const executablePath = await findChromium();

describe.skipIf(!executablePath)("files whose names are taken in their folder", () => {
  const started = appForTests(executablePath, {});
  let alice: Person;

  beforeAll(async () => {
    alice = await openBrowserAs(started.browser, started.app, wide);
    await alice.page.getByRole("button", { name: /Alice/ }).click();
    await waitForFolders(alice.page);
    await add(textFile("plan.txt", "the first plan"));
    await link("plan.txt").waitFor();
  }, 600_000);

  afterAll(() => expect(alice.complaints).toEqual([]));

  const link = (name: string) => alice.page.getByRole("grid").getByRole("link", { name, exact: true });
  const textFile = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const dialog = () => alice.page.getByRole("dialog");
  const add = (...files: ReturnType<typeof textFile>[]) => alice.choose("Add files", files);
  const answer = (name: string) => dialog().getByRole("button", { name }).click();

  const listNames = () =>
    alice.page.locator("tbody tr[aria-rowindex] th a").evaluateAll((links) => links.map((each) => each.textContent));

  test("nothing is added before it is said what to do with a file whose name is taken; Cancel adds none", async () => {
    await add(textFile("plan.txt", "the second plan"), textFile("other.txt", "other"));
    await dialog().getByRole("heading", { name: "plan.txt is already in this folder" }).waitFor();
    await alice.inspect("drive-replace");
    await answer("Cancel");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(listNames).toEqual(["plan.txt"]);
    await link("plan.txt").click();
    await alice.sees("the first plan");
    await alice.page.goBack();
  });

  test("Keep both adds the file with a number", async () => {
    for (const [text, name] of [
      ["the second plan", "plan (2).txt"],
      ["the third plan", "plan (3).txt"],
    ] as const) {
      await add(textFile("plan.txt", text));
      await answer("Keep both");
      await link(name).waitFor();
    }
    await link("plan (3).txt").click();
    await alice.sees("the third plan");
    expect(await alice.page.getByRole("heading", { name: "Versions" }).count()).toBe(0);
    await alice.page.goBack();
  });

  test("Replace adds a version; the page of the file lists all of them, and restores an older one", async () => {
    const { page } = alice;
    await add(textFile("plan.txt", "the best plan"));
    await answer("Replace");
    await alice.sees("4 uploads complete");
    await link("plan.txt").click();
    await alice.sees("the best plan");
    await page.getByRole("heading", { name: "Versions" }).waitFor();
    await alice.inspect("drive-versions");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^Download the version of/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("plan.txt");
    await page.getByRole("button", { name: /^Restore the version of/ }).click();
    await alice.sees("the first plan");
    await page.getByRole("heading", { name: "plan.txt", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /^Restore the version of/ }).count()).toBe(1);
    await alice.openScreen("Files");
    await expect.poll(listNames).toHaveLength(3);
  });

  test("a name that a folder cannot have is refused with what to change, and without Retry", async () => {
    const { page } = alice;
    await add(textFile("photo\u202egpj.exe", "text"));
    await alice.sees(/^This name can’t be used\. Names have up to 255 characters/);
    expect(await page.getByRole("button", { name: "Retry", exact: true }).count()).toBe(0);
    await add(textFile("photo\u202egnp.exe", "text"));
    await expect.poll(() => page.locator(".upload-failed").count()).toBe(2);
    const retryAll = page.getByRole("button", { name: "Retry all", exact: true });
    expect(await retryAll.count()).toBe(0);
    const action = { kind: "respond", status: 503, json: { message: "Busy" } } as const;
    const mend = started.app.devnet.faults.add({ service: "upload", action });
    await add(textFile("one.txt", "one"), textFile("two.txt", "two"));
    await expect.poll(() => page.locator(".upload-failed").count()).toBe(4);
    mend();
    await page.evaluate(() => {
      const retried = new Set<string>();
      Object.assign(window, { retried });
      new MutationObserver((changes) => {
        for (const { target } of changes)
          if (target instanceof Element && target.matches(".upload-waiting, .upload-running"))
            retried.add(target.querySelector(".upload-name")?.textContent?.trim() ?? "");
      }).observe(document, { attributes: true, attributeFilter: ["class"], subtree: true });
    });
    await retryAll.click();
    await link("one.txt").waitFor();
    await link("two.txt").waitFor();
    const retried = await page.evaluate(() => [...(window as unknown as { retried: Set<string> }).retried]);
    expect(retried.sort()).toEqual(["one.txt", "two.txt"]);
    expect(await page.locator(".upload-failed").count()).toBe(2);
    await page.getByLabel("Select plan.txt", { exact: true }).check();
    await page.getByRole("button", { name: "Rename" }).click();
    await dialog().getByLabel("Name").fill("n".repeat(256));
    await page.keyboard.press("Enter");
    await dialog().getByText("This name can’t be used").waitFor();
    await page.keyboard.press("Escape");
  });

  test("two drops, one right after the other, are both asked about; a double click answers one", async () => {
    const { page } = alice;
    await page.evaluate(() => {
      for (const text of ["dropped first", "dropped second"]) {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "one.txt", { type: "text/plain" }));
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
      }
    });
    await dialog().getByRole("button", { name: "Keep both" }).dblclick();
    await link("one (2).txt").waitFor();
    await answer("Cancel");
    await dialog().waitFor({ state: "detached" });
    await link("one (2).txt").click();
    await alice.sees("dropped first");
  });
});
