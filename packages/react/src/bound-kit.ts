import { createKit, type Journal, type JournalLike, type Kit, type KitDefaults } from "keeplight";
import { copyOptions } from "keeplight/parts";
import { type FollowedSigner, followSigner } from "./followed-signer.ts";

/** A kit, and the account that it acts for. */
export interface BoundKit {
  kit: Kit;
  /** Of all options but the signer. */
  optionsKey: string;
  signal: AbortSignal | undefined;
  /** What `openJournal` returned, if that is among the options. */
  journal: Journal | undefined;
  /** What resuming an operation of the journal takes. */
  resumeDefaults: Omit<KitDefaults, "journal" | "signal">;
  signer: FollowedSigner | undefined;
  /** Identifies the account: by the address of the signer or owner, else by what lets its uploads in. */
  accountId: string;
}

/** Binds a provider's options. `previous` lends its signer if that is of the same account. */
export function bindKit(given: KitDefaults, previous?: BoundKit): BoundKit {
  const options = copyOptions(given);
  const { signer, signal, apiKey, via, endpoints } = options;
  const isSame = signer !== undefined && previous?.signer?.compare(signer) === true;
  const followed = isSame ? previous?.signer : signer && followSigner(signer);
  const owner = followed?.id ?? options.address?.toLowerCase();
  const defaults = followed ? ({ ...options, signer: followed.signer } as KitDefaults) : options;
  const { journal, signal: _, ...resumeDefaults } = defaults;
  return {
    kit: createKit(defaults) as Kit,
    journal: isJournal(journal) ? journal : undefined,
    resumeDefaults,
    optionsKey: computeOptionsKey(options),
    signal,
    signer: followed,
    accountId: JSON.stringify([endpoints, owner ?? [apiKey, via]]),
  };
}

/** Whether a kit still serves these options: a promise if the signers have to be queried. */
export function isBoundTo(bound: BoundKit, options: KitDefaults): boolean | Promise<boolean> {
  if (bound.optionsKey !== computeOptionsKey(options) || bound.signal !== options.signal) return false;
  if (bound.journal !== options.journal) return false;
  const { signer } = options;
  if (!bound.signer || signer === undefined) return bound.signer === signer;
  return bound.signer.compare(signer);
}

/** The values of all options but those that are compared by themselves. */
function computeOptionsKey({ signer: _, signal: __, journal: ___, ...serializable }: KitDefaults): string {
  return JSON.stringify(serializable);
}

function isJournal(journal: JournalLike | undefined): journal is Journal {
  return journal !== undefined && "resume" in journal;
}
