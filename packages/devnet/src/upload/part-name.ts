import { Refusal } from "../http/json.ts";

const escapes: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

/** Maximum names in a path: the importer recurses into folders and would overflow the stack. */
const MAX_NAMES = 1_000;

/**
 * Reads the path in the file name of a multipart part; decodes the three escapes that browsers use there.
 *
 * @throws Refusal 400 for a path that leads outside, is too deep, or would be split wrongly by the importer.
 */
export function readPartPath(filename: string): string {
  const name = filename.replace(/%(?:22|0D|0A)/gi, (escaped) => escapes[escaped.toUpperCase()] ?? escaped);
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..") || name.includes("\0") || name.includes("\\/")) {
    throw new Refusal(400, "Invalid file name");
  }
  if (segments.length > MAX_NAMES) throw new Refusal(400, "Path too deep");
  return segments.join("/");
}
