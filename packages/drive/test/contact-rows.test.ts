import { expect, test } from "vitest";
import { encodeContact } from "../src/contacts/contact-rows.ts";
import { MAX_CONTACTS, mergeContacts } from "../src/contacts/merge-contacts.ts";
import { chooseBase } from "../src/delta.ts";
import { assertReadable, encodeManifest, parseManifest } from "../src/manifest.ts";
import { mergeAll, mergeStates } from "../src/merge.ts";
import { type ContactFacts, type ContactsState, type DriveState, emptyState, type Register } from "../src/state.ts";
import { createRandom, randomCid, stampAt } from "./random-states.ts";

const random = createRandom(7);
const cid = randomCid(random);
const toAddress = (at: number) => `0x${at.toString(16).padStart(40, "0")}`;
const named = (name: string, stamp = stampAt(1)): Register<ContactFacts | null> => [{ name, note: "" }, stamp];
const removed = (stamp: string): Register<ContactFacts | null> => [null, stamp];
const stateOf = (contacts: ContactsState): DriveState => ({ ...emptyState, contacts });

const manifest = { drive: cid, owner: toAddress(1), number: 1, at: 1, previous: [], history: [] };
const encode = (state: DriveState) => encodeManifest({ ...manifest, state });
const parseRows = (contacts: unknown) => {
  const fields: object = JSON.parse(new TextDecoder().decode(encode(emptyState)));
  return parseManifest(cid, new TextEncoder().encode(JSON.stringify({ ...fields, contacts }))).state;
};

/** Contacts of the addresses from one number on, each changed one millisecond after the one before. */
const createMany = (count: number, from: number): ContactsState =>
  new Map(
    Array.from({ length: count }, (_, at) => [toAddress(from + at), named(`${from + at}`, stampAt(from + at + 1))]),
  );

test("contacts and removed ones are read as they were written, and a list without any has no field for them", () => {
  const solana = "7".repeat(44);
  const contacts = new Map([
    [toAddress(1), [{ name: "Bob / Sales", note: "met in Bonn" }, stampAt(1)] as const],
    [toAddress(2), removed(stampAt(2))],
    [solana, named("Été 👩‍👩‍👧", stampAt(3))],
    [toAddress(4), [{ name: "Dave", note: "", ens: "dave.eth" }, stampAt(4)] as const],
  ]);
  expect(parseManifest(cid, encode(stateOf(contacts))).state).toEqual(stateOf(contacts));
  expect(new TextDecoder().decode(encode(emptyState))).not.toContain("contacts");
  expect(parseManifest(cid, encode(emptyState)).state).toEqual(emptyState);
});

test("malformed contacts, and a second one of an address, are refused", () => {
  const row = [toAddress(10), stampAt(1), "Bob", "met in Bonn"];
  expect(parseRows([row]).contacts?.get(toAddress(10))?.[0]).toEqual({ name: "Bob", note: "met in Bonn" });
  const malformed = [
    "rows",
    {},
    ["row"],
    [row, row],
    // Another spelling of an address would be a second contact of it.
    [row.with(0, toAddress(10).toUpperCase().replace("0X", "0x"))],
    [row.with(0, "0x123")],
    [row.with(0, "__proto__")],
    [row.with(1, "now")],
    [row.with(2, "")],
    [row.with(2, "n".repeat(101))],
    [row.with(2, 5 as never)],
    [row.with(2, null as never)],
    [row.with(3, "n".repeat(1_001))],
    [row.with(3, {} as never)],
    [[...row, ""]],
    [[...row, "e".repeat(256)]],
    [[...row, 5]],
    [[toAddress(10), stampAt(1), null, null, "bob.eth"]],
    [[]],
  ];
  for (const rows of malformed) expect(() => parseRows(rows), JSON.stringify(rows)).toThrow(/is not part of a drive/);
  expect(parseRows([row.with(2, "n".repeat(100)).with(3, "n".repeat(1_000))]).contacts?.size).toBe(1);
});

test("a change that could not be read again is refused", () => {
  const change = (address: string, facts: ContactFacts) => stateOf(new Map([[address, [facts, stampAt(1)]]]));
  expect(() => assertReadable(change(toAddress(1), { name: "Bob", note: "" }))).not.toThrow();
  for (const [address, facts] of [
    ["bob", { name: "Bob", note: "" }],
    [toAddress(1), { name: "n".repeat(101), note: "" }],
    [toAddress(1), { name: "Bob", note: "n".repeat(1_001) }],
    [toAddress(1), { name: "Bob", note: "", ens: "e".repeat(256) }],
  ] as const)
    expect(() => assertReadable(change(address, facts))).toThrow("malformed");
});

test("of two devices the later name of an address stays, and one that was removed does not come back", () => {
  const phone = new Map([
    [toAddress(1), named("Bob", stampAt(1))],
    [toAddress(2), removed(stampAt(4))],
  ]);
  const laptop = new Map([
    [toAddress(1), named("Bob of Bonn", stampAt(3))],
    [toAddress(2), named("Carol", stampAt(2))],
    [toAddress(3), named("Dave", stampAt(2))],
  ]);
  const expected = { ...Object.fromEntries(laptop), [toAddress(2)]: removed(stampAt(4)) };
  for (const merged of [mergeContacts(phone, laptop), mergeContacts(laptop, phone)])
    expect(Object.fromEntries(merged ?? [])).toEqual(expected);
  const again = mergeAll([stateOf(laptop), emptyState, stateOf(phone)]);
  expect(Object.fromEntries(again.contacts ?? [])).toEqual(expected);
});

test("merging what is known already returns the same object", () => {
  const known = stateOf(new Map([[toAddress(1), named("Bob", stampAt(2))]]));
  for (const other of [emptyState, known, stateOf(new Map([[toAddress(1), named("Old", stampAt(1))]]))]) {
    expect(mergeStates(known, other)).toBe(known);
  }
  expect(mergeStates(emptyState, stateOf(new Map()))).toBe(emptyState);
});

test("devices that have more contacts together than a drive does keep those that were changed last, in any order", () => {
  const [old, recent] = [createMany(6_000, 0), createMany(6_000, 6_000)];
  const merged = mergeContacts(old, recent);
  expect(merged?.size).toBe(MAX_CONTACTS);
  expect(merged?.has(toAddress(1_999))).toBe(false);
  expect(merged?.has(toAddress(2_000))).toBe(true);
  const sorted = (state: ContactsState | undefined) => [...(state ?? [])].map(encodeContact).sort();
  expect(sorted(mergeContacts(recent, old))).toEqual(sorted(merged));
  // What was dropped is nothing new, and does not come back with a third device.
  expect(mergeContacts(merged, old)).toBe(merged);
  const third = createMany(1_000, 12_000);
  expect(sorted(mergeContacts(mergeContacts(old, third), recent))).toEqual(sorted(mergeContacts(merged, third)));
  expect(() => parseManifest(cid, encode(stateOf(merged ?? new Map())))).not.toThrow();
});

test("a version builds on another one only if few contacts have changed", () => {
  const state = stateOf(createMany(8, 0));
  const base = { cid, number: 1, state };
  expect(chooseBase(base, stateOf(createMany(2, 0)), state, 2)).toBe(base);
  expect(chooseBase(base, stateOf(createMany(3, 0)), state, 2)).toBeUndefined();
});

test("a list of more contacts than a drive has is refused before it is kept", () => {
  const rows = Array.from(createMany(MAX_CONTACTS + 1, 0), encodeContact);
  expect(() => parseRows(rows)).toThrow(/list of contacts/);
  expect(parseRows(rows.slice(1)).contacts?.size).toBe(MAX_CONTACTS);
});
