import { Refusal } from "../http/json.ts";

const escapes: Readonly<Record<string, string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

/**
 * The path a multipart part names, with the three escapes that browsers write into file names undone.
 *
 * @throws Refusal 400 for a path that leads outside, or that the importer would take apart wrongly.
 */
export function partPath(filename: string): string {
  const name = filename.replace(/%(?:22|0D|0A)/gi, (escaped) => escapes[escaped.toUpperCase()] ?? escaped);
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.length === 0 || segments.includes("..") || name.includes("\0") || name.includes("\\/")) {
    throw new Refusal(400, "Invalid file name");
  }
  return segments.join("/");
}
