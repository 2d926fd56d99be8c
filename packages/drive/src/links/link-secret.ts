import { invalidOption } from "keeplight/parts";
import { fromBase64Url } from "../fields.ts";
import { toBase64Url } from "../state.ts";

const SECRET_BYTES = 32;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const SEALED_BYTES = SALT_BYTES + IV_BYTES + SECRET_BYTES + 16;

/** What guessing a password costs, as OWASP recommends it for PBKDF2 with SHA-256. */
const ITERATIONS = 600_000;
const MIN_PASSWORD = 8;

/** The secret of a link, opened. */
export interface LinkSecret {
  /** Of the link's account: 32 bytes. */
  privateKey: Uint8Array<ArrayBuffer>;
  /** Returns 32 bytes in base64url that only who has the secret can compute. */
  sign(text: string): Promise<string>;
  verify(text: string, signature: Uint8Array<ArrayBuffer>): Promise<boolean>;
}

/**
 * Creates the secret of a link.
 *
 * @returns with `text`, as the link has it: sealed, if there is a password
 * @throws `INVALID_OPTION` for a password of less than 8 characters
 */
export async function createLinkSecret(cid: string, password: string | undefined) {
  if (password !== undefined && [...normalize(password)].length < MIN_PASSWORD) {
    throw invalidOption("password", `at least ${MIN_PASSWORD} characters`);
  }
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const opened = await openSecret(secret);
  const text = toBase64Url(password === undefined ? secret : await seal(secret, cid, password));
  return { ...opened, text };
}

/** Whether the secret of a link is sealed by a password. */
export const isSealedSecret = (text: string): boolean => text.length > SECRET_BYTES * 2;

/** Reads a secret that is not sealed; `undefined` for anything else. */
export async function readSecret(text: string): Promise<LinkSecret | undefined> {
  return /^[\w-]{43}$/.test(text) ? openSecret(fromBase64Url(text)) : undefined;
}

/**
 * Opens a secret that is sealed by a password; returns `undefined` for another password, and for what was changed.
 *
 * @throws `INVALID_OPTION` without a password
 */
export async function openSealedSecret(
  cid: string,
  text: string,
  password: string | undefined,
): Promise<LinkSecret | undefined> {
  if (!/^[\w-]{102}$/.test(text)) return undefined;
  const sealed = fromBase64Url(text);
  if (sealed.length !== SEALED_BYTES) return undefined;
  const [salt, iv] = [sealed.slice(0, SALT_BYTES), sealed.slice(SALT_BYTES, SALT_BYTES + IV_BYTES)];
  const key = await deriveSealingKey(password, salt);
  try {
    const plain = await crypto.subtle.decrypt(toParams(cid, iv), key, sealed.slice(SALT_BYTES + IV_BYTES));
    return await openSecret(new Uint8Array(plain));
  } catch {
    return undefined;
  }
}

async function seal(secret: Uint8Array<ArrayBuffer>, cid: string, password: string) {
  const [salt, iv] = [SALT_BYTES, IV_BYTES].map((length) => crypto.getRandomValues(new Uint8Array(length))) as [
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>,
  ];
  const sealed = await crypto.subtle.encrypt(toParams(cid, iv), await deriveSealingKey(password, salt), secret);
  return Uint8Array.from([...salt, ...iv, ...new Uint8Array(sealed)]);
}

const toParams = (cid: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams => {
  return { name: "AES-GCM", iv, additionalData: encode(`keeplight link ${cid}`) };
};

async function deriveSealingKey(password: unknown, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey("raw", encode(normalize(password)), "PBKDF2", false, ["deriveKey"]);
  const params = { name: "PBKDF2", hash: "SHA-256", salt, iterations: ITERATIONS };
  return crypto.subtle.deriveKey(params, raw, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Halves of a character would all be the same byte sequence. Throws `INVALID_OPTION`. */
function normalize(password: unknown): string {
  if (typeof password !== "string" || /\p{Surrogate}/u.test(password))
    throw invalidOption("password", "the password of the link, as a text");
  return password.normalize("NFKC");
}

/** Derives the two keys of a secret: the private key of an account, and the one of the check. */
async function openSecret(secret: Uint8Array<ArrayBuffer>): Promise<LinkSecret> {
  const raw = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits", "deriveKey"]);
  const paramsOf = (purpose: string) => {
    return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: encode(`keeplight link ${purpose}`) };
  };
  // Of 2^128 secrets one has no private key: no link of it is ever made or opened.
  const privateKey = new Uint8Array(await crypto.subtle.deriveBits(paramsOf("account"), raw, SECRET_BYTES * 8));
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  const checkKey = await crypto.subtle.deriveKey(paramsOf("check"), raw, hmac, false, ["sign", "verify"]);
  return {
    privateKey,
    sign: async (text) => toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", checkKey, encode(text)))),
    verify: (text, signature) => crypto.subtle.verify("HMAC", checkKey, signature, encode(text)),
  };
}

const encode = (text: string) => new TextEncoder().encode(text);
