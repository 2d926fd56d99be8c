import { invalidFolder } from "../../base/errors/content.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { parseJson } from "../../base/validation/parse-json.ts";
import { isObject } from "../../base/validation/schema.ts";
import { isChunkProfile } from "../cid/chunk-profile.ts";
import { checkCid } from "../cid/content-id.ts";
import { hashText } from "../crypto/commitment.ts";
import { findNameProblem, findPathProblem, findTreeProblem } from "./paths.ts";

/** One file of an encrypted folder, which is also a file of its own. */
export interface FolderFile {
  /** Where it is in the folder: names separated by `/`. */
  path: string;
  /** Content id, for `decrypt` and `openEncrypted`. */
  cid: string;
  /** In bytes, decrypted. */
  size: number;
  /** What `commitToKey` returns for its key, for the option `commitment`. */
  commitment: string;
  /** How the encrypted file was split into blocks, for the option `chunkProfile` of `decrypt`; missing if unknown. */
  chunkProfile?: string;
}

/** What the manifest of an encrypted folder says. */
export interface FolderManifest {
  /** Of the folder. */
  name: string;
  /** Address of the account that uploaded it, in lower case if it is an EVM address. */
  owner: string;
  /** When it was uploaded, in milliseconds since 1970. */
  createdAt: number;
  /** In the order of the source. */
  files: FolderFile[];
  /** Set if all files have one master key: who has the key of one of them can open all. */
  oneKey?: true;
  /** Of the file at each index: proves that the author of the manifest had its key. 64 hex characters. */
  proofs: string[];
}

const TYPE = "keeplight folder";
const VERSION = 1;

/** Most files that a manifest lists. */
const MAX_FILES = 100_000;

/** Of a manifest: seven for each file, and a few more. */
const MAX_VALUES = 8 * MAX_FILES;

/** Of a file, beside its path, in bytes: names, content id, size, commitment, chunk profile and proof. */
const MAX_FILE_BYTES = 450;

/** Largest manifest, in bytes. */
export const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** Returns why a manifest of files with these paths could not be read again; `undefined` if it can. */
export function findSizeProblem(paths: readonly string[]): string | undefined {
  if (paths.length > MAX_FILES) return `a folder has more than ${MAX_FILES} files`;
  const encoder = new TextEncoder();
  const bytes = paths.reduce((sum, path) => sum + encoder.encode(JSON.stringify(path)).length + MAX_FILE_BYTES, 0);
  return bytes > MAX_MANIFEST_BYTES ? "the paths in a folder are too long, all together" : undefined;
}

/** The fields of a file, in the order that a manifest and its proofs have them. */
const FILE_FIELDS = ["path", "cid", "size", "commitment", "chunkProfile"] as const;

/** Writes a manifest: JSON in UTF-8. */
export function encodeManifest(manifest: FolderManifest): Uint8Array<ArrayBuffer> {
  const { name, owner, createdAt, oneKey, files, proofs } = manifest;
  const listed = files.map((file) => Object.fromEntries(FILE_FIELDS.map((field) => [field, file[field]])));
  const fields = { type: TYPE, version: VERSION, name, owner, createdAt, oneKey, files: listed, proofs };
  return new TextEncoder().encode(JSON.stringify(fields));
}

/**
 * Reads a manifest, which anyone with its key may have written: nothing in it is trusted.
 *
 * @param cid - of the manifest, for the error
 * @throws `INVALID_FOLDER`
 */
export function parseManifest(cid: string, bytes: Uint8Array): FolderManifest {
  function refuse(problem: string): never {
    throw invalidFolder(cid, problem);
  }

  function parseFile(file: unknown): FolderFile {
    if (!isObject(file)) refuse("a file in it is malformed");
    const { path, size, commitment, chunkProfile } = file;
    const problem = findPathProblem(path);
    if (problem !== undefined) refuse(problem);
    if (!isSize(size)) refuse("the size of a file in it is malformed");
    if (!isHash(commitment)) refuse("a commitment in it is malformed");
    if (chunkProfile !== undefined && !isChunkProfile(chunkProfile)) refuse("a chunk profile in it is malformed");
    return {
      path: String(path),
      cid: parseWith(checkCid, file["cid"], "a content id"),
      size,
      commitment,
      ...(chunkProfile === undefined ? {} : { chunkProfile }),
    };
  }

  function parseWith(check: (value: unknown) => string, value: unknown, what: string): string {
    try {
      return check(value);
    } catch {
      return refuse(`${what} in it is malformed`);
    }
  }

  if (bytes.length > MAX_MANIFEST_BYTES) refuse("it is too large");
  const manifest = parseText(bytes);
  if (!isObject(manifest) || manifest["type"] !== TYPE) refuse("it is another file");
  const { version, name, createdAt, oneKey, files, proofs } = manifest;
  if (version !== VERSION) refuse("a later version of this package wrote it");
  const problem = findNameProblem(name);
  if (problem !== undefined) refuse(problem);
  if (!isSize(createdAt)) refuse("its time is malformed");
  if (oneKey !== undefined && oneKey !== true) refuse("what it says about its key is malformed");
  if (!Array.isArray(files) || files.length === 0 || files.length > MAX_FILES) refuse("its list of files is malformed");
  const parsed = files.map(parseFile);
  const treeProblem = findTreeProblem(parsed.map(({ path }) => path));
  if (treeProblem) refuse(treeProblem.problem);
  if (!Array.isArray(proofs) || proofs.length !== files.length || !proofs.every(isHash)) {
    refuse("its list of proofs is malformed");
  }
  const owner = parseWith(checkAddress, manifest["owner"], "the address");
  return { name: String(name), owner, createdAt, ...(oneKey ? { oneKey } : {}), files: parsed, proofs };
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseText(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes), MAX_VALUES);
  } catch {
    return undefined;
  }
}

// A manifest may be forged: anyone can write one that names files of another account, and transfer it to that account. So
// it proves of each file that who wrote it had the file's key, who could have passed that key on without any manifest. A
// commitment proves nothing of the kind: any reader of a manifest can copy it. Therefore the proof covers all that the
// manifest says.

/** No other hash of this kit starts like these. */
const MANIFEST_DOMAIN = "keeplight folder v1";
const PROOF_DOMAIN = "keeplight folder proof v1";

/** Returns a function that computes the proof of one file of a manifest, by the file's content id and master key. */
export async function createProver({ name, owner, createdAt, oneKey, files }: Omit<FolderManifest, "proofs">) {
  const listed = files.map((file) => FILE_FIELDS.flatMap((field) => file[field] ?? []));
  const text = JSON.stringify([name, owner, createdAt, listed, ...(oneKey ? [oneKey] : [])]);
  const digest = await hashText(`${MANIFEST_DOMAIN}\n${text}`);
  return (cid: string, masterKey: string) => hashText(`${PROOF_DOMAIN}\n${digest}\n${cid}\n${masterKey}`);
}
