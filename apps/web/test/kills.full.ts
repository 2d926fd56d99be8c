import { setTimeout as sleep } from "node:timers/promises";
import { Wallet } from "ethers";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decrypt } from "../../../src/index.ts";
import { chromiumHint, findChromium } from "../../../test/support/chromium.mjs";
import { eventually } from "../../../test/support/eventually.ts";
import { type RunningApp, startApp } from "./app.ts";
import { type KillRig, openKillRig } from "./kill-rig.ts";
import { readStoredFiles } from "./stored-files.ts";

/** How many moments the browser is killed at, of uploads and payments in turn; a hundred in the full run. */
const KILLS = Number(process.env["KEEPLIGHT_WEB_KILLS"] ?? 4);
const FILES = 3;

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

const alice = () => new Wallet(app.devnet.accounts[0]?.privateKey ?? "");

async function callChain(method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(app.devnet.chain?.rpc ?? "", { method: "POST", headers, body });
  return ((await response.json()) as { result: unknown }).result;
}

/** How many payments in the chain's coin the contract has received from Alice. */
async function countPayments(): Promise<number> {
  const { address } = alice();
  const latest = Number(await callChain("eth_blockNumber"));
  let count = 0;
  for (let block = 0; block <= latest; block++) {
    const { transactions } = (await callChain("eth_getBlockByNumber", `0x${block.toString(16)}`, true)) as {
      transactions: { from: string; to: string | null; value: string }[];
    };
    const contract = app.devnet.chain?.network.contract.toLowerCase();
    count += transactions.filter(
      ({ from, to, value }) => from === address.toLowerCase() && to === contract && BigInt(value) > 0n,
    ).length;
  }
  return count;
}

/** The texts of the account's files, by name; every one of them was decrypted. */
async function readStored(names: readonly string[]): Promise<Map<string, string[]>> {
  const { endpoints } = app.devnet;
  const texts = new Map<string, string[]>();
  const { byName } = await readStoredFiles(app);
  for (const [name, cids] of byName) {
    if (!names.includes(name)) continue;
    for (const cid of cids) {
      const bytes = await decrypt(cid, { signer: alice(), endpoints, pauseMs: 0, retryMs: 0 });
      texts.set(name, [...(texts.get(name) ?? []), new TextDecoder().decode(bytes)]);
    }
  }
  return texts;
}

const button = (name: string | RegExp) => rig.page().getByRole("button", { name });
const isShown = (locator: Locator) => locator.first().isVisible();

/** After a start the session is there, but its wallet may not be: a payment asks for it. */
const askedWallet = () =>
  rig
    .page()
    .getByRole("dialog")
    .getByRole("button", { name: /Harbour Wallet/ });

/** Resumes what is offered, as a person would, until nothing is left. Returns how many operations were offered. */
async function resumeOffered(paths: readonly string[]): Promise<number> {
  const page = rig.page();
  const rows = page.locator(".interrupted .upload");
  // The journal is read once the screen is there.
  const isReady = page.locator(".interrupted, .tray-result");
  await isReady
    .first()
    .waitFor({ state: "attached", timeout: 3_000 })
    .catch(() => undefined);
  const offered = await rows.count();
  for (let press = 0; (await rows.count()) > 0; press++) {
    if (press > 400) throw new Error(`still offered: ${await rows.allTextContents()}`);
    if (await isShown(askedWallet())) await askedWallet().click();
    const row = rows.first();
    const [choose, payAgain, resume] = [/^Choose .* again$/, /^Pay again$/, /^Resume /].map((name) =>
      row.getByRole("button", { name }),
    ) as [Locator, Locator, Locator];
    if (await isShown(choose)) {
      const name = /Choose (.*) again/.exec((await choose.getAttribute("aria-label")) ?? "")?.[1] ?? "";
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), choose.click()]);
      await chooser.setFiles(paths.filter((path) => path.endsWith(name)));
    } else if (await isShown(payAgain)) {
      // The wallet has ended all that it was asked, and the chain has no such payment.
      await payAgain.click();
      await page.getByRole("dialog").getByRole("button", { name: "Pay again" }).click();
    } else if (await isShown(resume)) {
      // It may be done, and the row gone, before the click; what stays is pressed again.
      await resume.click({ timeout: 2_000 }).catch(() => undefined);
    }
    await sleep(200);
  }
  return offered;
}

/** How many shards the key nodes have been sent. */
const countShards = () => app.devnet.requests().filter(({ path }) => path.includes("setSharedKey")).length;

/** Kills the browser at a random moment until `longest`, in milliseconds, or while keys are saved, or once all is done. */
async function killUpload(
  round: number,
  longest: number | "saving" | "done",
): Promise<{ ranMs: number; offered: number }> {
  const files = await rig.createFiles(round, FILES);
  const paths = files.map(({ path }) => path);
  const [chooser] = await Promise.all([rig.page().waitForEvent("filechooser"), button("Add files").click()]);
  const startedAt = performance.now();
  const shards = countShards();
  await chooser.setFiles(paths);
  if (longest === "done") await rig.page().getByText(`${FILES} uploads complete`).first().waitFor();
  else if (longest === "saving") await eventually(() => expect(countShards()).toBeGreaterThan(shards));
  else await sleep(Math.random() * longest);
  const ranMs = performance.now() - startedAt;
  const hasRows = typeof longest === "string" || (await rig.page().locator(".tray .upload").count()) > 0;
  await rig.killAndStart();
  await rig.signIn();
  const offered = await resumeOffered(paths);
  // What was not started waits in the tray as what was just added does.
  await rig.page().locator(".upload-running, .upload-waiting").first().waitFor({ state: "detached" });
  // The page stores its drive some seconds after what has changed.
  let stored = await readStored(files.map(({ name }) => name));
  for (let looks = 0; looks < 20 && stored.size < FILES && (hasRows || stored.size > 0); looks++) {
    await sleep(500);
    stored = await readStored(files.map(({ name }) => name));
  }
  for (const [name, texts] of stored) {
    const { text } = files.find((file) => file.name === name) ?? {};
    for (const each of texts) expect(each === text, `${name} of round ${round}`).toBe(true);
  }
  // Killed before their rows were shown, none may be known.
  expect(hasRows ? [FILES] : [0, FILES]).toContain(stored.size);
  return { ranMs, offered };
}

async function killPayment(
  round: number,
  longestMs: number,
): Promise<{ ranMs: number; offered: number; paid: number }> {
  const page = rig.page();
  const before = await countPayments();
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Storage" }).click();
  await page.getByRole("radio", { name: "1 GiB" }).check({ force: true });
  await page.getByLabel("Pay with").selectOption("native");
  await button(/^Pay$/).click();
  await button("Pay now").or(askedWallet()).first().waitFor();
  if (await isShown(askedWallet())) await askedWallet().click();
  const startedAt = performance.now();
  await button("Pay now").click();
  await (Number.isFinite(longestMs)
    ? sleep(Math.random() * longestMs)
    : page.getByText("Paid, storage added").waitFor());
  const ranMs = performance.now() - startedAt;
  await rig.killAndStart();
  await rig.signIn();
  const offered = await resumeOffered([]);
  const paid = (await countPayments()) - before;
  expect(paid, `payments of round ${round}`).toBeLessThanOrEqual(1);
  if (offered > 0) expect(paid, `the resumed payment of round ${round}`).toBe(1);
  return { ranMs, offered, paid };
}

test(`${KILLS} uploads and payments of the app, whose browser is killed, lose no key and pay nothing twice`, async ({
  skip,
}) => {
  if (!app.devnet.chain) skip("no anvil, so no chain to pay on");
  const upload = await killUpload(0, "done");
  const payment = await killPayment(0, Number.POSITIVE_INFINITY);
  expect([upload.offered, payment.offered, payment.paid]).toEqual([0, 0, 1]);
  // Random moments may all be before or after what leaves something to resume.
  const saving = await killUpload(1, "saving");
  expect(saving.offered).toBeGreaterThan(0);
  let [uploads, payments, paid] = [1, 0, 0];
  for (let round = 2; round <= KILLS; round++) {
    if (round % 2 === 1) uploads += (await killUpload(round, upload.ranMs)).offered > 0 ? 1 : 0;
    else {
      const outcome = await killPayment(round, payment.ranMs);
      payments += outcome.offered > 0 ? 1 : 0;
      paid += outcome.paid;
    }
  }
  console.log(`${KILLS} kills: ${uploads} uploads and ${payments} payments were offered again, ${paid} payments made`);
}, 7_200_000);
