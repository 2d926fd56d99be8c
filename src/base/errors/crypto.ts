import { KeeplightError } from "./base.ts";

/** Describes what is wrong with a key without showing it. */
export function invalidKey(message: string): KeeplightError {
  return new KeeplightError("INVALID_KEY", message);
}

/** @param bytes - how many an initialisation vector has */
export function invalidIv(bytes: number): KeeplightError {
  return new KeeplightError("INVALID_OPTION", `iv must have ${bytes} bytes`);
}

/** @param position - of the malformed shard in the list */
export function invalidShards(message: string, position?: number): KeeplightError {
  return new KeeplightError("INVALID_SHARDS", message, position === undefined ? {} : { details: { position } });
}

/** The one error of a wrong key, a truncated file and a flipped bit: from outside they look the same. */
export function cannotDecrypt(): KeeplightError {
  return new KeeplightError("CANNOT_DECRYPT", "Decryption failed: wrong key, or the file is damaged");
}
