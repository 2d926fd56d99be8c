import { invalidOption } from "keeplight/parts";

/**
 * Returns a URL of a database without credentials, for messages. Throws `INVALID_OPTION`, which has no part of the URL, if it
 * cannot be read, or if a password that is not percent-encoded ends its host too early.
 *
 * @param option - that the URL is the value of
 */
export function readPlace(option: string, url: string): string {
  const parsed = tryUrl(url);
  if (!parsed || isCutShort(parsed)) {
    throw invalidOption(option, "a URL whose user name and password are percent-encoded");
  }
  const { protocol, host, pathname } = parsed;
  return `${protocol}//${host}${pathname}`;
}

function tryUrl(url: string): URL | undefined {
  try {
    const parsed = new URL(url);
    decodeURIComponent(`${parsed.username}${parsed.password}${parsed.pathname}`);
    return parsed;
  } catch {
    return undefined;
  }
}

/** Whether the `@` behind the credentials is in another part: they contain a `/`, `?` or `#`. */
function isCutShort({ hash, username, pathname, search }: URL): boolean {
  return hash !== "" || (username === "" && `${pathname}${search}`.includes("@"));
}
