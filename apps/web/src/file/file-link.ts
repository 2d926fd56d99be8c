import { toHref } from "../routes.ts";

/** Returns the URL of a file's page in this app. It contains no secret. */
export function createFileLink(cid: string, within?: string): string {
  return `${location.origin}${location.pathname}${toHref({ screen: "file", cid, tab: "preview", within })}`;
}
