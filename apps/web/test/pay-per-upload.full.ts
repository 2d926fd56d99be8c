import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { id } from "ethers";
import { type Browser, chromium } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chromiumArgs, findChromium } from "../../../test/support/chromium.mjs";
import { eventually } from "../../../test/support/eventually.ts";
import { type RunningApp, startApp } from "./app.ts";
import { openBrowserAs, type Person, wide } from "./person.ts";
import { injectWallet, type TestWallet } from "./test-wallet.ts";

const executablePath = await findChromium();

/** On a disk, so that it is the same file when it is chosen again. */
async function write(name: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "keeplight-paid-")), name);
  await writeFile(path, Buffer.alloc(20_000, name));
  return path;
}

describe.skipIf(!executablePath)("an account without room", () => {
  let app: RunningApp;
  let browser: Browser;
  let alice: Person;
  let wallet: TestWallet;
  let before: number;

  beforeAll(async () => {
    [app, browser] = await Promise.all([
      startApp({ dataLimit: 1_000, x402: { honours: true } }),
      chromium.launch({ executablePath: executablePath ?? "", args: chromiumArgs }),
    ]);
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  beforeEach(async () => {
    before = await countAll();
    alice = await openBrowserAs(browser, app, wide);
    alice.page.setDefaultTimeout(120_000);
    wallet = await injectWallet(alice, app);
    await alice.page.getByRole("button", { name: /Harbour/ }).click();
    await alice.sees("of 1,000 bytes used");
  });
  afterEach(async () => {
    app.devnet.faults.clear();
    expect(alice.complaints).toEqual([]);
    await alice.context.close();
  });

  async function countAll(): Promise<number> {
    const { rpc = "", uploadNetwork } = app.devnet.chain ?? {};
    const topics = [id("AuthorizationUsed(address,bytes32)")];
    const params = [{ address: uploadNetwork?.usdc, topics, fromBlock: "0x0" }];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params });
    const response = await fetch(rpc, { method: "POST", body, headers: { "content-type": "application/json" } });
    return ((await response.json()) as { result: unknown[] }).result.length;
  }
  /** Counts the payments of this test on the chain. */
  const countPayments = async () => (await countAll()) - before;

  const offer = () => alice.page.getByRole("button", { name: /^Pay for the upload of/ });
  const confirm = () => alice.page.getByRole("button", { name: /^Pay \$0\.\d+$/ });
  const choosePublic = () => alice.page.getByRole("radio", { name: "Public" }).check({ force: true });

  test.each(["encrypted", "public"])("pays for one upload: %s", async (privacy) => {
    if (privacy === "public") await choosePublic();
    await alice.choose("Add files", await write(`${privacy}.txt`));
    await alice.sees(/Not enough storage: 20 KiB needed, [\d,]+ bytes left\./);
    await offer().click();
    await alice.sees(/\$0\.\d+ for 20 KiB, stored for 365 days/);
    await alice.inspect(`pay-for-${privacy}`);
    // However often one clicks.
    await confirm().dblclick();
    await alice.sees(/Paid \$0\.\d+ · stored until /);
    expect(await countPayments()).toBe(1);
    expect(wallet.count("eth_signTypedData_v4")).toBe(1);
    await alice.inspect(`paid-${privacy}`);
    await alice.page.getByRole("link", { name: `Open ${privacy}.txt` }).click();
    await expectDownload(`${privacy}.txt`);
  });

  test("loses nothing when the wallet rejects", async () => {
    await alice.choose("Add files", await write("rejected.txt"));
    await offer().click();
    wallet.rejectNext("eth_signTypedData_v4");
    await confirm().click();
    await alice.sees(/Signature rejected/);
    expect(await countPayments()).toBe(0);
    await alice.page.getByRole("button", { name: "Retry" }).click();
    await alice.sees(/Paid \$0\.\d+ · stored until /);
    expect(await countPayments()).toBe(1);
  });

  test("is offered it where the network refuses the upload", async () => {
    await alice.page.route("**/api/user/user_data_usage**", (route) =>
      route.fulfill({ json: { dataLimit: 9_000_000, dataUsed: 0 } }),
    );
    await alice.page.reload();
    await alice.sees("0 bytes of 8.6 MiB used");
    await alice.choose("Add files", await write("refused.txt"));
    await alice.sees(/Not enough storage\. /);
    await offer().click();
    await confirm().click();
    await alice.sees(/Paid \$0\.\d+ · stored until /);
    expect(await alice.page.getByText(/Not enough storage/).count()).toBe(0);
    expect(await countPayments()).toBe(1);
  });

  test.each(["encrypted", "public"])("completes after a reload what was paid, and pays once: %s", async (privacy) => {
    if (privacy === "public") await choosePublic();
    const action = { kind: "settle", how: "early-and-fail" } as const;
    app.devnet.faults.add({ service: "x402", method: "POST", path: /^\/api\/upload$/, times: 1, action });
    const chosen = await write(`reload-${privacy}.txt`);
    await alice.choose("Add files", chosen);
    await offer().click();
    await confirm().click();
    await eventually(async () => expect(await countPayments()).toBe(1));
    await alice.page.reload();
    await alice.sees(/ interrupted/);
    const again = alice.page.getByRole("button", { name: /Resume reload|Choose .* again/ });
    await again.first().waitFor();
    const resume = alice.page.getByRole("button", { name: /^Resume reload/ });
    if (await resume.count()) await resume.click();
    await connectWallet();
    const choose = alice.page.getByRole("button", { name: /^Choose .*again$/ });
    const [chooser] = await Promise.all([alice.page.waitForEvent("filechooser"), choose.click()]);
    await chooser.setFiles(chosen);
    await connectWallet();
    if (privacy === "public") {
      await alice.sees(/Paid \$0\.\d+ · stored until /);
      await alice.page.getByRole("link", { name: /^Open reload/ }).click();
    }
    // The page of what was resumed opens by itself.
    await expectDownload(`reload-${privacy}.txt`);
    expect(await countPayments()).toBe(1);
  });

  /** The page of the file is open. */
  async function expectDownload(name: string): Promise<void> {
    const [download] = await Promise.all([
      alice.page.waitForEvent("download"),
      alice.page.getByRole("button", { name: "Download" }).click(),
    ]);
    expect(await readFile(await download.path())).toEqual(Buffer.alloc(20_000, name));
  }

  /** After a reload the wallet is connected once it has to sign. */
  async function connectWallet(): Promise<void> {
    const dialog = alice.page.getByRole("dialog").getByRole("button", { name: /Harbour/ });
    await dialog.click({ timeout: 2_000 }).catch(() => undefined);
  }
});
