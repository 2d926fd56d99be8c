import { clean } from "../output/clean.ts";

const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i;
/** File systems allow 255 bytes; a part of that is left for temporary names. */
const MAX_BYTES = 200;

/**
 * Makes a file name of one that the network reports: in one folder, not hidden, not an option of a command, and valid on
 * every file system. Returns `undefined` if nothing is left of it.
 */
export function toFileName(reported: string): string | undefined {
  const last = reported.split(/[\\/]/).at(-1) ?? "";
  const shown = clean(last)
    .replace(/[<>:"|?*\ufffd]/g, "_")
    .replace(/^[.\-\s~]+/, "")
    .replace(/[.\s]+$/, "");
  const cut = cutBytes(shown).replace(/[.\s]+$/, "");
  if (/^_*$/.test(cut)) return undefined;
  return RESERVED.test(cut) ? `_${cut}` : cut;
}

/** Cuts a name to its longest allowed length, before its ending. */
function cutBytes(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [, stem = name, ending = ""] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
  let cut = "";
  let bytes = Buffer.byteLength(ending);
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    cut += character;
  }
  return cut + ending;
}
