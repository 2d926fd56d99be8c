import { expect, onTestFinished, test, vi } from "vitest";
import { forgetShared } from "../support/forget-shared.ts";
import { brokenRules } from "./broken-rules.ts";
import { dataDirForTests } from "./data-dir.ts";
import { runHistory } from "./history.ts";
import { importKit } from "./kit.ts";

/** How many histories each takes at most. */
const HISTORIES = 500;

const dataDir = dataDirForTests();

test.each(brokenRules)("histories catch a kit without the rule: $rule", async ({ rule, finds, path, mock }) => {
  vi.resetModules();
  forgetShared();
  mock();
  // A history may be the first to load the module.
  onTestFinished(() => void vi.doUnmock(path));
  const kit = await importKit();
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const { violations } = await runHistory(kit, seed, dataDir());
    const found = violations.find((violation) => finds.test(violation));
    if (found === undefined) continue;
    console.log(`${rule}: caught by history ${seed}: ${found}`);
    return;
  }
  expect.fail(`no history of ${HISTORIES} catches it`);
});
