import type { DriveLink } from "@keeplight/drive";

/**
 * Returns the address, in lower case, of a link's own account, which its file is shared with: the drive identifies links by
 * both.
 */
export function getLinkAddress({ id, cid }: DriveLink): string {
  return id.slice(cid.length + 1).toLowerCase();
}
