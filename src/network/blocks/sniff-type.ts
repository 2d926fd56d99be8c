/** How many bytes of a file reveal its type. */
export const SNIFFED_BYTES = 16;

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

/**
 * Guesses a file's type from its first {@link SNIFFED_BYTES}. Only images, sound, film and PDF are named: everything else,
 * such as HTML and SVG, which could run scripts, is `application/octet-stream`.
 */
export function sniffType(start: Uint8Array): string {
  const hex = Array.from(start, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return SIGNATURES.find(([pattern]) => new RegExp(`^${pattern}`).test(hex))?.[1] ?? "application/octet-stream";
}
