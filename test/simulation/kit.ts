import { createHash } from "node:crypto";
import { vi } from "vitest";
import type { JournalPlace } from "../../src/platform/types.ts";
import { findClient } from "./client.ts";
import { openMemoryJournal } from "./memory-journal.ts";

/** The public functions. */
type Platform = typeof import("#platform");
export type Kit = typeof import("../../src/index.ts");

/**
 * Imports the kit for a simulated runtime: requests and journals are those of the {@link findClient} that they belong to,
 * and deriving a key takes one round of hashing instead of 250,000.
 */
export async function importKit(): Promise<Kit> {
  vi.doMock(
    "../../src/platform/node/index.ts",
    async (importOriginal) =>
      ({
        ...(await importOriginal<Platform>()),
        sendRequest: async (request) => findClient(request.url).sendRequest(request),
        journalStore: async ({ folder }: JournalPlace) => openMemoryJournal(findClient(String(folder))),
        pbkdf2: async (password, salt) => createHash("sha256").update(password).update(salt).digest(),
      }) satisfies Partial<Platform>,
  );
  // Transfers import these when they are first needed: in a history that would take real time.
  await import("../../src/storage/on-demand.ts");
  await import("../../src/storage/upload/journal-entry.ts");
  return import("../../src/index.ts");
}
