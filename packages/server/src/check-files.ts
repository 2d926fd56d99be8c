import { getMimeType, invalidSource, toNodeName } from "keeplight/parts";
import { duplicateName, tooManyFiles, typeRefused, uploadRefused, uploadTooLarge } from "./errors.ts";
import type { FilePart } from "./form.ts";
import type { ResolvedLimits } from "./limits.ts";

/** As much of a file as gateways look at for its type. */
const START_BYTES = 4096;

/**
 * Passes files on within the limits, which are checked as far as each byte that is passed on.
 *
 * @throws while the files are read: `FILE_TOO_LARGE`, `UPLOAD_REFUSED`, `DUPLICATE_NAME`, `INVALID_SOURCE`; what `parts` throws
 */
export async function* checkFiles(parts: AsyncIterable<FilePart>, limits: ResolvedLimits, isEncrypted: boolean) {
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
    const file = checkNameAndType({ name, type: claimed }, limits, isEncrypted);
    const mayBePage = isEncrypted || /[/+]xml$/.test(file.type) || isListed("text/html", limits.types);
    yield { ...file, size: undefined, open: () => checkType(count(chunks), file, limits.types, mayBePage) };
  }
  if (names.size === 0) throw invalidSource("it is empty");
}

/**
 * Checks what a client says of a file; returns it with its type as it is stored.
 *
 * @throws `UPLOAD_REFUSED`, `INVALID_SOURCE`
 */
export function checkNameAndType(
  { name, type: claimed }: { name: string; type: string },
  { folders, types }: ResolvedLimits,
  isEncrypted: boolean,
): { name: string; type: string } {
  const nodeName = toNodeName(name);
  if (!folders && /[/\\]/.test(name + nodeName)) throw uploadRefused("folder");
  const type = isEncrypted ? "application/octet-stream" : claimed;
  const file = { name, type };
  const hasExtension = isEncrypted || hasListedExtension(nodeName, type, types);
  if (!isListed(type, types) || !hasExtension) throw typeRefused(file, types);
  return file;
}

/** Passes a file on once its start is that of its type. */
async function* checkType(
  chunks: AsyncGenerator<Uint8Array>,
  file: { name: string; type: string },
  types: readonly string[],
  mayBePage: boolean,
): AsyncGenerator<Uint8Array> {
  if (types.includes("*/*")) return yield* chunks;
  try {
    const start: Uint8Array[] = [];
    let length = 0;
    while (length < START_BYTES) {
      const { done, value } = await chunks.next();
      if (done) break;
      start.push(value);
      length += value.length;
    }
    const bytes = new Uint8Array(await new Blob(start as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    const isOfType =
      hasSignature(file.type, bytes.subarray(0, SIGNATURE_BYTES)) ?? (mayBePage || !startsWithTag(bytes));
    if (!isOfType) throw typeRefused(file, types);
    yield* start;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
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

// How files of these types start: WHATWG MIME Sniffing, section 6, and the formats' own specifications. Two hexadecimal
// digits a byte; `..` is any byte. None may start with any byte: a page could start with a tag, or white space, instead.

/** The first box is smaller than 16 MiB, or in `mdat`, which holds the film, than 128 MiB. */
const MP4 = "00......66747970";
const MATROSKA = "1a45dfa3";
const OGG = "4f67675300";
const MP3 = ["494433", "fffb", "fffa", "fff3", "fff2"];
const ICON = ["00000100", "00000200"];
const WAVE = "52494646........57415645";
const ZIP = ["504b0304", "504b0506"];
const GZIP = "1f8b08";

const signatures: Readonly<Record<string, string | readonly string[]>> = {
  "application/gzip": GZIP,
  "application/ogg": OGG,
  "application/pdf": "255044462d",
  "application/vnd.rar": "526172211a07",
  "application/x-7z-compressed": "377abcaf271c",
  "application/x-gzip": GZIP,
  "application/x-zip-compressed": ZIP,
  "application/zip": ZIP,
  "audio/aac": ["fff1", "fff9"],
  "audio/aiff": "464f524d........41494646",
  "audio/flac": "664c6143",
  "audio/mp3": MP3,
  "audio/mp4": MP4,
  "audio/mpeg": MP3,
  "audio/ogg": OGG,
  "audio/vnd.wave": WAVE,
  "audio/wav": WAVE,
  "audio/wave": WAVE,
  "audio/webm": MATROSKA,
  "audio/x-m4a": MP4,
  "audio/x-wav": WAVE,
  "font/otf": "4f54544f",
  "font/ttf": ["00010000", "74727565"],
  "font/woff": "774f4646",
  "font/woff2": "774f4632",
  "image/avif": [`${MP4}61766966`, `${MP4}61766973`, `${MP4}6d696631`],
  "image/bmp": "424d",
  "image/gif": ["474946383761", "474946383961"],
  "image/heic": [`${MP4}68656963`, `${MP4}68656978`, `${MP4}6d696631`],
  "image/heif": [`${MP4}6d696631`, `${MP4}68656963`],
  "image/jpeg": "ffd8ff",
  "image/png": "89504e470d0a1a0a",
  "image/tiff": ["49492a00", "4d4d002a"],
  "image/vnd.microsoft.icon": ICON,
  "image/webp": "52494646........57454250",
  "image/x-icon": ICON,
  "video/matroska": MATROSKA,
  "video/mp4": MP4,
  "video/ogg": OGG,
  "video/quicktime": [MP4, "00......6d6f6f76", "00......77696465", "0[0-7]......6d646174"],
  "video/webm": MATROSKA,
  "video/x-matroska": MATROSKA,
  "video/x-msvideo": "52494646........41564920",
};

/** Bytes at the start of a file that hold every signature. */
const SIGNATURE_BYTES = 12;

/** Whether files of a type have a known start. */
const isRecognised = (type: string) => Object.hasOwn(signatures, type);

/** Returns whether a file starts as its type requires; `undefined` for a type without a known signature. */
function hasSignature(type: string, start: Uint8Array): boolean | undefined {
  if (!isRecognised(type)) return undefined;
  const hex = Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [signatures[type] ?? []].flat().some((signature) => new RegExp(`^${signature}`).test(hex));
}
