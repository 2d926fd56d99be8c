import { invalidKit } from "../../base/errors/verification.ts";
import { isChunkProfile } from "../cid/chunk-profile.ts";
import { checkCid } from "../cid/content-id.ts";
import { computeCommitment, verifyCommitment } from "../crypto/commitment.ts";
import { assertMasterKey } from "../crypto/file-format.ts";

/** One file whose key is in a recovery kit. */
export interface RecoveryEntry {
  /** Content id. */
  cid: string;
  /** As uploaded, unverified; `null` if unknown. It may contain any character: never use it as a path. */
  name: string | null;
  /** Of the decrypted file, in bytes, unverified; `null` if unknown. */
  size: number | null;
  /** How the encrypted file was split into blocks, for the option `chunkProfile` of `decrypt`; missing if unknown. */
  chunkProfile?: string;
}

/** An entry with its key. */
export interface RecoveryKey extends RecoveryEntry {
  /** 64 lower-case hex characters. A secret. */
  masterKey: string;
}

/** Formats entries as lines of JSON, each with the commitment to its key. JSON escapes line breaks and controls. */
export async function formatEntry({ cid, name, size, chunkProfile, masterKey }: RecoveryKey): Promise<Uint8Array> {
  const commitment = await computeCommitment(cid, masterKey);
  return new TextEncoder().encode(`${JSON.stringify({ cid, name, size, chunkProfile, masterKey, commitment })}\n`);
}

/** Longer lines are not ours: a content id and a name have limits. */
const MAX_LINE_CHARACTERS = 1_000_000;

/** Reads one file of a kit, and verifies each commitment. Throws `INVALID_KIT`, `COMMITMENT_MISMATCH`. */
export async function* readEntries(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<RecoveryKey> {
  let number = 0;
  for await (const line of toLines(chunks, file)) yield await readEntry(line, file, ++number);
}

async function* toLines(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  try {
    for await (const chunk of chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > MAX_LINE_CHARACTERS) throw invalidKit(file, "a line is too long");
    }
    rest += decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? invalidKit(file, "it is not text") : error;
  }
  if (rest !== "") throw invalidKit(file, "its last line has no end");
}

async function readEntry(line: string, file: string, number: number): Promise<RecoveryKey> {
  const parsed = parseEntry(line);
  if (!parsed) throw invalidKit(file, "it has no entry", number);
  const { commitment, ...entry } = parsed;
  await verifyCommitment(entry.cid, entry.masterKey, commitment);
  return entry;
}

/** Returns `undefined` for a line that is no entry. */
function parseEntry(line: string): (RecoveryKey & { commitment: string }) | undefined {
  try {
    const { cid, name, size, chunkProfile, masterKey, commitment } = JSON.parse(line);
    const isName = name === null || typeof name === "string";
    const isSize = size === null || (Number.isSafeInteger(size) && size >= 0);
    const isProfile = chunkProfile === undefined || isChunkProfile(chunkProfile);
    if (!isName || !isSize || !isProfile || typeof commitment !== "string") return undefined;
    const rest = { name, size, ...(chunkProfile === undefined ? {} : { chunkProfile }) };
    return { cid: checkCid(cid), masterKey: assertMasterKey(masterKey), ...rest, commitment };
  } catch {
    // It is no JSON of an object, or has no valid content id or key.
    return undefined;
  }
}
