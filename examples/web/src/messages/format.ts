const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  if (unit === 0) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[unit]}`;
}

/** Formats a date and time. */
export function formatTime(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

export function formatPercent(fraction: number): string {
  return (Math.floor(fraction * 100) / 100).toLocaleString(undefined, { style: "percent" });
}

/** Joins items: `3, 4, and 5`. */
export function formatList(items: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "conjunction" }).format(items);
}

/** Keeps both ends of a long id: `bafybe…3kq4`. */
export function shorten(id: string, head = 8, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`;
}

/** Formats a count: `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
}
