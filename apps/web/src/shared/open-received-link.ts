import { openLink } from "@keeplight/drive";
import { commitToKey, isKeeplightError, type Signer } from "keeplight";
import type { KnownKey } from "../file/link-key.ts";
import { AppError } from "../messages/explain-error.ts";
import { isEndingLink } from "./link-fragment.ts";

/** A file that a link opens without a wallet. */
export interface LinkedFile {
  cid: string;
  /** As the link calls it. */
  name: string | undefined;
  knownKey: KnownKey;
  /** The account of a link that can be ended, which proves the name, too. A link with the key has none. A secret. */
  signer: Signer | undefined;
  /** When the link ends, in milliseconds since 1970, if it does by itself. */
  endsAt: number | undefined;
}

/** A password that does not open a link. */
export class WrongPassword extends Error {}

/** Reads a link of either kind, and verifies what it proves. Nothing is sent. Throws {@link WrongPassword}, or what is shown. */
export async function openReceivedLink(link: string, password?: string): Promise<LinkedFile> {
  if (!isEndingLink(link)) return openKeyLink(link);
  try {
    const { cid, name, signer, commitment, chunkProfile, endsAt } = await openLink(link, { password });
    return { cid, name, signer, endsAt, knownKey: { commitment, chunkProfile } };
  } catch (error) {
    throw toLinkProblem(error);
  }
}

async function openKeyLink(link: string): Promise<LinkedFile> {
  const { openShareLink } = await import("@keeplight/recovery");
  const { cid, key, name, chunkProfile } = await openShareLink(link);
  const commitment = await commitToKey(cid, key);
  return { cid, name, signer: undefined, endsAt: undefined, knownKey: { key, commitment, chunkProfile } };
}

/** These errors have one code; only their messages say what is the matter. */
function toLinkProblem(error: unknown): unknown {
  if (!isKeeplightError(error, "INVALID_LINK")) return error;
  if (error.message.includes("password")) return new WrongPassword();
  if (error.message.includes("it has ended")) return new AppError(({ shared }) => shared.over);
  if (error.message.includes("it was changed")) return new AppError(({ shared }) => shared.changed);
  return error;
}
