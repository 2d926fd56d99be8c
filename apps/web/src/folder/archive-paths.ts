import { toSafeName } from "../ui/file-name.tsx";

/** What one system or another does not allow in names, or reads as a separator. */
const RESERVED_CHARACTERS = /[\\/:*?"<>|]/g;
/** Names of devices, which Windows opens regardless of an extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;
/** Halves of a character, which UTF-8 cannot encode. */
const HALVES = /\p{Surrogate}/gu;
/** Longest name, in bytes: disks allow 255, of which a number in brackets and `.zip` need some. */
const MAX_NAME_BYTES = 200;

/**
 * Returns a function that computes the paths of an archive: unique on systems that ignore case, too, and such that no
 * program that extracts them writes outside its folder.
 */
export function createArchivePaths(): (names: readonly string[]) => string {
  /** By the original path of a folder: its own in the archive. */
  const folders = new Map<string, string>([["", ""]]);
  const taken = new Set<string>();

  function reserve(parent: string, name: string): string {
    const safe = toArchiveName(name);
    let path = parent + safe;
    for (let count = 2; taken.has(toKey(path)); count++) path = parent + addNumber(safe, count);
    taken.add(toKey(path));
    return path;
  }

  return (names) => {
    let parent = "";
    for (let depth = 1; depth < names.length; depth++) {
      const key = names.slice(0, depth).join("/");
      const known = folders.get(key) ?? `${reserve(parent, names[depth - 1] ?? "")}/`;
      folders.set(key, known);
      parent = known;
    }
    return reserve(parent, names.at(-1) ?? "");
  };
}

/** Returns the name that a file has in an archive, and on any disk. */
export function toArchiveName(name: string): string {
  const visible = toSafeName(name)
    .replaceAll("\ufffd", "_")
    .replaceAll(RESERVED_CHARACTERS, "_")
    .replaceAll(HALVES, "_");
  // The end stays, which has the extension. Windows drops dots and spaces at the end, which would make `..` of `.. .`.
  const safe = shortenStart(visible).replace(/[. ]+$/, "_");
  return safe === "" || DEVICE.test(safe) ? `_${safe}` : safe;
}

/** Drops whole characters at the start of a name that is too long. */
function shortenStart(name: string): string {
  const encoder = new TextEncoder();
  const characters = Array.from(name).slice(-MAX_NAME_BYTES);
  let bytes = encoder.encode(characters.join("")).length;
  let start = 0;
  for (; bytes > MAX_NAME_BYTES; start++) bytes -= encoder.encode(characters[start] ?? "").length;
  return characters.slice(start).join("");
}

function toKey(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** `photo (2).jpg` for `photo.jpg`. */
function addNumber(name: string, count: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${count})${name.slice(dot)}` : `${name} (${count})`;
}
