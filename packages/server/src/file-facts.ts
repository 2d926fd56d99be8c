import { invalidSource } from "keeplight/parts";

// What clients say of a file.

const encoder = new TextEncoder();

const DEFAULT_TYPE = "application/octet-stream";
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/;

/** What upload nodes take for a folder or a link, whatever its bytes are. */
const NO_FILES = new Set(["application/x-directory", "application/symlink"]);

/** Returns a media type without its parameters: that of any bytes for what is none, or is none of a file. */
export function readMediaType(value: string): string {
  const [type = ""] = value.toLowerCase().split(/[\s;]/);
  return MEDIA_TYPE.test(type) && !NO_FILES.has(type) ? type : DEFAULT_TYPE;
}

const MAX_NAME_LENGTH = 4096;
const MAX_SEGMENT_BYTES = 255;

/**
 * Checks a file's path, and returns it. An upload node may decode escapes of URLs, and take `\` for a separator: so neither may
 * lead out of the folder either.
 *
 * @throws `INVALID_SOURCE`
 */
export function checkFileName(name: string): string {
  if (name.length > MAX_NAME_LENGTH) throw invalidSource("a file name is too long");
  for (const form of [name, decodeEscapes(name)]) {
    // C0, DEL, C1, line separators, and marks that change the direction of text.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
    if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(form)) {
      throw invalidSource("a file name has a control character");
    }
    for (const segment of form.split(/[/\\]/)) {
      if (segment === "" || segment === "." || segment === "..") {
        throw invalidSource("a file name has an empty, '.' or '..' part");
      }
      if (encoder.encode(segment).length > MAX_SEGMENT_BYTES) throw invalidSource("a part of a file name is too long");
    }
  }
  return name;
}

function decodeEscapes(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = escapes.split("%").slice(1);
    return new TextDecoder().decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
  });
}
