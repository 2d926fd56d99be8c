import { invalidDrive } from "keeplight/parts";

/** The key of a drive: random, in an encrypted file of its own, whose content id identifies the drive. */
export interface DriveKey {
  /** Content id of that file. */
  drive: string;
  /** 64 hex digits. A secret. */
  key: string;
}

/** Version of the format of sealed bytes, which start with it. */
const VERSION = 1;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const HEADER_BYTES = 1 + SALT_BYTES + IV_BYTES;

/**
 * Seals a version of a drive: `1 ‖ salt ‖ iv ‖ ciphertext ‖ tag`, AES-256-GCM by a key that HKDF-SHA-256 (RFC 5869) derives
 * from the drive's key and a random salt of 16 bytes. The iv is random, 12 bytes. The content id of the drive is
 * authenticated too, so that no version can be passed off as one of another drive.
 */
export async function sealVersion(plain: Uint8Array<ArrayBuffer>, key: DriveKey, nonces = createNonces()) {
  const [salt, iv] = [nonces.slice(0, SALT_BYTES), nonces.slice(SALT_BYTES)];
  const sealed = await crypto.subtle.encrypt(toParams(key, iv), await deriveKey(key, salt), plain);
  const bytes = new Uint8Array(HEADER_BYTES + sealed.byteLength);
  bytes.set([VERSION, ...salt, ...iv]);
  bytes.set(new Uint8Array(sealed), HEADER_BYTES);
  return bytes;
}

/** Opens what {@link sealVersion} returned; throws `INVALID_DRIVE` for anything else. */
export async function unsealVersion(cid: string, bytes: Uint8Array<ArrayBuffer>, key: DriveKey) {
  if (bytes[0] !== VERSION) throw invalidDrive(cid, "it is another file, or of a later version of this package");
  const salt = bytes.slice(1, 1 + SALT_BYTES);
  const iv = bytes.slice(1 + SALT_BYTES, HEADER_BYTES);
  try {
    const sealed = bytes.subarray(HEADER_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt(toParams(key, iv), await deriveKey(key, salt), sealed));
  } catch {
    throw invalidDrive(cid, "it is not sealed by the drive's key");
  }
}

const createNonces = () => crypto.getRandomValues(new Uint8Array(SALT_BYTES + IV_BYTES));

const encode = (text: string) => new TextEncoder().encode(text);

function toParams({ drive }: DriveKey, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: encode(`keeplight drive ${VERSION} ${drive}`) };
}

async function deriveKey({ key }: DriveKey, salt: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const raw = Uint8Array.from(key.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  const secret = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const params = { name: "HKDF", hash: "SHA-256", salt, info: encode("keeplight drive version") };
  return crypto.subtle.deriveKey(params, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
