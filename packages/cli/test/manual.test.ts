import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createManual } from "../src/generate/manual.ts";
import { groups } from "../src/table/index.ts";
import { listOptions } from "../src/table/spec.ts";
import type { CliEvent } from "./rig.ts";
import { findUndocumented, isValidEvent } from "./schema.ts";

const commands = groups.flatMap((group) => group.commands);

test("docs/command-line.md is what the table of commands generates", () => {
  const page = readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8");
  expect(page, "npm run docs:cli writes it again").toBe(createManual("markdown"));
});

test("the manual describes every command and every option", () => {
  const manual = createManual("man").replaceAll("\\-", "-");
  expect(commands.length).toBeGreaterThan(25);
  for (const spec of commands) {
    expect(manual).toContain(`.SS "keeplight ${spec.name} [options]`);
    for (const { flags } of listOptions(spec)) expect(manual).toContain(`.B ${flags}\n`);
  }
});

test("the JSON Schema of the events refuses what a command does not print", () => {
  const event = { version: 1, command: "balance", event: "result" };
  const fields = { dataLimit: 1, dataUsed: 1, dataLeft: 0 };
  expect(findUndocumented("balance", [{ ...event, ...fields }] as CliEvent[])).toEqual([]);
  const error = { code: "X", message: "x", details: {}, exitCode: 1 };
  for (const wrong of [
    event,
    { ...event, ...fields, version: 2 },
    { ...event, ...fields, command: "none" },
    { ...event, event: "item" },
    { ...event, ...error, event: "error", exitCode: "1" },
  ]) {
    expect(isValidEvent(wrong), JSON.stringify(wrong)).toBe(false);
  }
});

test("every command has code", async () => {
  for (const { name, load } of commands) expect(await load(), name).toBeTypeOf("function");
});

test("every command that writes has --dry-run, and no option takes a secret", () => {
  const flags = (name: string) => listOptions(commands.find((each) => each.name === name) ?? fail(name));
  const writing = commands.filter(({ writes }) => writes !== undefined);
  for (const { name } of writing) expect(flags(name).map((option) => option.flags)).toContain("--dry-run");
  const secret = /<[^>]*(secret|password|passphrase|private|api-key|token)[^>]*>/i;
  const taking = commands.flatMap((spec) => listOptions(spec)).filter((option) => secret.test(option.flags));
  // The token that a payment is made with is a currency.
  expect(new Set(taking.map((option) => option.flags))).toEqual(new Set(["--token <token>"]));
});

function fail(name: string): never {
  throw new Error(`there is no command ${name}`);
}
