import { createCipheriv, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { sealVersion, unsealVersion } from "../src/seal.ts";

const drive = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const otherDrive = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
const key = { drive, key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" };

const SALT = 16;
const IV = 12;
const TAG = 16;
const HEADER = 1 + SALT + IV;

const encode = (text: string) => new TextEncoder().encode(text);
const count = (from: number, length: number) => Uint8Array.from({ length }, (_, at) => (from + at) % 256);
const plain = encode('{"type":"keeplight drive"}');

/** Seals as docs/drive.md says, by the cryptography of Node. */
function sealByNode(bytes: Uint8Array, salt: Uint8Array, iv: Uint8Array): Buffer {
  const derived = hkdfSync("sha256", Buffer.from(key.key, "hex"), salt, "keeplight drive version", 32);
  const cipher = createCipheriv("aes-256-gcm", new Uint8Array(derived), iv);
  cipher.setAAD(Buffer.from(`keeplight drive 1 ${drive}`));
  const ciphertext = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([Buffer.of(1), salt, iv, ...ciphertext, cipher.getAuthTag()]);
}

const isRefused = (bytes: Uint8Array<ArrayBuffer>, by = key) =>
  expect(unsealVersion(drive, bytes, by)).rejects.toMatchObject({ code: "INVALID_DRIVE", details: { cid: drive } });

test("what was sealed is opened", async () => {
  for (const length of [0, 1, 15, 16, 17, 1_000_000]) {
    const bytes = count(length, length);
    const sealed = await sealVersion(bytes, key);
    expect(sealed).toHaveLength(HEADER + length + TAG);
    expect(Buffer.compare(await unsealVersion(drive, sealed, key), bytes)).toBe(0);
  }
});

test("sealed bytes are those that the description leads to", async () => {
  const nonces = count(0x40, SALT + IV);
  const expected = sealByNode(plain, nonces.subarray(0, SALT), nonces.subarray(SALT));
  expect(Buffer.from(await sealVersion(plain, key, nonces)).toString("hex")).toBe(expected.toString("hex"));
});

test("sealed bytes are those of the published vector", async () => {
  const sealed = await sealVersion(plain, key, count(0x40, SALT + IV));
  expect(Buffer.from(sealed).toString("hex")).toBe(
    "01404142434445464748494a4b4c4d4e4f505152535455565758595a5b12c2106460b1bde06b5feb0349bedeb4cee675bf651a1baf8a0dc511072561a619ad2a5db6ff68adb8f6",
  );
});

test("what another implementation sealed is opened", async () => {
  const sealed = Uint8Array.from(sealByNode(plain, count(1, SALT), count(2, IV)));
  expect(await unsealVersion(drive, sealed, key)).toEqual(plain);
});

test("two seals of the same bytes differ in salt, iv and ciphertext", async () => {
  const [one, other] = await Promise.all([sealVersion(plain, key), sealVersion(plain, key)]);
  for (const [from, to] of [
    [1, 1 + SALT],
    [1 + SALT, HEADER],
    [HEADER, one.length],
  ] as const)
    expect(one.slice(from, to)).not.toEqual(other.slice(from, to));
});

test("another key opens nothing", async () => {
  const sealed = await sealVersion(plain, key);
  await isRefused(sealed, { drive, key: key.key.replace(/^00/, "01") });
  await isRefused(sealed, { drive, key: key.key.replace(/1f$/, "1e") });
});

test("a version of another drive is refused, even by the same key", async () => {
  await isRefused(await sealVersion(plain, { ...key, drive: otherDrive }));
});

test("a changed bit is noticed wherever it is", async () => {
  const sealed = await sealVersion(plain, key);
  for (let offset = 0; offset < sealed.length; offset++) {
    for (const bit of [0x01, 0x80]) await isRefused(sealed.map((byte, at) => (at === offset ? byte ^ bit : byte)));
  }
});

test("whatever is cut off at the end, or appended, is noticed", async () => {
  const sealed = await sealVersion(plain, key);
  for (let length = 0; length < sealed.length; length++) await isRefused(sealed.slice(0, length));
  await isRefused(Uint8Array.of(...sealed, 0));
});

test("another version of the format is named as such", async () => {
  const sealed = await sealVersion(plain, key);
  for (const version of [0, 2, 255]) {
    const other = Uint8Array.of(version, ...sealed.slice(1));
    await expect(unsealVersion(drive, other, key)).rejects.toMatchObject({
      code: "INVALID_DRIVE",
      details: { problem: expect.stringContaining("later version") },
    });
  }
});

test("an error does not repeat the key", async () => {
  const error: unknown = await unsealVersion(drive, Uint8Array.of(1, 2, 3), key).catch((caught: unknown) => caught);
  expect(`${error} ${JSON.stringify(error)}`).not.toContain(key.key);
});
