import { expect, test } from "vitest";
import { de } from "../src/messages/de.ts";

/** The source of each text, by its place in the catalogue: those that depend on something are functions. */
function listTexts(value: unknown, place = ""): string[] {
  if (typeof value !== "object" || value === null) return [`${place}: ${String(value)}`];
  return Object.entries(value).flatMap(([name, each]) => listTexts(each, `${place}.${name}`));
}

test("German texts address nobody by du, and have one word for the network and for the kit", () => {
  const found = listTexts(de).filter((text) => /\b(du|dir|dich|dein\w*|netzwerk\w*|das Kit)\b/i.test(text));
  expect(found).toEqual([]);
});
