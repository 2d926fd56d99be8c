import { invalidSource } from "keeplight/parts";

/** What a part of a form says of itself. The client may have made up all of it. */
export interface PartHead {
  /** Name of the form's field. */
  field: string;
  /**
   * Path of a file with `/`, no part of which is empty, `.` or `..`. It is empty for a file input that was left empty, and
   * `undefined` for text.
   */
  name: string | undefined;
  /** In lower case, without parameters. */
  type: string;
}

const DEFAULT_TYPE = "application/octet-stream";

/** By RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/;

/** Reads the lines before the bytes of a part; throws `INVALID_SOURCE` for anything but a file or text of a form. */
export function readPartHead(bytes: Uint8Array): PartHead {
  const headers = new Map<string, string>();
  for (const line of decode(bytes).split("\r\n")) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === "" || headers.has(name.toLowerCase())) throw invalidSource("a part of the form has invalid headers");
    headers.set(name.toLowerCase(), value);
  }
  const disposition = headers.get("content-disposition") ?? "";
  // As the WHATWG HTML Standard encodes it: a quotation mark always ends the value.
  const [, field, fileName] = /^form-data; name="([^"]*)"(?:; filename="([^"]*)")?$/i.exec(disposition) ?? [];
  if (field === undefined) throw invalidSource("expected the files and texts of a form");
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(/[\s;]/);
  return {
    field: unescapeQuoted(field),
    // A file input that was left empty sends an empty name.
    name: fileName === undefined || fileName === "" ? fileName : readFileName(fileName),
    type: MEDIA_TYPE.test(type) ? type : DEFAULT_TYPE,
  };
}

/** Undoes the escapes of the WHATWG HTML Standard, section 4.10.22.8 (multipart form data). */
function unescapeQuoted(value: string): string {
  return value.replace(/%22/g, '"').replace(/%0d|%0a/gi, "\n");
}

const MAX_NAME_LENGTH = 4096;
const MAX_SEGMENT_BYTES = 255;

/**
 * Reads a file's path. An upload node may decode escapes of URLs, and take `\` for a separator: so neither may lead out
 * of the folder either.
 */
function readFileName(encoded: string): string {
  const name = unescapeQuoted(encoded);
  const problem = findNameProblem(name);
  if (problem) throw invalidSource(problem);
  return name;
}

function findNameProblem(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return "a file name is too long";
  for (const form of [name, decodeEscapes(name)]) {
    // C0, DEL, C1, line separators, and marks that change the direction of text.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
    if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(form)) {
      return "a file name has a control character";
    }
    for (const segment of form.split(/[/\\]/)) {
      if (segment === "" || segment === "." || segment === "..") return "a file name has an empty, '.' or '..' part";
      if (new TextEncoder().encode(segment).length > MAX_SEGMENT_BYTES) return "a part of a file name is too long";
    }
  }
  return undefined;
}

function decodeEscapes(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = escapes.split("%").slice(1);
    return new TextDecoder().decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidSource("a part of the form has invalid headers");
  }
}
