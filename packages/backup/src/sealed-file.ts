import { randomBytes } from "node:crypto";
import { decrypt, encrypt, type RepositoryKeys, SALT_BYTES, TAG_BYTES } from "./keys.ts";

// A small file: magic, salt, length and content id of the repository file, encrypted JSON.

const MAGICS = { snapshot: "keeplight snap 1", mark: "keeplight mark 1" } as const;

export type SealedKind = keyof typeof MAGICS;

const MAGIC_BYTES = 16;

/** Encrypts a value as a file that names its repository, so that its content id is all that one has to know. */
export function sealFile(
  kind: SealedKind,
  repository: string,
  value: object,
  keys: RepositoryKeys,
  salt: Uint8Array = randomBytes(SALT_BYTES),
): Uint8Array {
  const name = Buffer.from(repository, "latin1");
  const header = Buffer.concat([Buffer.from(MAGICS[kind], "latin1"), salt, Uint8Array.of(name.length), name]);
  return Buffer.concat([header, encrypt(keys.deriveKey(kind, salt), 0, Buffer.from(JSON.stringify(value)), header)]);
}

/** Returns the content id of the repository file that a sealed file names; `undefined` if it is no such file. */
export function readRepositoryName(kind: SealedKind, file: Uint8Array): string | undefined {
  const length = file[MAGIC_BYTES + SALT_BYTES];
  if (length === undefined || Buffer.from(file.subarray(0, MAGIC_BYTES)).toString("latin1") !== MAGICS[kind])
    return undefined;
  const at = MAGIC_BYTES + SALT_BYTES + 1;
  if (file.length < at + length + TAG_BYTES) return undefined;
  return Buffer.from(file.subarray(at, at + length)).toString("latin1");
}

/** Decrypts a sealed file; `undefined` if it is none of this kind and repository, or was changed. */
export function openSealedFile(kind: SealedKind, file: Uint8Array, keys: RepositoryKeys): unknown {
  const repository = readRepositoryName(kind, file);
  if (repository === undefined) return undefined;
  const salt = file.subarray(MAGIC_BYTES, MAGIC_BYTES + SALT_BYTES);
  const end = MAGIC_BYTES + SALT_BYTES + 1 + repository.length;
  const plain = decrypt(keys.deriveKey(kind, salt), 0, file.subarray(end), file.subarray(0, end));
  if (!plain) return undefined;
  try {
    return JSON.parse(plain.toString("utf8"));
  } catch {
    return undefined;
  }
}
