import { expect, test } from "vitest";
import { openOutput } from "../../src/storage/download/output.ts";
import { watchLeaks } from "../support/leaks.ts";

test("an abandoned stream leaves nothing of the plaintext, even if it was being read again", async () => {
  const expectNothingLeft = watchLeaks();
  const sink = await openOutput({ as: "stream" });
  await sink.write(new Uint8Array(3_000_000));
  const again = sink.reread()[Symbol.asyncIterator]();
  expect((await again.next()).done).toBe(false);
  await sink.abandon();
  await expectNothingLeft();
});
