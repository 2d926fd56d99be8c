/** Reads the percent-decoded credentials of a URL; undefined if it has none. */
function readCredentials(url: string): { username: string; password: string } | undefined {
  if (!url.includes("@")) return undefined;
  const { username, password } = new URL(url);
  if (username === "" && password === "") return undefined;
  return { username: percentDecode(username), password: percentDecode(password) };
}

export function withoutCredentials(url: string): string {
  if (!url.includes("@")) return url;
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/** Returns `Basic` authorization (RFC 7617) for the credentials of a URL: fetch refuses URLs that hold them. */
export function basicAuthorization(url: string): string | undefined {
  const credentials = readCredentials(url);
  if (!credentials) return undefined;
  const bytes = new TextEncoder().encode(`${credentials.username}:${credentials.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Percent signs that encode nothing stay as they are. */
export function percentDecode(text: string): string {
  return new URLSearchParams(`=${text.replace(/[+&]/g, encodeURIComponent)}`).get("") ?? "";
}
