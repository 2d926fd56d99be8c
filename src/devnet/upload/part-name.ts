import { Refusal } from "../http/json.ts";

const escapes: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

/** Names in the longest path that is taken: the importer recurses into folders and runs out of stack. */
const MAX_NAMES = 1_000;

/**
 * The path a multipart part names, with the three escapes that browsers write into file names undone.
 *
 * @throws Refusal 400 for a path that leads outside, that is too deep, or that the importer would take apart wrongly.
 */
export function partPath(filename: string): string {
  const name = filename.replace(/%(?:22|0D|0A)/gi, (escaped) => escapes[escaped.toUpperCase()] ?? escaped);
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..") || name.includes("\0") || name.includes("\\/")) {
    throw new Refusal(400, "Invalid file name");
  }
  if (segments.length > MAX_NAMES) throw new Refusal(400, "Path too deep");
  return segments.join("/");
}
