import { type EndpointOptions, isKeeplightError, KeeplightError, openJournal, type Signer } from "keeplight";
import { getEntries } from "keeplight/parts";
import { toHex } from "../fields.ts";
import { forgetDrive } from "../memory.ts";
import { type EndedSession, forgetSession, isOver, type KeptSession } from "./kept.ts";
import type { SessionCallOptions } from "./session.ts";
import { openSessionJournal, type SessionJournal } from "./session-journal.ts";
import { createSessionSigner, removeToken, sessionEnded } from "./session-signer.ts";
import type { Vault } from "./vault.ts";

/** A session that this tab shows. */
export interface Shown {
  kept: KeptSession;
  options: SessionCallOptions;
  place: SessionJournal | undefined;
  isActive: boolean;
}

/**
 * Creates what a tab uses of a session.
 *
 * @param wallet - returns the wallet that is connected at that time
 */
export async function createShown(
  vault: Vault,
  kept: KeptSession,
  endpoints: Partial<EndpointOptions> | undefined,
  wallet: () => Signer | undefined,
) {
  const assertActive = () => {
    if (!shown.isActive || isOver(shown.kept, Date.now())) throw sessionEnded();
  };
  const { signer, ...token } = createSessionSigner(kept, vault, { assertActive, wallet });
  const place = vault.isKept ? await openSessionJournal(kept.journal, assertActive) : undefined;
  const options = { apiKey: kept.apiKey, signer, journal: place?.journal, ...(endpoints && { endpoints }) };
  const shown: Shown = { kept, options: Object.freeze(options), place, isActive: true };
  return { shown, ...token };
}

/** Throws `SESSION_UNFINISHED` if something in the journal is not complete; nothing new starts in it meanwhile. */
export async function assertComplete(session: Shown): Promise<void> {
  session.isActive = false;
  try {
    const open = await session.place?.countOpen();
    if (open && (open.operations > 0 || open.unsaved)) throw sessionUnfinished(open);
  } catch (error) {
    // Of a journal that was deleted, nothing is left to lose.
    if (isKeeplightError(error, "JOURNAL_CLOSED")) return;
    session.isActive = true;
    throw error;
  }
}

const sessionUnfinished = (details: { operations: number; unsaved: boolean }) =>
  new KeeplightError("SESSION_UNFINISHED", "Signing out would lose what is not complete in this browser", { details });

/** Removes what is left of a session that has ended, but not what is not complete. */
export async function clearSession(vault: Vault, { id, account, journal }: EndedSession): Promise<void> {
  const { current, journals } = await vault.read();
  const isLeft = vault.isKept && current?.journal !== journal && Object.values(journals).includes(journal);
  if (isLeft) await forgetDrive(getEntries(await openJournal({ name: journal })), account);
  await removeToken(vault, id);
  await vault.change((kept) => forgetSession(kept, id));
}

const ID_BYTES = 16;

/** Creates a name that says nothing: 32 hex digits. */
export const createName = (): string => toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
