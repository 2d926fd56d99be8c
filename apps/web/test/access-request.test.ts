import { getAddress } from "ethers";
import { expect, test } from "vitest";
import { formatAccessRequest, MAX_REQUEST_NOTE, parseAccessRequest } from "../src/requests/access-request.ts";

const cid = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq";
const from = "0x742d35cc6634c0532925a3b844bc454e4438f44e";
const spelled = getAddress(from);
const solana = "7v91N7iZ9mNicL8WfG6cgSCKyRXydQjLh6UYBWwm6y1Q";
const link = (query: string, id = cid) => `#/request/${id}?${query}`;

test("a request is read as it was written, with the checksum of its address, and has nothing else in it", () => {
  for (const request of [
    { cid, from, note: "" },
    { cid, from: solana, note: "It’s me, Bob (from Bonn): 100% & more? <b>#1</b>" },
    { cid: "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG", from, note: "はい 👩‍👩‍👧 مرحبا" },
  ])
    expect(parseAccessRequest(formatAccessRequest(request))).toEqual(request);
  expect(formatAccessRequest({ cid, from, note: "" })).toBe(`#/request/${cid}?from=${spelled}`);
  // A messenger takes all of it for the link.
  expect(formatAccessRequest({ cid, from, note: "a (b) c. d!" })).toMatch(/^[\w#/?=&%+.-]+$/);
});

test("an address that was mistyped, cut or has no checksum is refused, and so is a content id that is none", () => {
  const wrong = spelled.replace(/[a-f]/, (digit) => digit.toUpperCase());
  for (const address of [wrong, from, spelled.toUpperCase(), spelled.slice(0, -1), "bob.eth", "", `${spelled} `])
    expect(parseAccessRequest(link(`from=${encodeURIComponent(address)}`)), address).toBeUndefined();
  const zero = link(`from=0x${"0".repeat(40)}`);
  expect(parseAccessRequest(zero), "the address that nobody has").toBeUndefined();
  for (const id of ["", "file", cid.slice(0, -2), `${cid}/people`, "../../files", "__proto__"])
    expect(parseAccessRequest(link(`from=${spelled}`, id)), id).toBeUndefined();
  expect(() => formatAccessRequest({ cid: "file", from, note: "" })).toThrow();
  expect(() => formatAccessRequest({ cid, from: "bob.eth", note: "" })).toThrow();
});

test("what is not a request, has a field twice, or is too long is refused", () => {
  const good = link(`from=${spelled}&note=hello`);
  expect(parseAccessRequest(good)).toMatchObject({ note: "hello" });
  for (const fragment of [
    "",
    "#/files",
    `#/file/${cid}/people`,
    `#/request/${cid}`,
    link("note=hello"),
    `${good}&from=${solana}`,
    `${good}&note=another`,
    `${good}?from=${solana}`,
    `${good}${"a".repeat(3_000)}`,
  ])
    expect(parseAccessRequest(fragment), fragment.slice(0, 100)).toBeUndefined();
  // What a messenger may add.
  expect(parseAccessRequest(`${good}&utm_source=chat`)).toMatchObject({ cid, from, note: "hello" });
});

test("a note is one short line in which everything is seen, and in the order in which it is written", () => {
  const read = (note: string) => parseAccessRequest(link(`from=${spelled}&${new URLSearchParams({ note })}`))?.note;
  expect(read("  Hello\r\n\n\tAlice  ")).toBe("Hello Alice");
  expect(read("pay \u202Ecilam\u202C, \u2066x\u2069, \u200B\u0000\u009F.")).toBe(
    "pay \uFFFDcilam\uFFFD, \uFFFDx\uFFFD, \uFFFD\uFFFD\uFFFD.",
  );
  // Fillers and tags, which would hide more than is seen; emoji have some of these characters.
  for (const unseen of ["\u3164", "\u2800", "\u00AD", "\uFFA0", "\u115F", "\u{E0041}"])
    expect(read(`a${unseen}b`), unseen.codePointAt(0)?.toString(16)).toBe("a\uFFFDb");
  const wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}";
  expect(read(`❤️ 👩‍👩‍👧 ${wales}`)).toBe(`❤️ 👩‍👩‍👧 ${wales}`);
  expect(read("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>");
  // Marks of one letter that would be drawn over the lines around it.
  expect(read(`x${"\u0354".repeat(50)}y`)?.length).toBeLessThanOrEqual(5);
  expect(Array.from(read("n".repeat(MAX_REQUEST_NOTE)) ?? "")).toHaveLength(MAX_REQUEST_NOTE);
  const cut = Array.from(read("👋".repeat(MAX_REQUEST_NOTE + 1)) ?? "");
  expect([cut.length, cut.at(-1)]).toEqual([MAX_REQUEST_NOTE, "…"]);
  expect(parseAccessRequest(link(`from=${spelled}&note=%E0%A4%A`))?.note).not.toContain("\u0000");
});
