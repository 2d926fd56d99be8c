import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rigForTests } from "./rig.ts";

const rig = rigForTests();

const row = {
  symbol: "ETH",
  decimals: 18,
  rpc: "http://127.0.0.1:8545",
  scan: "",
  chain_id: 31337,
  contract: "0x1111111111111111111111111111111111111111",
  tokens: { usdc: { address: "0x2222222222222222222222222222222222222222", decimals: 6 } },
};
const SECRET = "sec-ret";

test.each([
  [{ networks: [] }, "networks", "an object of networks by name"],
  [{ networks: { mine: null } }, "networks.mine", "an object, such as a row of keeplight's `networks`"],
  [{ networks: { mine: { ...row, rpc: SECRET } } }, "networks.mine.rpc", "an http or https URL"],
  [{ networks: { mine: { ...row, moreRpcs: [row.rpc, 5] } } }, "networks.mine.moreRpcs.1", "an http or https URL"],
  [{ networks: { mine: { ...row, chain_id: "31337" } } }, "networks.mine.chain_id", "a whole number from 1 on"],
  [{ networks: { mine: { ...row, decimals: 1.5 } } }, "networks.mine.decimals", "a whole number from 0 to 77"],
  [{ networks: { mine: { ...row, contract: "0x1" } } }, "networks.mine.contract", "an EVM address"],
  [{ networks: { mine: { ...row, symbol: undefined } } }, "networks.mine.symbol", "the symbol of the chain's coin"],
  [
    { networks: { mine: { ...row, tokens: { usdc: { address: row.contract, decimals: "6" } } } } },
    "networks.mine.tokens.usdc.decimals",
    "a whole number from 0 to 77",
  ],
  [{ networks: { mine: { ...row, tokens: undefined } } }, "networks.mine.tokens", "an object of usdc, usdt and dai"],
  [{ rpc: "http://127.0.0.1:8545" }, "rpc", "an object of http or https URLs by the name of the chain"],
  [{ rpc: { Polygon: `ftp://${SECRET}@host` } }, "rpc.Polygon", "an http or https URL"],
  [{ pauseMs: -1 }, "pauseMs", "a number of milliseconds from 0 on"],
  [{ keystore: 5 }, "keystore", "a path"],
])("the configuration %j is refused at the start of any command", async (config, field, expected) => {
  const person = await rig().createPerson();
  const path = join(person.cwd, "config.json");
  await writeFile(path, JSON.stringify(config));
  const env = { KEEPLIGHT_CONFIG: path };
  const { code, stdout, stderr } = await person.run(["whoami", "--json"], { env });
  const event = JSON.parse(stdout);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(event).toMatchObject({ event: "error", code: "INVALID_CONFIG", exitCode: 1 });
  expect(event.message).toContain(path);
  expect(event.message).toContain(`needs ${expected}`);
  expect(event.message).toMatch(new RegExp(` as ${field.replaceAll(".", "\\.")}$`));
  expect(event.message).not.toContain(SECRET);
  expect(await person.run(["--help"], { env })).toMatchObject({ code: 0, stderr: "" });
});

test("a complete configuration is accepted", async () => {
  const person = await rig().createPerson();
  const path = join(person.cwd, "config.json");
  const networks = { mine: { ...row, moreRpcs: [row.rpc], confirmations: 2, opStack: false } };
  await writeFile(path, JSON.stringify({ networks, rpc: { Polygon: row.rpc }, pauseMs: 0 }));
  expect((await person.run(["whoami"], { env: { KEEPLIGHT_CONFIG: path } })).code).toBe(0);
});

test("a journal whose key is gone is reported with what is missing and what to do", async () => {
  const person = await rig().createPerson();
  await person.events(["resume", "--list"]);
  const folder = join(person.home, ".local/state/keeplight/journal");
  for (const name of ["journal.key", "journal.key.copy"]) await rm(join(folder, name));
  await writeFile(join(person.cwd, "letter.txt"), "private");
  for (const args of [["resume"], ["up", "-e", "letter.txt"]]) {
    const [error] = await person.events(args, { code: 1 });
    expect(error).toMatchObject({
      code: "JOURNAL_KEY_MISSING",
      message: expect.stringContaining(`move ${folder} away`),
    });
  }
});
