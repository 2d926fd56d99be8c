import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { id, Wallet } from "ethers";
import { beforeEach, expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { openDriveOf } from "./drive-of.ts";
import { finish, type Person, rigForTests } from "./rig.ts";
import { findUndocumented } from "./schema.ts";

// `up --pay-per-upload`, and how it is completed. Payments are counted on the chain.

const rig = rigForTests({ chain: true, x402: { honours: true } });
const network = ["--network", "devnet"];
let person: Person;
let before: number;

beforeEach(async () => {
  person = await rig().createPerson();
  await writeFile(join(person.cwd, "photo.jpg"), crypto.getRandomValues(new Uint8Array(40_000)));
  before = await count();
  return () => rig().devnet.faults.clear();
});

/** Counts the payments of this test. */
const countPayments = async () => (await count()) - before;

async function count(): Promise<number> {
  const { rpc = "", uploadNetwork } = rig().devnet.chain ?? {};
  const filter = { address: uploadNetwork?.usdc, topics: [id("AuthorizationUsed(address,bytes32)")], fromBlock: "0x0" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] });
  const response = await fetch(rpc, { method: "POST", body, headers: { "content-type": "application/json" } });
  return ((await response.json()) as { result: unknown[] }).result.length;
}

/** How many uploads the service was asked for, whether they were paid for or not. */
const countRequests = () =>
  rig()
    .devnet.requests()
    .filter(({ service, method, path }) => service === "x402" && method === "POST" && path === "/api/upload").length;

/** The file is paid, the service fails, and the command is killed while it looks for what came of it. */
async function killAfterPayment(args: readonly string[]): Promise<void> {
  const action = { kind: "settle", how: "early-and-fail" } as const;
  rig().devnet.faults.add({ service: "x402", method: "POST", path: /^\/api\/upload$/, times: 1, action });
  const child = person.start(args);
  const ended = finish(child);
  await eventually(async () => expect(await countPayments()).toBe(1));
  child.kill("SIGKILL");
  expect((await ended).code).toBeNull();
}

test.each([
  [[], ""],
  [["-e", "--visible-names"], ""],
  [["-e"], undefined],
])("one file is paid for by itself, also without an API key: %j", async (how, apiKey) => {
  const env = { KEEPLIGHT_API_KEY: apiKey ?? person.apiKey };
  const events = await person.events(["up", ...how, "photo.jpg", "--pay-per-upload", "2.50", ...network], { env });
  expect(findUndocumented("up", events)).toEqual([]);
  const item = events.find(({ event }) => event === "item");
  const receipt = item?.["receipt"] as Record<string, unknown>;
  expect(receipt).toMatchObject({ payer: person.address.toLowerCase(), amount: expect.stringMatching(/^[1-9]\d*$/) });
  expect(receipt).toMatchObject({ id: expect.any(String), transaction: expect.stringMatching(/^0x/) });
  expect(receipt["expiresAt"]).toBeGreaterThan(Date.now());
  expect(await countPayments()).toBe(1);
  const open = how.length > 0 ? "decrypt" : "get";
  const opened = await person.run([open, String(item?.["cid"]), "-o", "back.jpg"], { env });
  expect(opened.code, opened.stderr).toBe(0);
});

test("without an API key no drive has the name: nothing is signed or sent before that is decided", async () => {
  const asked = countRequests();
  const env = { KEEPLIGHT_API_KEY: "", KEEPLIGHT_SIGNER_COMMAND: "touch signed; false", KEEPLIGHT_PRIVATE_KEY: "" };
  for (const more of [[], ["--dry-run"]]) {
    const args = ["up", "-e", "photo.jpg", "--pay-per-upload", "2.5", ...network, ...more];
    const { code, stderr } = await person.run(args, { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/NO_API_KEY[\s\S]*--visible-names/) });
  }
  expect(await readdir(person.cwd)).toEqual(["photo.jpg"]);
  expect([await countPayments(), countRequests() - asked]).toEqual([0, 0]);
});

test("the price is stated before the payment; the same command again pays nothing", async () => {
  const args = ["up", "photo.jpg", "--pay-per-upload", "2.5", ...network];
  const first = await person.run(args);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toMatch(/Price: 0\.\d+ USDC for 365 days of photo\.jpg \(39\.1 KiB\), paid by 0x/);
  expect(first.stderr).toMatch(
    /Paid 0\.\d+ USDC, stored until 20\d\d-\d\d-\d\d\. Receipt: transaction 0x[0-9a-f]{64}, id /,
  );
  expect(first.stderr.indexOf("Price: ")).toBeLessThan(first.stderr.indexOf("Paid "));
  const second = await person.run(args);
  expect(second.stdout).toBe(first.stdout);
  expect(second.stderr).toContain("Paid before. Receipt: transaction 0x");
  expect(await countPayments()).toBe(1);
});

test("a terminal asks before anything is signed", async () => {
  const args = ["up", "-e", "photo.jpg", "--pay-per-upload", "2.5", ...network];
  const asked = countRequests();
  const declined = await person.terminal(args, { columns: 200, steps: [{ wait: "unless it is paid?", send: "n" }] });
  expect(declined.output).toMatch(/Pay 0\.\d+ USDC for 365 days of photo\.jpg .* from 0x\w{40}, 2\.5 USDC at most/);
  expect(declined.code).toBe(1);
  expect([await countPayments(), countRequests() - asked]).toEqual([0, 0]);
  const agreed = await person.terminal(args, { columns: 200, steps: [{ wait: "unless it is paid?", send: "y" }] });
  expect(agreed.code, agreed.output).toBe(0);
  const unasked = await person.terminal([...args, "--yes"], { columns: 200 });
  expect(unasked.code, unasked.output).toBe(0);
  expect(await countPayments()).toBe(2);
});

test.each([[[]], [["-e"]]])("above the limit nothing is signed or sent: %j", async (how) => {
  const asked = countRequests();
  const env = { KEEPLIGHT_SIGNER_COMMAND: "touch signed; false", KEEPLIGHT_PRIVATE_KEY: "" };
  const args = ["up", ...how, "photo.jpg", "--pay-per-upload", "0.000001", ...network];
  const [error] = await person.events(args, { code: 1, env });
  expect(error).toMatchObject({ event: "error", code: "PAYMENT_ABOVE_LIMIT" });
  expect(error?.["message"]).toMatch(/^The upload costs 0\.\d+ USDC, and --pay-per-upload allows 0\.000001 USDC$/);
  expect(await readdir(person.cwd)).toEqual(["photo.jpg"]);
  expect([await countPayments(), countRequests() - asked]).toEqual([0, 0]);
});

test("a dry run prints the price", async () => {
  const args = ["up", "photo.jpg", "--pay-per-upload", "1", "--dry-run", ...network];
  const events = await person.events(args, { env: { KEEPLIGHT_PRIVATE_KEY: "", KEEPLIGHT_API_KEY: "" } });
  expect(findUndocumented("up", events)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ event: "result", count: 1, price: expect.stringMatching(/^[1-9]\d*$/) });
});

test("only one file is paid for, and only in dollars", async () => {
  const refuse = async (...args: string[]) => (await person.events(["up", ...args], { code: 1 }))[0];
  const oneFile = { code: "USAGE", message: "--pay-per-upload takes one file, by its path" };
  expect(await refuse("photo.jpg", "photo.jpg", "--pay-per-upload", "1")).toMatchObject(oneFile);
  expect(await refuse(".", "--pay-per-upload", "1")).toMatchObject(oneFile);
  expect(await refuse("-", "--pay-per-upload", "1")).toMatchObject(oneFile);
  expect(await refuse("none.jpg", "--pay-per-upload", "1")).toMatchObject({ code: "INVALID_FILE" });
  for (const limit of ["0.0000001", "1,5", "-1", "1e3", "$1", ".5"]) {
    expect(await refuse("photo.jpg", `--pay-per-upload=${limit}`)).toMatchObject({ code: "USAGE" });
  }
  expect(await refuse("photo.jpg", "--network", "devnet")).toMatchObject({ code: "USAGE" });
  expect(await refuse("photo.jpg", "--pay-per-upload", "1", "--wrap", ...network)).toMatchObject({
    code: "INVALID_OPTION",
  });
});

test("an encrypted upload that was killed after its payment is completed by resume, and paid once", async () => {
  await killAfterPayment(["up", "-e", "photo.jpg", "--pay-per-upload", "2.5", ...network]);
  const [other] = await person.events(["resume"], {
    code: 1,
    env: { KEEPLIGHT_SIGNER_COMMAND: "", KEEPLIGHT_PRIVATE_KEY: Wallet.createRandom().privateKey },
  });
  expect(other).toMatchObject({ event: "error", code: "ACCOUNT_MISMATCH" });
  const events = await person.events(["resume"]);
  expect(findUndocumented("resume", events)).toEqual([]);
  const item = events.find(({ event }) => event === "item");
  expect(item).toMatchObject({ kind: "upload", outcome: "completed", receipt: { id: expect.any(String) } });
  expect(await countPayments()).toBe(1);
  const [cid = ""] = (item?.["cids"] ?? []) as string[];
  const opened = await person.run(["decrypt", cid, "-o", "back.jpg"]);
  expect(opened.code, opened.stderr).toBe(0);
  const drive = await openDriveOf(person);
  expect(drive.listAll()).toMatchObject([{ path: "photo.jpg", cid }]);
  await drive.close();
  // It is in the service's account, and not in this one.
  expect((await person.events(["ls"])).map(({ cid }) => cid)).not.toContain(cid);
  expect((await person.events(["resume", "--list"])).at(-1)).toMatchObject({ open: 0 });
});

test("an upload that was killed after its payment is completed by the same command, and paid once", async () => {
  const args = ["up", "photo.jpg", "--pay-per-upload", "2.5", ...network];
  await killAfterPayment(args);
  const { code, stdout, stderr } = await person.run(args);
  expect(code, stderr).toBe(0);
  expect(await countPayments()).toBe(1);
  const opened = await person.run(["get", stdout.split(" ")[0] ?? "", "-o", "back.jpg"]);
  expect(opened.code, opened.stderr).toBe(0);
});

test("what is signed and not stored is incomplete, and the command that completes it is printed", async () => {
  const action = { kind: "settle", how: "early-and-fail" } as const;
  rig().devnet.faults.add({ service: "x402", method: "POST", path: /^\/api\/upload$/, times: 1, action });
  await writeFile(join(person.cwd, "it's mine.txt"), `${Math.random()}`);
  const args = ["up", "it's mine.txt", "--pay-per-upload", "2.5", ...network];
  const error = (await person.events(args, { code: 2 })).at(-1);
  expect(error).toMatchObject({ event: "error", code: "PAID_NOT_STORED", exitCode: 2 });
  expect(error?.["resume"]).toBe(`keeplight up 'it'\\''s mine.txt' --pay-per-upload 2.5 --network devnet --json`);
  await person.events(args);
  expect(await countPayments()).toBe(1);
});
