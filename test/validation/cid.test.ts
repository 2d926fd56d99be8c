import fc from "fast-check";
import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { describe, expect, it, test } from "vitest";
import { checkCid } from "../../src/formats/cid/content-id.ts";

const bases = { base32, base32upper, base58btc, base16, base16upper };
const decoder = base32.decoder.or(base32upper.decoder).or(base58btc.decoder).or(base16.decoder).or(base16upper.decoder);

const SHA2_256 = 0x12;
const v0 = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn";
const v1 = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

function isAccepted(text: unknown): boolean {
  try {
    return [text, String(text).toLowerCase()].includes(checkCid(text));
  } catch (error) {
    expect(error).toMatchObject({ code: "INVALID_CID", message: "Invalid CID" });
    return false;
  }
}

function parses(text: string): boolean {
  const isVersion0 = text.startsWith("Qm") && text.length === 46;
  // Without a prefix that names the base, only version 0 is an id (the CID specification); multiformats takes more.
  if (text.startsWith("Q") && !isVersion0) return false;
  try {
    CID.parse(text, isVersion0 ? undefined : decoder);
    return true;
  } catch {
    return false;
  }
}

/** At the usual lengths only the form matters, as in other clients of the network. */
function hasUsualForm(text: string): boolean {
  const [first, ...rest] = text;
  const digits = (alphabet: string, length: number) =>
    rest.length === length && rest.every((digit) => alphabet.includes(digit));
  switch (first) {
    case "b":
    case "B":
      return digits("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 58);
    case "f":
    case "F":
      return digits("0123456789abcdefABCDEF", 50);
    case "z":
      return digits("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 48);
    default:
      return false;
  }
}

const digests = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Digest.create(SHA2_256, bytes));
const codecs = fc.constantFrom(0x55, 0x70, 0x71, 0x72, 0x0129, 0x0200, 0xf101);
const version1 = fc.record({
  hash: fc.oneof(
    digests,
    fc
      .record({
        code: fc.constantFrom(0x13, 0x16, 0x1b, 0xb220, 0x00),
        bytes: fc.uint8Array({ minLength: 32, maxLength: 64 }),
      })
      .map(({ code, bytes }) => Digest.create(code, bytes)),
  ),
  codec: codecs,
  base: fc.constantFrom<keyof typeof bases>("base32", "base32upper", "base58btc", "base16", "base16upper"),
});
const ids = fc.oneof(
  digests.map((digest) => CID.createV0(digest).toString()),
  version1.map(({ hash, codec, base }) => CID.createV1(codec, hash).toString(bases[base])),
);

describe("agrees with multiformats", () => {
  it("on every CID of version 0, and of version 1 in base32, base58btc and base16", () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(parses(id)).toBe(true);
        expect(isAccepted(id)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("on CIDs of version 1 with a character added, removed or replaced", () => {
    const changed = fc.record({
      id: version1.map(({ hash, codec, base }) => CID.createV1(codec, hash).toString(bases[base])),
      at: fc.nat(),
      kind: fc.constantFrom("more", "less", "other"),
      character: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ \n/"),
    });
    let refused = 0;
    fc.assert(
      fc.property(changed, ({ id, at, kind, character }) => {
        const place = at % id.length;
        const kept = id.slice(0, place);
        const text = `${kept}${kind === "less" ? "" : character}${id.slice(kind === "more" ? place : place + 1)}`;
        expect(isAccepted(text), text).toBe(parses(text) || hasUsualForm(text));
        if (!isAccepted(text)) refused++;
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  it("refuses any string before or after a CID, unless the whole is another CID", () => {
    const around = fc.string({ minLength: 1, maxLength: 80, unit: fc.constantFrom(..."abcdefABCDEFQmz12345670/ \n?") });
    let accepted = 0;
    fc.assert(
      fc.property(ids, around, (id, text) => {
        for (const whole of [`${id}${text}`, `${text}${id}`, `${id}${id}`]) {
          expect(isAccepted(whole), whole).toBe(parses(whole) || hasUsualForm(whole));
          if (isAccepted(whole)) accepted++;
        }
      }),
      { numRuns: 1_000 },
    );
    // One more base58 digit changes every byte before it, and once in a thousand cases they make sense.
    expect(accepted).toBeLessThan(10);
  });
});

test("accepts the CIDs of the empty file and of a folder in every form", () => {
  const raw = CID.parse(v1);
  for (const base of Object.values(bases)) expect(isAccepted(raw.toString(base))).toBe(true);
  expect(isAccepted(v0)).toBe(true);
  expect(isAccepted(CID.parse(v0).toV1().toString())).toBe(true);
});

test.each<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["a number", 5],
  ["an object that prints as one", { toString: () => v1 }],
  ["a list of one", [v1]],
  ["an empty string", ""],
  ["a path of a gateway", `/ipfs/${v1}`],
  ["a URL", `ipfs://${v1}`],
  ["a file in a folder", `${v1}/file.txt`],
  ["a line break after it", `${v1}\n`],
  ["a space before it", ` ${v1}`],
  ["two CIDs", `${v1}${v1}`],
  ["version 0 with 43 characters", v0.slice(0, -1)],
  ["version 0 with 45 characters", `${v0}a`],
  ["version 0 with a 0 in it", v0.replace("U", "0")],
  ["version 0 with an l in it", v0.replace("U", "l")],
  ["version 0 after a multibase prefix", `z${v0}`],
  ["base32 with a digit that base32 does not have", v1.replace("a", "1")],
  ["truncated base32", v1.slice(0, -1)],
  ["base16 with an odd number of digits", `${CID.parse(v1).toString(base16)}0`],
  ["a base that is not listed", `u${v1.slice(1)}`],
  ["an IPNS name", "k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8"],
  ["a megabyte", `z${"2".repeat(1_000_000)}`],
])("%s is not a CID", (_, value) => {
  expect(isAccepted(value)).toBe(false);
});

test.each(Object.keys(bases))("returns a CID in %s in the case that services use", (base) => {
  const encoded = CID.parse(v1).toString(bases[base as keyof typeof bases].encoder as never);
  const expected = base.startsWith("base58") ? encoded : encoded.toLowerCase();
  expect(checkCid(encoded)).toBe(expected);
});
