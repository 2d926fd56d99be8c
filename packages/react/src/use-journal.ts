import { type Journal, openJournal } from "keeplight";
import { type Loaded, useLoad } from "./use-load.ts";

/**
 * Opens a journal of this site, for the provider's option `journal`: encrypted uploads, payments and changes of access
 * then survive the page, and {@link useUnfinished} offers what was interrupted. Opens another one when `name` changes;
 * `reload` opens it again, after `JOURNAL_CLOSED`.
 *
 * @param name - of a database (IndexedDB) for nothing else, such as one per account. Without it the value is `undefined`
 *
 * @example
 * const { state } = useJournal(`uploads of ${address}`);
 * if (state.status === "ready") return <KitProvider options={{ apiKey, signer, journal: state.value }}>…</KitProvider>;
 */
export function useJournal(name: string | undefined): Loaded<Journal | undefined> {
  const open = async () => (name === undefined ? undefined : openJournal({ name }));
  const { state, reload } = useLoad<Journal | undefined>(open, undefined, name);
  return { state, reload };
}
