import { getLocale } from "./locale.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MONTH_DAYS = 30;
const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

const formats = new Map<string, unknown>();

/** Returns the same formatter each time: creating one takes longer than what a row of a list renders besides. */
function getFormat<Format>(
  kind: string,
  options: object | undefined,
  create: (locale: string | undefined) => Format,
): Format {
  const locale = getLocale();
  const key = `${kind} ${locale} ${JSON.stringify(options)}`;
  const format = (formats.get(key) as Format | undefined) ?? create(locale);
  formats.set(key, format);
  return format;
}

/** Names the formatters of dates by the time zone, which changes as its reader travels. */
function getZone(ms: number): string {
  return `date ${new Date(ms).getTimezoneOffset()}`;
}

/** Formats a size: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return formatNumber(bytes, { style: "unit", unit: "byte", unitDisplay: "long" });
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${formatNumber(value, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[unit]}`;
}

/** Formats a number: `1,000`. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return getFormat("number", options, (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

/** Formats a date and time. */
export function formatTime(ms: number): string {
  const options = { dateStyle: "medium", timeStyle: "short" } as const;
  return getFormat(getZone(ms), options, (locale) => new Intl.DateTimeFormat(locale, options)).format(ms);
}

/** Formats a time that is to come: the day of the week and the time, and from a week on the date. */
export function formatUntil(ms: number, now: number): string {
  const style: Intl.DateTimeFormatOptions =
    ms - now < 6 * DAY_MS ? { weekday: "short", hour: "numeric", minute: "2-digit" } : { dateStyle: "medium" };
  return new Date(ms).toLocaleString(getLocale(), style);
}

/** Formats how long ago something was: `2 days ago`, and from a month on its date; `undefined` for less than a minute. */
export function formatAge(ms: number, now: number): string | undefined {
  const minutes = Math.floor((now - ms) / MINUTE_MS);
  const options = { numeric: "auto" } as const;
  const ago = getFormat("relative", options, (locale) => new Intl.RelativeTimeFormat(locale, options));
  // The clock of the network may be ahead.
  if (minutes < 1) return undefined;
  if (minutes < 60) return ago.format(-minutes, "minute");
  const days = Math.round((getMidnight(now) - getMidnight(ms)) / DAY_MS);
  if (days === 0 || minutes < 6 * 60) return ago.format(-Math.floor(minutes / 60), "hour");
  if (days < MONTH_DAYS) return ago.format(-days, "day");
  return formatDate(ms);
}

/** The start of a day where the reader is; the days of summer time have an hour more or less. */
function getMidnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

/** Formats an amount in US dollars: `$40`. */
export function formatDollars(amount: number): string {
  return formatNumber(amount, { style: "currency", currency: "USD", trailingZeroDisplay: "stripIfInteger" });
}

/** Formats an amount of USDC, in its smallest unit, as US dollars: `$0.0325`. */
export function formatUsdc(amount: bigint): string {
  return formatNumber(Number(amount) / 1e6, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
}

/** Formats a date: `Nov 27, 2027`. */
export function formatDate(ms: number): string {
  const options = { dateStyle: "medium" } as const;
  return getFormat(getZone(ms), options, (locale) => new Intl.DateTimeFormat(locale, options)).format(ms);
}

/** Formats an amount given in a token's base units, with up to 8 decimals: `1.5`. */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, "0");
  const cut = digits.length - decimals;
  // `Intl` formats decimal strings exactly, where a number would lose digits.
  const exact = `${digits.slice(0, cut)}.${digits.slice(cut) || "0"}` as `${number}`;
  return new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 8, roundingMode: "trunc" }).format(exact);
}

/** Formats a fraction as whole percents, rounded down: 100% is all of it. */
export function formatPercent(fraction: number): string {
  return formatNumber(Math.floor(fraction * 100) / 100, { style: "percent" });
}

/** Joins items: `3, 4, and 5`. */
export function formatList(items: readonly string[]): string {
  return new Intl.ListFormat(getLocale(), { type: "conjunction" }).format(items);
}

/** Formats a count with its noun, in the form that the number takes: `1 file`, `2 files`. */
export function formatCount(count: number, noun: { one: string; other: string }): string {
  const form = new Intl.PluralRules(getLocale()).select(count);
  return `${formatNumber(count)} ${form === "one" ? noun.one : noun.other}`;
}

/** Keeps both ends of a long id: `bafybe…3kq4`. */
export function shorten(id: string, head = 8, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`;
}
