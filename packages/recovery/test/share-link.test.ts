import { inspect } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { decrypt, uploadTextEncrypted } from "../../../src/index.ts";
import { as } from "../../../test/kavach/saved-keys.ts";
import { account, devnetForTests, getApiKey } from "../../../test/support/devnet-wire.ts";
import { failure } from "../../../test/support/failure.ts";
import { createShareLink, openShareLink } from "../src/index.ts";

const devnet = devnetForTests();
const page = "https://app.example/open?lang=en";
let cid: string;
let link: string;

beforeAll(async () => {
  const apiKey = await getApiKey(devnet(), account(devnet(), 0));
  [{ Hash: cid }] = await uploadTextEncrypted("shared text", { ...as(devnet(), 0), apiKey });
  link = await createShareLink(cid, { ...as(devnet(), 0), page, name: "letter & more.txt" });
});

test("a link opens the file without an owner, and its secret is only in the fragment", async () => {
  const { key, ...shared } = await openShareLink(link);
  expect(shared).toEqual({ cid, name: "letter & more.txt" });
  expect(await openShareLink(new URL(link))).toEqual({ key, ...shared });
  const bytes = await decrypt(cid, { key, endpoints: devnet().endpoints });
  expect(new TextDecoder().decode(bytes)).toBe("shared text");
  const { origin, pathname, search, hash } = new URL(link);
  expect(origin + pathname + search).toBe(page);
  expect(hash).toContain(key);
});

test("a known key requires no owner, and makes the same link", async () => {
  const { key } = await openShareLink(link);
  const before = devnet().requests().length;
  expect(await createShareLink(cid, { key, page: new URL(page), name: "letter & more.txt" })).toBe(link);
  expect(devnet().requests()).toHaveLength(before);
});

test("a link carries how its file was split", async () => {
  const { key } = await openShareLink(link);
  const split = await createShareLink(cid, { key, page, chunkProfile: "0-262144-174" });
  expect(await openShareLink(split)).toEqual({ cid, key, chunkProfile: "0-262144-174" });
  const refused = await failure(createShareLink(cid, { key, page, chunkProfile: "rabin" }));
  expect(refused).toMatchObject({ code: "INVALID_OPTION", details: { option: "chunkProfile" } });
});

const other = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";

describe("a link that was changed", () => {
  const changes: [what: string, change: (link: string) => string, code: string][] = [
    ["another key", (text) => text.replace(/key=[0-9a-f]{4}/, "key=0123"), "COMMITMENT_MISMATCH"],
    ["another content id", (text) => text.replace(/cid=\w+/, `cid=${other}`), "COMMITMENT_MISMATCH"],
    ["another commitment", (text) => text.replace(/commitment=[0-9a-f]{4}/, "commitment=0123"), "COMMITMENT_MISMATCH"],
    ["no fragment", (text) => text.replace(/#.*/, ""), "INVALID_LINK"],
    ["the fragment as query", (text) => text.replace("#", "&"), "INVALID_LINK"],
    ["the key in the query, too", (text) => text.replace("#", `&key=${"0".repeat(64)}#`), "INVALID_LINK"],
    ["a truncated key", (text) => text.replace(/(key=[0-9a-f]{63})[0-9a-f]/, "$1"), "INVALID_LINK"],
    [
      "an upper-case key",
      (text) => text.replace(/key=[0-9a-f]{64}/, (key) => `key=${key.slice(4).toUpperCase()}`),
      "INVALID_LINK",
    ],
    ["no commitment", (text) => text.replace(/&commitment=[0-9a-f]+/, ""), "INVALID_LINK"],
    ["a field twice", (text) => text.replace("#", "#cid=x&"), "INVALID_LINK"],
    ["an unknown field", (text) => `${text}&more=1`, "INVALID_LINK"],
    ["another version", (text) => text.replace("keeplight=1", "keeplight=2"), "INVALID_LINK"],
    ["a malformed content id", (text) => text.replace(/cid=\w+/, "cid=x"), "INVALID_LINK"],
    ["a path as name", (text) => text.replace(/name=.*/, "name=..%2F..%2Fetc"), "INVALID_LINK"],
    ["a name with a line break", (text) => text.replace(/name=.*/, "name=a%0Ab"), "INVALID_LINK"],
    ["a name that turns the direction of text", (text) => text.replace(/name=.*/, "name=a%E2%80%AEb"), "INVALID_LINK"],
    ["a malformed chunk profile", (text) => `${text}&chunkProfile=1-1-1`, "INVALID_LINK"],
    ["too many characters", (text) => `${text}${"a".repeat(9000)}`, "INVALID_LINK"],
  ];
  test.each(changes)("%s is refused, and the error shows no key", async (_, change, code) => {
    const { key } = await openShareLink(link);
    const error = await failure(openShareLink(change(link)));
    expect(error.code).toBe(code);
    expect(inspect(error, { depth: 20, showHidden: true }) + error.stack).not.toContain(key.slice(4));
  });

  test.each([undefined, null, 7, {}, ""])("%j is refused", async (wrong) => {
    expect(await failure(openShareLink(wrong as never))).toMatchObject({ code: "INVALID_LINK" });
  });
});

const UNSAFE_NAMES = [
  "CON",
  "con .txt",
  "nul.txt",
  "x.txt:evil",
  "C:x",
  "..\\x",
  ".bashrc",
  "a.",
  "a ",
  " ",
  "a?",
  "a\u2066b",
];

test.each(UNSAFE_NAMES)("the name %j is refused, in a link and for one", async (name) => {
  const { key } = await openShareLink(link);
  const changed = link.replace(/name=.*/, `name=${encodeURIComponent(name)}`);
  expect(await failure(openShareLink(changed))).toMatchObject({ code: "INVALID_LINK" });
  const error = await failure(createShareLink(cid, { key, page, name }));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "name" } });
});

test.each(["console.log", "a b.txt", "résumé (2).pdf", "\u05d0.txt", "common"])("the name %j is kept", async (name) => {
  const { key } = await openShareLink(link);
  expect((await openShareLink(await createShareLink(cid, { key, page, name }))).name).toBe(name);
});

test.each([
  ["an http page", { page: "http://app.example/" }, "page"],
  ["a page with a fragment", { page: "https://app.example/#top" }, "page"],
  ["a page with a key in its query", { page: "https://app.example/?key=1" }, "page"],
  ["a page with a password", { page: "https://a:b@app.example/" }, "page"],
  ["no page", {}, "page"],
  ["a name with a path", { page, name: "a/b" }, "name"],
  ["a name with a control character", { page, name: "a\u0000" }, "name"],
  ["a long name", { page, name: "a".repeat(256) }, "name"],
])("%s is refused before anything is sent", async (_, wrong, option) => {
  const before = devnet().requests().length;
  const error = await failure(createShareLink(cid, { ...as(devnet(), 0), ...wrong } as never));
  expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
  expect(devnet().requests()).toHaveLength(before);
});

test("a page on this machine may use http", async () => {
  const { key } = await openShareLink(link);
  expect(await createShareLink(cid, { key, page: "http://localhost:5173/" })).toMatch(
    /^http:\/\/localhost:5173\/#keeplight=1&/,
  );
});
