import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { eventually } from "../../../test/support/eventually.ts";
import { writeTree } from "../../../test/support/files.ts";
import { finish, rigForTests } from "./rig.ts";

const rig = rigForTests({ chain: true });

async function call(method: string, params: readonly unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const response = await fetch(rig().devnet.chain?.rpc ?? "", { method: "POST", body, headers });
  return ((await response.json()) as { result: unknown }).result;
}

test("a payment that resume cannot complete is reported with its order, and the command that tries again", async () => {
  const person = await rig().createPerson();
  await call("evm_setAutomine", [false]);
  const order = ["--size", "5000000", "--token", "usdc", "--network", "devnet", "--order", "2025-01", "--yes"];
  const child = person.start(["pay", ...order]);
  let stderr = "";
  child.stderr?.on("data", (text) => (stderr += text));
  const ended = finish(child);
  await eventually(() => expect(stderr).toMatch(/0x[0-9a-f]{64}/));
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  const resume = /To continue: (keeplight resume [0-9a-f]{32})/.exec(stderr)?.[1] ?? "";
  const [, ...args] = resume.split(" ");
  const env = { KEEPLIGHT_PRIVATE_KEY: Wallet.createRandom().privateKey };
  const [item] = await person.events(args, { env, code: 2 });
  expect(item).toMatchObject({ id: args[1], kind: "payment", names: ["2025-01"], outcome: "failed", resume });
  const seen = await person.run(args, { env });
  expect(seen.stderr).toContain("payment of order 2025-01 is still open: ");
  await call("evm_setAutomine", [true]);
  const [completed] = await person.events(args);
  expect(completed).toMatchObject({ id: args[1], names: ["2025-01"], outcome: "completed" });
});

test("only the payment with that id is completed", async () => {
  const person = await rig().createPerson();
  await call("evm_setAutomine", [false]);
  const ids: string[] = [];
  for (const order of ["first", "second"]) {
    const child = person.start([
      "pay",
      "--size",
      "5000000",
      "--token",
      "native",
      "--network",
      "devnet",
      "--order",
      order,
      "--yes",
    ]);
    let stderr = "";
    child.stderr?.on("data", (text) => (stderr += text));
    const ended = finish(child);
    await eventually(() => expect(stderr).toMatch(/0x[0-9a-f]{64}/));
    child.kill("SIGINT");
    await ended;
    ids.push(/keeplight resume ([0-9a-f]{32})/.exec(stderr)?.[1] ?? "");
  }
  await call("evm_setAutomine", [true]);
  const [first = "", second = ""] = ids;
  const [item, result] = await person.events(["resume", second]);
  expect(item).toMatchObject({ id: second, names: ["second"], outcome: "completed" });
  expect(result).toMatchObject({ completed: 1, open: 1 });
  expect((await person.events(["resume", first]))[0]).toMatchObject({ id: first, outcome: "completed" });
});

test("a payment costs at most what was agreed to, though the price of the coin changes before it is made", async () => {
  const person = await rig().createPerson();
  const { faults } = rig().devnet;
  const getBalance = () => call("eth_getBalance", [person.address, "latest"]);
  const before = await getBalance();
  const action = { kind: "respond", status: 200, text: "0.0001" } as const;
  const pay = ["pay", "--size", "5000000", "--token", "native", "--network", "devnet"];
  await writeTree(person.cwd, { "data/a.txt": "a" });
  await person.events(["bulk", "plan", "data"]);
  for (const args of [pay, ["bulk", "pay", "data.plan", "--token", "native", "--network", "devnet"]]) {
    // The estimate fetches the price first.
    const release = faults.add({ service: "api", path: "/api/lighthouse/get_ticker", after: 1, action });
    const events = await person.events([...args, "--yes"], { code: 1 });
    release();
    expect(events.at(-1)).toMatchObject({ event: "error", code: "PAYMENT_ABOVE_LIMIT" });
  }
  expect(await getBalance()).toBe(before);
  const { output } = await person.terminal(pay, { steps: [{ wait: "before fees", send: "n" }] });
  expect(output).toContain(", at most 0.");
});

test("whoever discards a payment is told that it may still be made, and has to agree", async () => {
  const person = await rig().createPerson();
  await call("evm_setAutomine", [false]);
  const order = ["--size", "5000000", "--token", "native", "--network", "devnet", "--order", "third", "--yes"];
  const child = person.start(["pay", ...order]);
  let stderr = "";
  child.stderr?.on("data", (text) => (stderr += text));
  const ended = finish(child);
  await eventually(() => expect(stderr).toMatch(/0x[0-9a-f]{64}/));
  child.kill("SIGINT");
  await ended;
  const [open] = await person.events(["resume", "--list"]);
  const id = String(open?.["id"]);
  const steps = [{ wait: "Discard third?", send: "n" }];
  const { output } = await person.terminal(["resume", id, "--discard"], { columns: 200, steps });
  expect(output).toContain("may still pay");
  expect(output).not.toContain("keys of files");
  expect(output).toContain("Nothing was done");
  await call("evm_setAutomine", [true]);
  expect((await person.events(["resume", id]))[0]).toMatchObject({ id, outcome: "completed" });
});
