import { isKeeplightError, KeeplightError } from "keeplight";
import { createFileHasher } from "keeplight/parts";
import { digestChunk, readChunks } from "./chunks.ts";
import { forgetSent, getFileState, mayBeComplete, type OpenUpload, prepareUpload } from "./entry.ts";
import { findForgotten, type Storing, waitUntilStored } from "./storing.ts";

/** What a transfer works with. */
interface Transfer extends OpenUpload, Storing {
  /** Receives how many bytes of what is sent the endpoint has. */
  onProgress(bytes: number): void;
}

/** An endpoint that has lost an upload so often is not going to store it. */
const MAX_ROUNDS = 10;

/**
 * Sends what the endpoint does not have of a file, and waits until it has stored it. Where an earlier page stopped, this continues.
 *
 * @returns the content id that the endpoint names, which nothing proves yet; or one that was computed
 * @throws what the endpoint refuses a request with, `SOURCE_UNREADABLE`, `SOURCE_CHANGED`, `ABORTED`; what the journal throws
 */
export async function transferFile(transfer: Transfer): Promise<string> {
  const { entry, size, endpoint, retry, options, control, onProgress } = transfer;
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    await prepareUpload(transfer, options, control.signal);
    const { url } = entry.state;
    const found = url === undefined ? undefined : await retry.run((signal) => endpoint.getOffset(url, size, signal));
    if (url === undefined || found === undefined) {
      const cid = url !== undefined && mayBeComplete(entry) ? await findForgotten(transfer, url) : undefined;
      if (cid !== undefined) return cid;
      await createUpload(transfer);
      continue;
    }
    onProgress(found);
    if (found < size || !mayBeComplete(entry)) {
      const outcome = await sendFrom(found, url, transfer);
      if (outcome === "changed") await startOver(transfer, url);
      if (outcome !== "sent") continue;
    }
    const cid = await waitUntilStored(transfer, url);
    if (cid !== undefined) return cid;
  }
  throw new KeeplightError("INVALID_RESPONSE", "The endpoint loses what it has of the file again and again");
}

/** Creates an upload at the endpoint, which nothing is sent to before the journal knows where it is. */
async function createUpload({ entry, file, size, endpoint, retry, options }: Transfer): Promise<void> {
  const { name, sentAs = name } = getFileState(entry);
  const { storage, encrypt } = options;
  const kind: Record<string, string> = encrypt
    ? { encryption: "true" }
    : file.type === ""
      ? {}
      : { filetype: file.type };
  const metadata = { filename: sentAs, ...kind, ...(storage === undefined ? {} : { storage }) };
  const url = await retry.run((signal) => endpoint.create(size, metadata, signal));
  await entry.update({ url });
}

/** The file has changed, or the journal is older than what was sent: no other bytes may be encrypted in place of those. */
async function startOver(transfer: Transfer, url: string): Promise<void> {
  const { endpoint, retry, control } = transfer;
  await retry
    .run((signal) => endpoint.remove(url, signal))
    .catch((error) => {
      // Then it is removed once it has waited for too long.
      if (!isKeeplightError(error) || control.signal.aborted) throw error;
    });
  await forgetSent(transfer);
}

/**
 * Sends a file from `offset` on, read from its start.
 *
 * @returns `changed` if these are not the bytes that were sent before, or some were sent that the journal does not know; `lost` if
 * the endpoint has less than before
 */
async function sendFrom(offset: number, url: string, transfer: Transfer): Promise<"sent" | "changed" | "lost"> {
  const { entry, size, control } = transfer;
  if (offset > entry.state.digests.length * entry.state.chunkBytes) return "changed";
  const hasher = createFileHasher();
  let arrived = offset;
  let start = 0;
  let index = 0;
  for await (const chunk of readChunks(transfer, control.signal)) {
    const end = start + chunk.length;
    const digest = await digestChunk(chunk);
    const before = entry.state.digests[index++];
    if (before !== undefined && before !== digest) return "changed";
    await hasher.update(chunk);
    if (before === undefined) await entry.update({ digests: [...entry.state.digests, digest] });
    if (end === size && !mayBeComplete(entry)) {
      const { cids, profiles, size: bytes } = await hasher.finish();
      await entry.update({ files: [{ ...getFileState(entry), attempts: [{ cids, profiles, size: bytes }] }] });
    }
    while (arrived < end) {
      const next = await sendPart(url, arrived, chunk.subarray(arrived - start), transfer);
      if (next === undefined || next < start) return "lost";
      arrived = next;
    }
    start = end;
  }
  return "sent";
}

/**
 * Sends bytes that follow those that have arrived.
 *
 * @returns how many have arrived then; `undefined` if the endpoint does not know the upload any more
 */
async function sendPart(
  url: string,
  offset: number,
  bytes: Uint8Array<ArrayBuffer>,
  { size, endpoint, retry, onProgress }: Transfer,
): Promise<number | undefined> {
  let isFirst = true;
  return retry.run(async (signal) => {
    if (!isFirst) {
      const arrived = await endpoint.getOffset(url, size, signal);
      if (arrived !== undefined && arrived > offset + bytes.length) throw tooManyBytes();
      if (arrived !== offset) return arrived;
    }
    isFirst = false;
    const arrived = await endpoint.append(url, offset, bytes, { signal, onSent: (sent) => onProgress(offset + sent) });
    if (arrived !== undefined) onProgress(arrived);
    return arrived;
  });
}

const tooManyBytes = () => new KeeplightError("INVALID_RESPONSE", "The endpoint has more bytes than were sent");
