import type { OpenFile } from "keeplight";
import { policyOf } from "./content-policy.ts";

/** What is required of a file: `openFile` and `openEncrypted` of `keeplight` return it. */
export type MediaFile = Pick<OpenFile, "size" | "read" | "stream">;

/**
 * Responds to a request for a file, or for a range of it (RFC 9110, section 14), as players of film and sound make them: for
 * Service Workers and servers. The type is that of an image, sound, film or PDF, or `application/octet-stream`: never one
 * that runs scripts.
 *
 * @throws what reading the start of the file throws
 */
export async function createResponse(
  file: MediaFile,
  request?: Pick<Request, "method" | "headers">,
): Promise<Response> {
  const { size } = file;
  const type = await getType(file);
  const headers = new Headers({
    "Accept-Ranges": "bytes",
    "Content-Type": type,
    "Content-Security-Policy": policyOf(type),
    "X-Content-Type-Options": "nosniff",
  });
  const range = readRange(request?.headers.get("range") ?? "", size);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  const { from, to } = range ?? { from: 0, to: size };
  headers.set("Content-Length", String(to - from));
  if (range) headers.set("Content-Range", `bytes ${from}-${to - 1}/${size}`);
  const body = request?.method === "HEAD" ? null : file.stream({ from, to, mayJump: true });
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** Parses a `Range` of one range; other headers are ignored, as the RFC allows. */
function readRange(header: string, size: number): { from: number; to: number } | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : "unsatisfiable";
}

/** How many bytes of a file reveal its type. */
const SNIFFED_BYTES = 16;

/** Types that are safe to show, and how files of them start: bytes in hex, with dots for any half byte. */
const SIGNATURES: readonly (readonly [start: string, type: string])[] = [
  ["........66747970" + "61766966", "image/avif"],
  ["........66747970" + "4d344120", "audio/mp4"],
  ["........66747970", "video/mp4"],
  ["1a45dfa3", "video/webm"],
  ["4f676753", "application/ogg"],
  ["494433", "audio/mpeg"],
  ["fff[b3a2]", "audio/mpeg"],
  ["fff[19]", "audio/aac"],
  ["664c6143", "audio/flac"],
  ["52494646........57415645", "audio/wav"],
  ["52463634........57415645", "audio/wav"],
  ["52494646........57454250", "image/webp"],
  ["ffd8ff", "image/jpeg"],
  ["89504e470d0a1a0a", "image/png"],
  ["474946383[79]61", "image/gif"],
  ["255044462d", "application/pdf"],
];

const types = new WeakMap<MediaFile, string>();

/** Once only: a player requests many ranges, and the start of the file may not be in memory any more. */
async function getType(file: MediaFile): Promise<string> {
  const type = types.get(file) ?? sniffType(await file.read(0, Math.min(file.size, SNIFFED_BYTES)));
  types.set(file, type);
  return type;
}

/**
 * Guesses a file's type from its first {@link SNIFFED_BYTES}. Only images, sound, film and PDF are named: everything else,
 * such as HTML and SVG, which could run scripts, is `application/octet-stream`.
 */
function sniffType(start: Uint8Array): string {
  const hex = Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return SIGNATURES.find(([pattern]) => new RegExp(`^${pattern}`).test(hex))?.[1] ?? "application/octet-stream";
}
