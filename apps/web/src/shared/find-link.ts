import { toHref } from "../routes.ts";

/** Returns the fragment that opens what a person has pasted: a CID, or a link of any kind; `undefined` for neither. */
export function findLink(text: string): string | undefined {
  const shareLink = /#keeplight=[^\s#]+/.exec(text)?.[0];
  if (shareLink) return shareLink;
  const request = /#\/request\/[^\s#]+/.exec(text)?.[0];
  if (request) return request;
  // It has the name, which the network does not know.
  const named = /#\/file\/[A-Za-z0-9]+\/[a-z]+\?name=[^\s#]+/.exec(text)?.[0];
  if (named) return named;
  const cid = /\b(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{58,})\b/.exec(text)?.[1];
  return cid && toHref({ screen: "file", cid, tab: "preview" });
}
