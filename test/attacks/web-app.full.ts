import { expect, onTestFinished, test } from "vitest";
import { appForTests } from "../../apps/web/test/app-for-tests.ts";
import { openBrowserAs, wide } from "../../apps/web/test/person.ts";
import type { RelayedSignature } from "../../packages/devnet/src/index.ts";
import { chromiumHint, findChromium } from "../support/chromium.mjs";

const executablePath = await findChromium();
if (!executablePath) throw new Error(chromiumHint());
const started = appForTests(executablePath, { chain: false });

/** Opens the app in a browser of its own. */
async function openApp() {
  const person = await openBrowserAs(started.browser, started.app, wide);
  onTestFinished(() => person.context.close());
  return person;
}

/** Signatures that the attacked service receives. */
function relay(service: "api" | "keyNodes"): RelayedSignature[] {
  const signatures: RelayedSignature[] = [];
  const { attacks } = started.app.devnet;
  const stop = attacks.add({ kind: "relay-message", service, onSignature: (one) => signatures.push(one) });
  onTestFinished(stop);
  return signatures;
}

test("the key nodes' message from a hostile API host, to sign in to the web app", async () => {
  const signatures = relay("api");
  const { page, sees } = await openApp();
  await page.getByRole("button", { name: /Alice/ }).click();
  await sees("Unusual request for a signature");
  expect(signatures).toEqual([]);
});

test("the API host's message from hostile key nodes, to sign in to the web app", async () => {
  const signatures = relay("keyNodes");
  const { page, sees } = await openApp();
  await page.getByRole("button", { name: /Alice/ }).click();
  await sees("Unusual request for a signature");
  expect(signatures).toEqual([]);
});
