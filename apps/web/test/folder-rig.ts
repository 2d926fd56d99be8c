import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { DevnetOptions } from "../../../packages/devnet/src/index.ts";
import { chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { appForTests } from "./app-for-tests.ts";
import { type Person, waitForFolders } from "./person.ts";
import { readZip } from "./zip.ts";

/** Texts of files by their paths. */
export type Tree = Readonly<Record<string, string>>;

/** Starts the app, a browser and a folder on the disk for all tests of a block; they are there while they run. */
export async function folderAppForTests(options: DevnetOptions) {
  const executablePath = await findChromium();
  if (!executablePath) throw new Error(chromiumHint());
  const web = appForTests(executablePath, options);
  const started = Object.assign(web, { disk: "" });
  beforeAll(async () => {
    started.disk = await mkdtemp(join(tmpdir(), "keeplight-folders-"));
  });
  afterAll(() => rm(started.disk, { recursive: true, force: true }));
  return started;
}

/** Signs an account of the devnet in. */
export async function signIn({ page }: Person, name: RegExp): Promise<void> {
  await page.getByRole("button", { name }).click();
  await waitForFolders(page);
}

/** Returns files as a page gets them when a folder is picked. */
export function toFiles(name: string, tree: Tree): File[] {
  return Object.entries(tree).map(([path, text]) => {
    const file = new File([text], path.split("/").at(-1) ?? "");
    Object.defineProperty(file, "webkitRelativePath", { value: `${name}/${path}` });
    return file;
  });
}

/** Writes files to a folder on the disk. */
export async function writeTree(folder: string, tree: Tree): Promise<void> {
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** What a person sees and does with folders. */
export function openFolderRig({ page }: Person, disk: string) {
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  return {
    heading: (name: string) => page.getByRole("heading", { name, exact: true, level: 1 }),
    link: (name: string) => page.getByRole("link", { name, exact: true }),
    button,
    /** Shows another screen by its URL. */
    show: (hash: string) =>
      page.evaluate((next) => {
        location.hash = next;
      }, hash),
    /** Saves the folder that is shown by the browser's downloads, and reads the archive. */
    async saveFromMemory(): Promise<Record<string, string | null>> {
      await page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
      const [download] = await Promise.all([page.waitForEvent("download"), button("Download as ZIP").click()]);
      const path = join(disk, "saved.zip");
      await download.saveAs(path);
      return readZip(path);
    },
    /** Lets the person choose a file, as far as the app can tell. */
    async chooseOwnFile(): Promise<void> {
      await page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        const picker = async () => root.getFileHandle("saved.zip", { create: true });
        Object.assign(window, { showSaveFilePicker: picker });
      });
    },
    /** The size of the chosen file; `undefined` if there is none. */
    readSaved: () =>
      page.evaluate(async () => {
        const root = await navigator.storage.getDirectory();
        const file = await root.getFileHandle("saved.zip").catch(() => undefined);
        return (await file?.getFile())?.size;
      }),
  };
}
