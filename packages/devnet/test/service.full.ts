import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Wallet } from "ethers";
import { expect, test } from "vitest";
import { createApiKey, createKit, decrypt } from "../../../src/index.ts";
import { scratch } from "../../../test/support/files.ts";
import { createClients } from "./killed-clients.ts";
import { type Service, startService } from "./service-rig.ts";

const program = fileURLToPath(new URL("../../../examples/devnet-python/", import.meta.url));

const KILLS = Number(process.env["KILLS"] ?? 6);

/** Runs a part of the example in Python; returns how many tests it ran. */
async function runPython({ control }: Service, part: string): Promise<number> {
  const env = { ...process.env, KEEPLIGHT_DEVNET_URL: control, PYTHONDONTWRITEBYTECODE: "1" };
  const args = ["-m", "unittest", `test_devnet.${part}`];
  // Rejects unless all tests have passed.
  const { stderr } = await promisify(execFile)("python3", args, { cwd: program, env });
  return Number(/^Ran (\d+) tests? in .*\n\nOK\n$/m.exec(stderr)?.[1]);
}

const walletOf = ({ accounts }: Service, n: number) => new Wallet(accounts[n]?.privateKey ?? "");

test("a killed devnet has everything for programs in Python and for the SDK after its restart", async () => {
  const options = { dataDir: await scratch(), accounts: "fixed", control: true };
  const before = await startService(options);
  expect(await runPython(before, "Store")).toBe(3);

  const [owner, friend, stranger] = [walletOf(before, 1), walletOf(before, 2), walletOf(before, 3)];
  const apiKey = await createApiKey({ signer: owner, endpoints: before.endpoints });
  const kit = createKit({ endpoints: before.endpoints, apiKey, signer: owner, pauseMs: 0 });
  const content = randomBytes(600_000);
  const [file] = await kit.uploadEncrypted(new File([content], "film.bin"));
  const cid = file?.Hash ?? "";
  await kit.kavachShare(cid, { shareTo: [friend.address, stranger.address] });
  await kit.kavachRevoke(cid, { revokeTo: stranger.address });
  const name = await kit.ipnsGenerateKey();
  await kit.ipnsPublishRecord({ cid, keyName: name.ipnsName });
  const listed = await kit.listFiles();
  await before.kill();

  const after = await startService(options);
  const { endpoints } = after;
  expect(await runPython(after, "AfterRestart")).toBe(2);
  expect(after.accounts).toEqual(before.accounts);
  for (const signer of [owner, friend]) {
    expect(content.equals(await decrypt(cid, { signer, endpoints, pauseMs: 0 }))).toBe(true);
  }
  await expect(decrypt(cid, { signer: stranger, endpoints, pauseMs: 0 })).rejects.toMatchObject({
    code: "NODE_REFUSED",
  });
  const again = createKit({ endpoints, apiKey, signer: owner, pauseMs: 0 });
  expect(await again.listFiles()).toEqual(listed);
  expect(await again.ipnsListRecords()).toMatchObject([{ ...name, cid }]);
  expect((await fetch(`${endpoints.gateway}/ipns/${name.ipnsId}`)).status).toBe(200);
  // It also takes changes.
  await again.kavachShare(cid, { shareTo: [stranger.address] });
  expect(content.equals(await decrypt(cid, { signer: stranger, endpoints, pauseMs: 0 }))).toBe(true);
});

test("a devnet that is killed at any moment has everything that it has answered", async () => {
  const options = { dataDir: await scratch(), accounts: "fixed", jwtLifetimeSeconds: 86_400 };
  const clients = createClients();
  for (let round = 0; round < KILLS; round++) {
    const service = await startService(options);
    await clients.verify(service);
    let running: Promise<void> | undefined;
    await new Promise<void>((resolve, reject) => {
      running = clients.run(service, randomInt(1, 50), resolve);
      running.catch(reject);
    });
    await setTimeout(randomInt(0, 20));
    await service.kill();
    await running;
  }
  await clients.verify(await startService(options));
  // The rounds were not idle.
  for (const [kind, count] of Object.entries(clients.getCounts())) expect(count, kind).toBeGreaterThan(0);
});

test("another process is refused the folder of a devnet, until that is killed", async () => {
  const options = { dataDir: await scratch() };
  const first = await startService(options);
  const refused = { code: "INVALID_OPTION", message: expect.stringContaining("another devnet uses") };
  for (let times = 0; times < 2; times++) await expect(startService(options)).rejects.toMatchObject(refused);
  await first.kill();
  const [one, other] = await Promise.allSettled([startService(options), startService(options)]);
  expect([one.status, other.status].sort()).toEqual(["fulfilled", "rejected"]);
});
