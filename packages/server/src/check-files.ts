import { getMimeType, invalidSource, type SourceFile, toNodeName } from "keeplight/parts";
import { duplicateName, folderRefused, tooManyFiles, typeRefused, uploadTooLarge } from "./errors.ts";
import { hasSignature, isRecognised, SIGNATURE_BYTES } from "./file-signatures.ts";
import type { FilePart } from "./form.ts";
import type { ResolvedLimits } from "./limits.ts";

/** As much of a file as gateways look at for its type. */
const START_BYTES = 4096;

/**
 * Passes files on within the limits, which are checked as far as each byte that is passed on.
 *
 * @throws while the files are read: `FILE_TOO_LARGE`, `UPLOAD_REFUSED`, `DUPLICATE_NAME`, `INVALID_SOURCE`; what `parts` throws
 */
export async function* checkFiles(
  parts: AsyncIterable<FilePart>,
  limits: ResolvedLimits,
  isEncrypted: boolean,
): AsyncGenerator<SourceFile> {
  const names = new Map<string, string>();
  let bytes = 0;

  async function* count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > limits.maxBytes) throw uploadTooLarge(limits.maxBytes);
      yield chunk;
    }
  }

  for await (const { name, type: claimed, chunks } of parts) {
    if (names.size === limits.maxFiles) throw tooManyFiles(limits.maxFiles);
    const nodeName = toNodeName(name);
    const first = names.get(nodeName);
    if (first !== undefined) throw duplicateName(name, first);
    names.set(nodeName, name);
    if (!limits.folders && /[/\\]/.test(name + nodeName)) throw folderRefused();
    const type = isEncrypted ? "application/octet-stream" : claimed;
    const file = { name, type };
    const isAccepted =
      isListed(type, limits.types) && (isEncrypted || hasListedExtension(nodeName, type, limits.types));
    if (!isAccepted) throw typeRefused(file, limits.types);
    const mayBePage = isEncrypted || /[/+]xml$/.test(type) || isListed("text/html", limits.types);
    yield { ...file, size: undefined, open: () => checkType(count(chunks), file, limits.types, mayBePage) };
  }
  if (names.size === 0) throw invalidSource("it is empty");
}

/** Passes a file on once its start is that of its type. */
async function* checkType(
  chunks: AsyncGenerator<Uint8Array>,
  file: { name: string; type: string },
  types: readonly string[],
  mayBePage: boolean,
): AsyncGenerator<Uint8Array> {
  if (types.includes("*/*")) return yield* chunks;
  const start: Uint8Array[] = [];
  let length = 0;
  while (length < START_BYTES) {
    const { done, value } = await chunks.next();
    if (done) break;
    start.push(value);
    length += value.length;
  }
  const bytes = new Uint8Array(await new Blob(start as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  const isOfType = hasSignature(file.type, bytes.subarray(0, SIGNATURE_BYTES)) ?? (mayBePage || !startsWithTag(bytes));
  if (!isOfType) throw typeRefused(file, types);
  yield* start;
  yield* chunks;
}

/** Gateways take a text for a page by this: one of a content id knows no name. */
function startsWithTag(start: Uint8Array): boolean {
  return new TextDecoder().decode(start).trimStart().startsWith("<");
}

/** Gateways choose the type of a file by its extension, whatever its bytes are. */
function hasListedExtension(name: string, type: string, types: readonly string[]): boolean {
  const extension = /\.([^./]*)$/.exec(name)?.[1];
  if (extension === undefined || types.includes("*/*")) return true;
  const byExtension = getMimeType(`a.${extension}`);
  return byExtension === null ? types.includes(type) : isListed(byExtension, types);
}

/** A group of media, such as `image/*`, accepts only types whose files are recognised: others may run scripts. */
function isListed(type: string, types: readonly string[]): boolean {
  if (types.includes("*/*") || types.includes(type)) return true;
  const [group] = type.split("/");
  return types.includes(`${group}/*`) && (!/^(?:image|audio|video|font)$/.test(group ?? "") || isRecognised(type));
}
