import type { ReceivedFile } from "@keeplight/drive";

// What is read of a link before it is opened: nobody has verified it yet.

/** Longest secret that is not sealed by a password, in characters. */
const PLAIN_SECRET = 43;

/** Whether a link opens with a password only. */
export function needsPassword(link: string): boolean {
  return isEndingLink(link) && (readFragment(link).get("secret") ?? "").length > PLAIN_SECRET;
}

/** Whether a link says that its time is over. */
export function isOver(link: string, now: number): boolean {
  const endsAt = readFragment(link).get("endsAt");
  return isEndingLink(link) && endsAt !== null && Number(endsAt) <= now;
}

/** Whether it is a link that can be ended, and not one that has the key. */
export function isEndingLink(link: string): boolean {
  return readFragment(link).get("keeplight") === "2";
}

/** Returns the link that a file was received by; `undefined` if that was a message. */
export function toReceivedLink({ cid, name, key, commitment, chunkProfile, link }: ReceivedFile): string | undefined {
  if (link !== undefined || key === undefined || commitment === undefined) return link;
  const fields = { keeplight: "1", cid, key, commitment, ...(name !== cid && { name }) };
  const profile = chunkProfile === undefined ? {} : { chunkProfile };
  return new URL(`#${new URLSearchParams({ ...fields, ...profile })}`, location.href).href;
}

/** Whether a file was received by a link. */
export function isReceivedBy(file: ReceivedFile, link: string): boolean {
  const fields = readFragment(link);
  return (
    file.link === link || (file.key !== undefined && file.key === fields.get("key") && file.cid === fields.get("cid"))
  );
}

function readFragment(link: string): URLSearchParams {
  return new URLSearchParams(link.slice(link.indexOf("#") + 1));
}
