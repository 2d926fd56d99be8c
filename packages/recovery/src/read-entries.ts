import { KeeplightError } from "keeplight";
import {
  assertMasterKey,
  checkChunkProfile,
  checkCid,
  printable,
  type RecoveryKey,
  verifyCommitment,
} from "keeplight/parts";

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
    if (!isName || !isSize || typeof commitment !== "string") return undefined;
    const rest = chunkProfile === undefined ? {} : { chunkProfile: checkChunkProfile(chunkProfile, "chunkProfile") };
    return { cid: checkCid(cid), masterKey: assertMasterKey(masterKey), name, size, ...rest, commitment };
  } catch {
    // It is no JSON of an object, or has no valid content id, key or profile.
    return undefined;
  }
}

/** @param file - name of a file of the kit, which was decrypted; `line` counts from 1 */
function invalidKit(file: string, problem: string, line?: number): KeeplightError {
  const where = line === undefined ? file : `${file}, line ${line}`;
  return new KeeplightError("INVALID_KIT", `Not a recovery kit: ${where}: ${problem}`, {
    details: { file: printable(file), line },
  });
}
