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
export const SIGNATURE_BYTES = 12;

/** Whether files of a type have a known start. */
export function isRecognised(type: string): boolean {
  return Object.hasOwn(signatures, type);
}

/** Returns whether a file starts as its type requires; `undefined` for a type without a known signature. */
export function hasSignature(type: string, start: Uint8Array): boolean | undefined {
  if (!isRecognised(type)) return undefined;
  const hex = Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [signatures[type] ?? []].flat().some((signature) => new RegExp(`^${signature}`).test(hex));
}
