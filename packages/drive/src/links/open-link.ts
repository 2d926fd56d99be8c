import type { Signer } from "keeplight";
import { copyOptions, createKeySigner, invalidOption, isOptions } from "keeplight/parts";
import { toHex } from "../fields.ts";
import { type LinkFacts, readLink } from "./link-format.ts";

/** Options of {@link openLink}. */
export interface OpenLinkOptions {
  /** The link's password, if it has one. @default none */
  password?: string | undefined;
}

/** A file that a link opens. */
export interface LinkedFile extends LinkFacts {
  /** The link's own account, for `decrypt`. It signs without asking anyone. A secret. */
  signer: Signer;
}

/**
 * Reads a link of `drive.createLink`, and verifies that nothing of it was changed since. Nothing is sent. The file opens as long as
 * the link was not ended.
 *
 * @param link - such as `location.href`; remove the fragment from the page's history first
 * @throws `INVALID_LINK`, also for one that has ended by itself, and for a wrong password; `INVALID_OPTION` if it needs a password
 *
 * @example
 * const { cid, signer, commitment, chunkProfile } = await openLink(location.href);
 * const file = await decrypt(cid, { signer, commitment, chunkProfile, as: "blob" });
 */
export async function openLink(link: string | URL, options: OpenLinkOptions = {}): Promise<LinkedFile> {
  if (!isOptions(options)) throw invalidOption("options", "an object");
  const { password } = copyOptions(options);
  const { facts, privateKey } = await readLink(link, password, Date.now());
  return { ...facts, signer: await createKeySigner(toHex(privateKey)) };
}
