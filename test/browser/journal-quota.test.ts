import { expect, test, vi } from "vitest";
import { cdp } from "vitest/browser";
import { openJournal } from "../../src/index.ts";
import { failure } from "../support/failure.ts";

const PATIENCE = { timeout: 50_000, interval: 2_000 };

test("a journal that the site has no room for is a failure, with usage and quota", async () => {
  const { origin } = location;
  await cdp().send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  try {
    // For half a minute after another database was written, Chromium does not ask whether there is room.
    const full = await vi.waitFor(() => failure(openJournal({ name: crypto.randomUUID() })), PATIENCE);
    expect(full).toMatchObject({
      code: "CANNOT_WRITE",
      message: expect.stringContaining("no more room for this site"),
      details: { usedBytes: expect.any(Number), quotaBytes: expect.any(Number) },
    });
  } finally {
    await cdp().send("Storage.overrideQuotaForOrigin", { origin });
  }
});
