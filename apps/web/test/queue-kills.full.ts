import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../test/simulation/random.ts";
import { chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { type RunningApp, startApp } from "./app.ts";
import { type KillRig, openKillRig } from "./kill-rig.ts";
import { readStoredFiles } from "./stored-files.ts";

/** How many times the browser is killed, and what the moments follow from. */
const KILLS = Number(process.env["KEEPLIGHT_QUEUE_KILLS"] ?? 3);
const SEED = process.env["KEEPLIGHT_QUEUE_SEED"] ?? "1";
const FILES = Number(process.env["KEEPLIGHT_QUEUE_FILES"] ?? 12);

let app: RunningApp;
let rig: KillRig;

beforeAll(async () => {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error(chromiumHint());
  app = await startApp();
  rig = await openKillRig(app, executablePath);
  await rig.signIn();
}, 600_000);

afterAll(async () => {
  await rig?.close();
  await app?.close();
});

/** How often each name is stored. What is listed and in no folder would be a file that nobody knows the name of. */
async function countStored(names: readonly string[]): Promise<number[]> {
  const { byName, loose } = await readStoredFiles(app);
  return [...names.map((name) => byName.get(name)?.length ?? 0), loose];
}

/** Adds files, and waits for their rows. */
async function addFiles(round: number) {
  const page = rig.page();
  const files = await rig.createFiles(round, FILES);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Add files" }).click(),
  ]);
  await chooser.setFiles(files.map(({ path }) => path));
  const rows = page.locator(".tray .upload", { hasText: `letter ${round}-` });
  await rows.nth(FILES - 1).waitFor({ state: "attached" });
  return files;
}

/** Waits until all is uploaded, and clears the list. */
async function waitForCompletion(): Promise<void> {
  const page = rig.page();
  await page.locator(".upload-running, .upload-waiting").first().waitFor({ state: "detached", timeout: 120_000 });
  const clear = page.getByRole("button", { name: "Clear", exact: true });
  if (await clear.isVisible()) await clear.click();
}

/** Continues all that is offered: one choice of files for those that were not started, one for each that was. */
async function continueAll(paths: readonly string[]): Promise<void> {
  const page = rig.page();
  const rows = page.locator(".interrupted .upload");
  await page
    .locator(".interrupted, .tray-result")
    .first()
    .waitFor({ state: "attached", timeout: 3_000 })
    .catch(() => undefined);
  for (let presses = 0; (await rows.count()) > 0; presses++) {
    if (presses > 100) throw new Error(`still offered: ${await rows.allTextContents()}`);
    const choose = rows.getByRole("button", { name: /^Choose .* again$/ }).first();
    const resume = rows.getByRole("button", { name: /^Resume / }).first();
    // The row of the press before may disappear meanwhile.
    const press = { timeout: 2_000 };
    if (await choose.isVisible()) {
      const name = /^Choose (letter .*) again$/.exec(
        (await choose.getAttribute("aria-label", press).catch(() => "")) ?? "",
      )?.[1];
      const chosen = await Promise.all([page.waitForEvent("filechooser", press), choose.click(press)]).catch(() => []);
      await chosen[0]?.setFiles(paths.filter((path) => name === undefined || path.endsWith(name)));
    } else if (await resume.isVisible()) await resume.click(press).catch(() => undefined);
    await sleep(200);
  }
  await waitForCompletion();
}

test(`${FILES} files are stored or offered, whenever the browser is killed (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  await addFiles(0);
  const startedAt = performance.now();
  await waitForCompletion();
  const wholeMs = performance.now() - startedAt;
  let offered = 0;
  for (let round = 1; round <= KILLS; round++) {
    const files = await addFiles(round);
    await sleep(random.next() * wholeMs);
    await rig.killAndStart();
    const names = files.map(({ name }) => name);
    const { byName } = await readStoredFiles(app);
    const before = names.filter((name) => byName.has(name)).length;
    await rig.signIn();
    await continueAll(files.map(({ path }) => path));
    // The page stores its drive some seconds after what has changed.
    await expect
      .poll(() => countStored(names), {
        message: `round ${round}: how often each is stored`,
        interval: 500,
      })
      .toEqual([...names.map(() => 1), 0]);
    offered += FILES - before;
  }
  console.log(
    `${KILLS} kills, ${KILLS * FILES} files: ${offered} were continued, none was forgotten, none stored twice`,
  );
}, 7_200_000);
