import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { chromiumArgs } from "../../../test/support/chromium.mjs";
import { killBrowser } from "../../../test/support/kill-browser.ts";
import { handleWalletCall } from "../devnet/wallet.ts";
import type { RunningApp } from "./app.ts";
import { waitForFolders } from "./person.ts";
import { preferInputs } from "./prefer-inputs.ts";
import { runInPage } from "./test-wallet.ts";

/** The web app in a browser with a profile on the disk, which is killed and started again. */
export interface KillRig {
  /** Folder of the profile. */
  profile: string;
  /** The page of the latest start. */
  page(): Page;
  /** Where the account's files are: their names, texts and paths. */
  createFiles(round: number, count: number): Promise<{ name: string; text: string; path: string }[]>;
  signIn(): Promise<void>;
  /** Kills all processes of the browser, waits until the wallet has carried out what it was asked, and starts again. */
  killAndStart(): Promise<void>;
  close(): Promise<void>;
}

export async function openKillRig({ url, devnet }: RunningApp, executablePath: string): Promise<KillRig> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-web-kills-"));
  const profile = join(folder, "profile");
  const wallet = new Wallet(devnet.accounts[0]?.privateKey ?? "");
  /** Calls of the wallet, which outlive the page that made them. */
  const pending = new Set<Promise<unknown>>();
  let [context, page] = await start();

  async function start(): Promise<[BrowserContext, Page]> {
    const started = await chromium.launchPersistentContext(profile, {
      executablePath,
      args: chromiumArgs,
    });
    await started.exposeFunction("callTestWallet", async (method: string, params: unknown[]) => {
      const calling = handleWalletCall({ address: wallet.address, method, params }, [wallet], devnet.chain);
      pending.add(calling);
      try {
        return { result: await calling };
      } catch (error) {
        const { message, code = -32_603 } = error as Error & { code?: unknown };
        return { error: { message, code } };
      } finally {
        pending.delete(calling);
      }
    });
    await started.addInitScript(runInPage, "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>");
    await preferInputs(started);
    const opened = await started.newPage();
    opened.on("filechooser", () => undefined);
    await opened.goto(url);
    return [started, opened];
  }

  return {
    profile,
    page: () => page,
    async createFiles(round, count) {
      const files = Array.from({ length: count }, (_, at) => {
        const name = `letter ${round}-${at}.txt`;
        return { name, text: `${name} `.repeat(2_000), path: join(folder, name) };
      });
      for (const { path, text } of files) {
        await writeFile(path, text);
        await utimes(path, 1_700_000_000, 1_700_000_000);
      }
      return files;
    },
    async signIn() {
      const wallets = page.getByRole("button", { name: /Harbour Wallet/ });
      const files = page.getByRole("heading", { name: "Files", exact: true });
      await wallets.or(files).first().waitFor();
      // Unless the session has survived.
      if (await wallets.isVisible()) await wallets.click();
      await files.waitFor();
      await waitForFolders(page);
    },
    async killAndStart() {
      await killBrowser(context);
      await Promise.allSettled(pending);
      [context, page] = await start();
    },
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
