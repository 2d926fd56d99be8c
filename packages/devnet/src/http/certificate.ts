import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export type Certificate = ReturnType<typeof issueCertificate>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Object identifiers, DER-encoded. */
const COMMON_NAME = "0603550403";
const SUBJECT_ALTERNATIVE_NAME = "0603551d11";
const BASIC_CONSTRAINTS = "0603551d13";
const ECDSA_WITH_SHA256 = "06082a8648ce3d040302";

/**
 * Issues a self-signed certificate for `localhost`, 127.0.0.1 and `publicHost`, valid for a year (X.509 version 3, RFC 5280,
 * section 4.1), with its private key, both in PEM. Node can sign and read certificates, but not encode them.
 *
 * @param publicHost - as in a URL
 */
export function issueCertificate(publicHost = "localhost") {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(0x30, ECDSA_WITH_SHA256);
  const name = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from("keeplight devnet")))));
  const now = Date.now();
  const hosts = new Set(["localhost", "127.0.0.1", publicHost]);
  const names = der(0x30, ...Array.from(hosts, encodeHost));
  const isAuthority = der(0x30, der(0x01, "ff"));
  const body = der(
    0x30,
    der(0xa0, der(0x02, "02")),
    // positive, of full length
    der(0x02, "01", randomBytes(15)),
    algorithm,
    name,
    der(0x30, encodeTime(now - DAY_MS), encodeTime(now + 365 * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      der(
        0x30,
        // its own issuer, so that it can be trusted like an authority
        der(0x30, BASIC_CONSTRAINTS, der(0x01, "ff"), der(0x04, isAuthority)),
        der(0x30, SUBJECT_ALTERNATIVE_NAME, der(0x04, names)),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = der(0x30, body, algorithm, der(0x03, "00", signature));
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Encodes a value (X.690); `parts` are bytes, or bytes in hex. */
function der(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)));
  const size = value.byteLength;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

/** Encodes a host of a URL as one of a certificate's names: an IP address or a DNS name. */
function encodeHost(host: string): Buffer {
  if (isIPv4(host)) return der(0x87, Uint8Array.from(host.split("."), Number));
  if (!host.startsWith("[")) return der(0x82, Buffer.from(host));
  const [start = "", end] = host.slice(1, -1).split("::");
  const [before, after] = [start, end ?? ""].map((groups) => groups.split(":").filter((group) => group !== ""));
  const groups = [...(before ?? []), ...(after ?? [])];
  const zeros = Array<string>(8 - groups.length).fill("0");
  const all = [...(before ?? []), ...zeros, ...(after ?? [])];
  return der(0x87, all.map((group) => group.padStart(4, "0")).join(""));
}

/** Encodes a time before 2050. */
function encodeTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "");
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}
