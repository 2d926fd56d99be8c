import type { Price } from "keeplight";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Formats a number of bytes for people: `1.5 MiB`. */
export function formatBytes(bytes: number | bigint | string | null | undefined): string {
  const value = bytes === "" || bytes === null || bytes === undefined ? Number.NaN : Number(bytes);
  if (!Number.isFinite(value)) return "?";
  const exponent = Math.min(Math.max(Math.floor(Math.log2(Math.abs(value) || 1) / 10), 0), UNITS.length - 1);
  const scaled = value / 1024 ** exponent;
  const digits = exponent === 0 || Math.abs(scaled) >= 100 ? 0 : 1;
  return `${scaled.toFixed(digits)} ${UNITS[exponent]}`;
}

/** Formats a duration in seconds for people: `1:05:09`, `2:03`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "-:--";
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const clock = `${hours > 0 ? String(minutes).padStart(2, "0") : minutes}:${String(rest).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${clock}` : clock;
}

/** Formats a time in milliseconds since 1970, in UTC: `2025-01-31 12:00`. */
export function formatTime(milliseconds: number | null | undefined): string {
  const date = new Date(milliseconds || Number.NaN);
  return Number.isNaN(date.getTime()) ? "?" : date.toISOString().slice(0, 16).replace("T", " ");
}

/** Formats an amount in the smallest unit as a decimal number. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, "");
  return `${digits.slice(0, split)}${fraction && `.${fraction}`}`;
}

/** Formats a price: `1.5 usdc (1.50 US dollars)`. */
export function formatPrice({ amount, decimals, token, usd }: Price): string {
  return `${formatAmount(amount, decimals)} ${token} (${usd} US dollars)`;
}

/** Control characters, which a terminal may obey, and those that reorder or hide text. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/gu;

/** Makes a string from elsewhere safe to print: each character that is not text becomes `�`. */
export function clean(text: string): string {
  return text.replace(UNSAFE, "\ufffd");
}

/** The same for several lines. */
export function cleanLines(text: string): string {
  return text.split("\n").map(clean).join("\n");
}

/** Encodes JSON in one line that is safe to print, too: what JSON leaves as it is, is escaped. */
export function toSafeJson(value: unknown): string {
  const json = JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part));
  return json.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
