import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

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
const known = captured(read("src/errors/codes.ts"), /^ {2}([A-Z_]+):/gm);
const rows = captured(page, /^\| (`.*) \|$/gm).map((row) => row.split(" | "));
const documented = rows.flatMap(([codes = ""]) => captured(codes, /`([A-Z_]+)`/g));

test("every code on the page is one of the kit's", () => {
  expect(documented.length).toBeGreaterThan(25);
  expect(documented.filter((code) => !known.includes(code))).toEqual([]);
});

test("every code that a payment can end with is on the page", () => {
  const ofPayments = captured(read("src/errors/payment.ts") + read("src/errors/payment-input.ts"), /"([A-Z_]{5,})"/g);
  const promised = [...readAll("src/payment/"), ...readAll("src/ethereum/")].flatMap((text) =>
    captured(text, /`([A-Z_]{5,})`/g),
  );
  expect([ofPayments.length > 15, promised.length > 40]).toEqual([true, true]);
  const required = new Set([...ofPayments, ...promised].filter((code) => known.includes(code)));
  expect([...required].filter((code) => !documented.includes(code))).toEqual([]);
});

test("messages are on the page as they are thrown", () => {
  const thrown = readAll("src/errors/").flatMap((text) =>
    Array.from(text.matchAll(/KeeplightError\(\s*"([A-Z_]+)",\s*["`]([^"`]+)["`]/g), ([, code, message = ""]) => {
      const parts = message.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.()?]/g, "\\$&"));
      return { code, message: new RegExp(`^${parts.join(".+")}$`) };
    }),
  );
  const [, before = ""] = page.split(/^## .*$/m);
  const quoted = captured(before, /^\| (`.*) \|$/gm).map((row) => row.split(" | "));
  expect(quoted.length).toBeGreaterThan(15);
  for (const [codes = "", message = ""] of quoted.filter((row) => row.length === 3)) {
    const [code] = captured(codes, /`([A-Z_]+)`/g);
    const matching = thrown.filter((error) => error.code === code && error.message.test(message));
    expect(matching, `${code}: ${message}`).not.toEqual([]);
  }
});
