import { setTimeout as wait } from "node:timers/promises";
import { Wallet } from "ethers";
import { createApiKey, createKit, openJournal } from "keeplight";
import { onTestFinished } from "vitest";
import { devnetForTests } from "../../../test/support/devnet-wire.ts";
import { scratch } from "../../../test/support/files.ts";
import { type Drive, openDrive } from "../src/index.ts";

/** How long a drive may take to close, in milliseconds: what a test has broken may not respond. */
const CLOSING_MS = 3_000;

/** Closes a drive at the end of the test: its timers would run in the next one. */
export function closeAfterTest(drive: Drive): void {
  onTestFinished(async () => {
    await Promise.race([drive.close().catch(() => undefined), wait(CLOSING_MS)]);
  });
}

export const bytes = (text: string) => new TextEncoder().encode(text);

/** Starts a devnet for the tests of a file, with an account of its own for each drive. */
export function drivesForTests() {
  const devnet = devnetForTests();
  return {
    devnet,
    /** Returns the account of one drive, as several devices have it. */
    async createAccount() {
      const signer = new Wallet(Wallet.createRandom().privateKey);
      const { endpoints } = devnet();
      const own = { signer, endpoints, pauseMs: 0, retryMs: 0 };
      const apiKey = await createApiKey({ signer, endpoints });
      const kit = createKit({ ...own, apiKey });
      return {
        kit,
        apiKey,
        own,
        /** Opens the drive on a device: one with this journal folder, or a new one. */
        async open(folder?: string, changes: object = {}) {
          const journal = await openJournal({ folder: folder ?? (await scratch()) });
          const drive = await openDrive({ ...own, apiKey, journal, ...changes });
          closeAfterTest(drive);
          return { drive, journal };
        },
      };
    },
  };
}
