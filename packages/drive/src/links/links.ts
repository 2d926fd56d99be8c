import { isKeeplightError } from "keeplight";
import { createKeySigner, invalidOption, type JournalLike } from "keeplight/parts";
import type { Change, EntryLike } from "../changes.ts";
import type { Core } from "../core.ts";
import type { DriveKit } from "../remote.ts";
import { toSharedId } from "../shared-rows.ts";
import { emptyState, getTime, type SharedFacts, type SharedState } from "../state.ts";
import type { DriveFile } from "../tree.ts";
import { formatLink } from "./link-format.ts";

/** Options of {@link Links.createLink}. */
export interface CreateLinkOptions {
  /**
   * The page that opens the link, which calls `openLink`. It must use https, unless it is on this machine, and should load
   * nothing from other sites.
   */
  page: string | URL;
  /** What people have to know beside the link, at least 8 characters. Nothing limits guesses but its length. @default none */
  password?: string | undefined;
  /** After how many milliseconds the link ends. @default it does not */
  endsAfterMs?: number | undefined;
}

/** A link that opens one file, as it was when the link was made, until it is ended. */
export interface DriveLink {
  /** Identifies it in the list. */
  id: string;
  /** Content id of the file. */
  cid: string;
  /** Name of the file, which the link has. */
  name: string;
  /** When it was created, in milliseconds since 1970. */
  createdAt: number;
  /** When it ends by itself, in milliseconds since 1970. */
  endsAt?: number | undefined;
  /** The link. A secret: it is not enumerable. */
  readonly url: string;
}

/** The links that the account has made, as its drive keeps them. */
export interface Links {
  /**
   * Creates a link to a file: whoever has it can open the file, without a wallet, until it is ended. The file is shared with an
   * account that only the link has; it opens that version of the file, under its real name.
   *
   * @throws `INVALID_OPTION`; what `kavachShare` throws: then the link is listed, and opens nothing
   */
  createLink(file: EntryLike, options: CreateLinkOptions): Promise<DriveLink>;
  /** Lists the links that were not ended, those that were created last first. */
  listLinks(): DriveLink[];
  /**
   * Ends a link. Who has opened it keeps what they have opened.
   *
   * @throws `INVALID_OPTION`; what `kavachRevoke` throws: then it is listed, and may still open the file
   */
  endLink(link: DriveLink | string): Promise<void>;
}

export function createLinks(
  core: Core,
  kit: Pick<DriveKit, "kavachShare" | "kavachRevoke">,
  { account, journal }: { account: string; journal: JournalLike },
  requireFile: (file: EntryLike) => DriveFile,
): Links & { endExpired(): Promise<void> } {
  function listOpen(): [string, SharedState][] {
    const own = [...(core.state.shared ?? [])].filter(([, { file, removed }]) => {
      return file[0].link !== undefined && file[0].from === account && !removed?.[0];
    });
    return own.sort(([, { file: one }], [, { file: other }]) => (one[1] < other[1] ? 1 : -1));
  }

  /** Revokes first: a link that is not listed opens nothing. */
  async function end(id: string, { cid, linkAddress = "" }: SharedFacts): Promise<void> {
    try {
      await kit.kavachRevoke(cid, { revokeTo: linkAddress, journal });
    } catch (error) {
      // The file was deleted, and its key with it.
      if (!isKeeplightError(error, "CID_NOT_FOUND")) throw error;
    }
    await core.change((stamp) => {
      const item = core.state.shared?.get(id);
      const change = item ? new Map([[id, { ...item, removed: [true, stamp] as const }]]) : new Map();
      return [{ ...emptyState, shared: change }, undefined];
    });
  }

  return {
    async createLink(entry, { page, password, endsAfterMs }) {
      const { cid, name, commitment, chunkProfile, mimeType: type, size } = requireFile(entry);
      if (endsAfterMs !== undefined && !(Number.isSafeInteger(endsAfterMs) && endsAfterMs > 0)) {
        throw invalidOption("endsAfterMs", "a whole number from 1 on");
      }
      const endsAt = endsAfterMs === undefined ? undefined : Date.now() + endsAfterMs;
      const { link, privateKey } = await formatLink(page, { cid, name, commitment, chunkProfile, endsAt }, password);
      const { address } = await createKeySigner(privateKey);
      const known = {
        cid,
        name,
        size,
        commitment,
        chunkProfile,
        type,
        from: account,
        link,
        linkAddress: address,
        endsAt,
      };
      const id = toSharedId(known);
      // Kept before it opens anything: what is shared can be ended.
      const made = await core.change((stamp): [Change, SharedState] => {
        const item: SharedState = { file: [known, stamp] };
        return [{ ...emptyState, shared: new Map([[id, item]]) }, item];
      });
      await kit.kavachShare(cid, { shareTo: address, journal });
      return describe(id, made);
    },
    listLinks: () => listOpen().map(([id, item]) => describe(id, item)),
    async endLink(link) {
      const id = typeof link === "string" ? link : link?.id;
      const found = listOpen().find(([each]) => each === id);
      if (!found) throw invalidOption("link", "a link that was not ended: its id, or what was listed");
      await end(id, found[1].file[0]);
    },
    /** Ends the links whose time is over. What fails is tried again by the next sync. */
    async endExpired() {
      const now = Date.now();
      for (const [id, { file }] of listOpen()) {
        if ((file[0].endsAt ?? Number.POSITIVE_INFINITY) <= now) await end(id, file[0]).catch(() => undefined);
      }
    },
  };
}

/** What was listed of links: what did not change stays the same object. */
const described = new WeakMap<SharedState["file"], DriveLink>();

function describe(id: string, { file }: SharedState): DriveLink {
  const known = described.get(file);
  if (known) return known;
  const [{ cid, name, endsAt, link = "" }, stamp] = file;
  const shown = { id, cid, name, createdAt: getTime(stamp), ...(endsAt !== undefined && { endsAt }) };
  Object.defineProperty(shown, "url", { value: link, enumerable: false });
  described.set(file, Object.freeze(shown) as DriveLink);
  return shown as DriveLink;
}
