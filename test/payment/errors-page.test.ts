import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Attempt, type Entry, fold, next, type Sight, type State } from "../../src/payment/machine.ts";
import { errorCodes } from "../support/error-codes.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
// A quote and a price take a source, whose errors no payment has.
const notPayments = ["quote.ts", "storage-price.ts"];
const readAll = (folder: string) => {
  const files = readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts") && !notPayments.includes(file));
  return sources.map((file) => read(`${folder}${file}`));
};
const captured = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = ""]) => found);

const page = read("docs/payment-errors.md");
const getSection = (title: string) => page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
const rows = captured(page, /^\| (`.*) \|$/gm).map((row) => row.split(" | "));
const documented = rows.flatMap(([codes = ""]) => captured(codes, /`([A-Z_]+)`/g));

test("every code on the page is one of the kit's", () => {
  expect(documented.length).toBeGreaterThan(25);
  expect(documented.filter((code) => !errorCodes.includes(code))).toEqual([]);
});

test("every code that a payment can end with is on the page", () => {
  const ofPayments = captured(
    [...readAll("src/payment/"), read("src/base/errors/payment.ts"), read("src/base/config/resolve-network.ts")].join(),
    /"([A-Z_]{5,})"/g,
  );
  const promised = [...readAll("src/payment/"), ...readAll("src/network/ethereum/")].flatMap((text) =>
    captured(text, /`([A-Z_]{5,})`/g),
  );
  expect([ofPayments.length > 15, promised.length > 40]).toEqual([true, true]);
  const required = new Set([...ofPayments, ...promised].filter((code) => errorCodes.includes(code)));
  expect([...required].filter((code) => !documented.includes(code))).toEqual([]);
});

test("messages are on the page as they are thrown", () => {
  const thrown = [...readAll("src/base/"), ...readAll("src/payment/")].flatMap((text) =>
    Array.from(text.matchAll(/KeeplightError\(\s*"([A-Z_]+)",\s*["`]([^"`]+)["`]/g), ([, code, message = ""]) => {
      const parts = message.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.()?]/g, "\\$&"));
      return { code, message: new RegExp(`^${parts.join(".+")}$`) };
    }),
  );
  const before = getSection("Before anything is signed");
  const quoted = captured(before, /^\| (`.*) \|$/gm).map((row) => row.split(" | "));
  expect(quoted.length).toBeGreaterThan(15);
  for (const [codes = "", message = ""] of quoted.filter((row) => row.length === 3)) {
    const [code] = captured(codes, /`([A-Z_]+)`/g);
    const matching = thrown.filter((error) => error.code === code && error.message.test(message));
    expect(matching, `${code}: ${message}`).not.toEqual([]);
  }
});

test("every row about an error says what to do", () => {
  const withErrors = rows.filter(([codes = ""]) => /^(`[A-Z_]+`(, | …)?)+$/.test(codes));
  expect(withErrors.length).toBeGreaterThan(40);
  // A cell may be empty between the others.
  const cells = withErrors.map((row) => row.join(" | ").split(/ ?\| ?/));
  expect(cells.filter((row) => row.length < 3 || row.at(-1)?.trim() === "")).toEqual([]);
});

describe("the codes that a call promises are in the section about it:", () => {
  const promisesOf = (file: string) => {
    const [, promises = ""] = /@throws (.*?)\n \*(?:\n|\/)/s.exec(read(`src/payment/${file}`)) ?? [];
    return promises;
  };
  const [beforeSigning = "", rest = ""] = promisesOf("pay.ts").split("Once a transaction is signed");
  const [onceSigned = "", onceMined = ""] = rest.split("Once the transaction is mined");
  const sections: [title: string, promises: string][] = [
    ["Before anything is signed", beforeSigning],
    ["Before anything is signed", promisesOf("estimate-payment.ts")],
    ["Once a transaction was sent", onceSigned],
    ["When the transaction is mined", onceMined],
    ["When a server verifies a payment", promisesOf("receipts/verify-payment.ts")],
    ["When a server verifies a payment", promisesOf("receipts/list-payments.ts")],
    ["When a payment is to be credited", promisesOf("../storage/account/wait-for-credit.ts")],
  ];
  // Of invalid input, which the first section explains for all of them.
  const ofInput = ["INVALID_OPTION", "INVALID_ADDRESS", "UNSUPPORTED_NETWORK", "TOKEN_NOT_SUPPORTED"];

  test.each(sections)("%s", (title, promises) => {
    const section = getSection(title);
    const promised = captured(promises, /`([A-Z_]{5,})`/g);
    expect(promised.length).toBeGreaterThan(1);
    const missing = promised.filter((code) => !section.includes(`\`${code}\``));
    expect(missing.filter((code) => !ofInput.includes(code))).toEqual([]);
  });
});

describe("the states of a payment", () => {
  const facts = { to: "", data: "", value: "1", fromBlock: 0, nextNonce: 0, worstCaseFee: "0" };
  const sight: Sight = { isDelivered: true, needs: "pay", confirmations: 1, finality: 64, retryBelow: 0 };
  /** Every entry that may follow: about the last attempt, or with another one if the machine starts it. */
  const listEntries = (state: State): Entry[] => {
    const attempt = Math.max(state.length - 1, 0);
    const signed = { type: "signed", step: "pay", nonce: 1, hash: "0x01", raw: "0x02", ...facts } as const;
    const asked = { type: "asked", step: "pay", ...facts } as const;
    const command = next(state, sight);
    const started: Entry[] =
      command.do === "start" ? [signed, asked].map((entry) => ({ ...entry, attempt: command.attempt })) : [];
    const last = state.at(-1);
    if (last?.end === "given-up") return [...started, { type: "answered", attempt, hash: "0x03" }];
    if (last?.end === "succeeded") return [{ type: "reopened", attempt }];
    if (last === undefined || last.end !== undefined) return started;
    if (last.failure) {
      const silent: Entry = { type: "refused", attempt };
      return [{ type: "answered", attempt, hash: "0x03" }, silent, { type: "given-up", attempt }];
    }
    const outcomes = ["succeeded", "reverted", "displaced"] as const;
    return [
      { ...signed, attempt },
      { type: "cancelling", attempt, hash: "0x04", raw: "0x05", worstCaseFee: "0" },
      { type: "answered", attempt, hash: "0x03" },
      { type: "failed", attempt, failure: "unknown", block: 0 },
      { type: "refused", attempt },
      { type: "given-up", attempt },
      ...outcomes.map((outcome): Entry => ({ type: "final", attempt, outcome, hash: "0x01" })),
    ];
  };
  const nameState = (last: Attempt | undefined) =>
    last ? (last.end ?? (last.failure ? "failed" : "open")) : "ordered";

  /** The transitions of the machine, from a new order on. */
  function listTransitions(): Set<string> {
    const transitions = new Set<string>();
    const histories: Entry[][] = [[]];
    for (const history of histories) {
      const state = fold(history);
      const from = nameState(state.at(-1));
      if (next(state, { ...sight, isPaid: true }).do === "finish") transitions.add(`${from} --> [*]`);
      for (const entry of listEntries(state)) {
        const transition = `${from} --> ${nameState(fold([...history, entry]).at(-1))}`;
        if (!transitions.has(transition)) histories.push([...history, entry]);
        transitions.add(transition);
      }
    }
    return transitions;
  }

  test("and what follows them are drawn as the machine decides", () => {
    const [, diagram = ""] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
    const drawn = captured(diagram.replaceAll("given_up", "given-up"), /^ +(\S+ --> [^\s:]+)/gm);
    expect(drawn.length).toBe(new Set(drawn).size);
    expect(drawn.sort()).toEqual(["[*] --> ordered", ...listTransitions()].sort());
  });

  test("have a row each", () => {
    const states = captured(page, /^\| `([a-z-]+)` \|/gm);
    const known = new Set([...listTransitions()].map((transition) => transition.split(" ")[0]));
    expect(states.sort()).toEqual([...known].sort());
  });
});
