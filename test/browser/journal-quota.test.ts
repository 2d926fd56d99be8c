import { expect, test } from "vitest";
import { cdp } from "vitest/browser";
import { openJournal } from "../../src/index.ts";
import { failure } from "../support/failure.ts";

// In a file of its own: with a database open, Chromium remembers for a while how much room there was.
test("a journal that the site has no room for is a failure, with usage and quota", async () => {
  const { origin } = location;
  await cdp().send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  const name = crypto.randomUUID();
  try {
    expect(await failure(openJournal({ name }))).toMatchObject({
      code: "CANNOT_WRITE",
      message: expect.stringContaining("no more room for this site"),
      details: { usedBytes: expect.any(Number), quotaBytes: expect.any(Number) },
    });
  } finally {
    await cdp().send("Storage.overrideQuotaForOrigin", { origin });
  }
});
