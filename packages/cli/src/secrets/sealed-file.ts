import { randomBytes, scrypt } from "node:crypto";
import type { Package } from "../frame/package.ts";
import { UsageError } from "../frame/usage-error.ts";

/** A secret that a password opens: scrypt makes the key, the file format of the network encrypts. */
export interface SealedSecret {
  /** Hex. */
  salt: string;
  /** Base64. */
  data: string;
}

const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 ** 2 };

/** Encrypts a secret by a password. */
export async function sealSecret(kit: Package, secret: string, password: string): Promise<SealedSecret> {
  const salt = randomBytes(32);
  const sealed = await kit.encryptBytes(new TextEncoder().encode(secret), await deriveKey(password, salt));
  return { salt: salt.toString("hex"), data: Buffer.from(sealed).toString("base64") };
}

/** Decrypts a secret; throws `WRONG_PASSWORD`. */
export async function openSecret(kit: Package, { salt, data }: SealedSecret, password: string): Promise<string> {
  try {
    const key = await deriveKey(password, Buffer.from(salt, "hex"));
    return new TextDecoder().decode(await kit.decryptBytes(new Uint8Array(Buffer.from(data, "base64")), key));
  } catch (error) {
    if (kit.isKeeplightError(error, "CANNOT_DECRYPT")) {
      throw new UsageError("The password is wrong", { code: "WRONG_PASSWORD" });
    }
    throw error;
  }
}

function deriveKey(password: string, salt: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, 32, COST, (error, key) =>
      error ? reject(error) : resolve(key.toString("hex")),
    );
  });
}
