import { toHref } from "../routes.ts";

/**
 * Returns the URL of a file's page in this app. It contains no secret.
 *
 * @param name - what its recipient is to see, as the network does not know the name
 */
export function createFileLink(cid: string, within?: string, name?: string): string {
  return `${location.origin}${location.pathname}${toHref({ screen: "file", cid, tab: "preview", within, name })}`;
}
