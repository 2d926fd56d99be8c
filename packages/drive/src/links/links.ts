import { isKeeplightError } from "keeplight";
import { createKeySigner, invalidOption, isOptions, isSameAddress, wholeNumber } from "keeplight/parts";
import type { Change, EntryLike } from "../changes.ts";
import type { Core } from "../core.ts";
import { toHex } from "../fields.ts";
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
  /** After how many milliseconds the link ends, at most 100 years. @default it does not */
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
   * @throws `INVALID_OPTION`; what `kavachShare` throws: then the link is listed, and may open the file
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

/** What a drive does to its links by itself. */
interface LinkCare {
  /** Ends the links to these content ids. Throws what {@link Links.endLink} does. */
  endAll(cids: ReadonlySet<string>): Promise<void>;
  /**
   * Ends what is over: links by their own time, and those that another device ended while they were created here. Nobody waits for
   * it: the wallet may have to sign. What fails is not tried again by this page or process, and neither is
   * the rest, unless the key nodes refuse one link.
   */
  endOver(): void;
}

export function createLinks(
  core: Core,
  kit: Pick<DriveKit, "kavachGetAccessConditions" | "kavachRevoke" | "kavachShare">,
  account: string,
  requireFile: (file: EntryLike) => DriveFile,
): Links & LinkCare {
  /** Ids of links that are shared, or being shared, by this page or process. */
  const made = new Set<string>();
  /** Ids of links that the key nodes have refused to end. */
  const unended = new Set<string>();
  let isEnding = false;

  function listOwn(): [string, SharedState][] {
    const own = ({ link, from }: SharedFacts) => link !== undefined && from === account;
    return [...(core.state.shared ?? [])].filter(([, { file }]) => own(file[0]));
  }

  function listOpen(): [string, SharedState][] {
    const open = listOwn().filter(([, { removed }]) => !removed?.[0]);
    return open.sort(([, { file: one }], [, { file: other }]) => (one[1] < other[1] ? 1 : -1));
  }

  /** Revokes first: a link that is not listed opens nothing. */
  async function end(id: string, { file: [facts], removed }: SharedState): Promise<void> {
    // After a share of this process that runs: calls for one file take turns.
    await revoke(facts);
    made.delete(id);
    if (removed?.[0]) return;
    await core.change((stamp) => {
      const item = core.state.shared?.get(id);
      const changed: [string, SharedState][] = item ? [[id, { ...item, removed: [true, stamp] }]] : [];
      return [{ ...emptyState, shared: new Map(changed) }, undefined];
    });
  }

  async function revoke({ cid, linkId = "" }: SharedFacts): Promise<void> {
    try {
      await kit.kavachRevoke(cid, { revokeTo: linkId });
    } catch (error) {
      if (!isKeeplightError(error, "NODE_REFUSED") || !(await isLost(cid, linkId))) throw error;
    }
  }

  /** Whether the account has nothing to revoke any more: the file is unknown, or has a new owner who shares it with others. */
  async function isLost(cid: string, address: string): Promise<boolean> {
    try {
      const { owner, sharedTo } = await kit.kavachGetAccessConditions(cid);
      return !isSameAddress(owner, account) && !sharedTo.some((each) => isSameAddress(each, address));
    } catch (error) {
      return isKeeplightError(error, "CID_NOT_FOUND");
    }
  }

  function listOver(): [string, SharedState][] {
    const now = Date.now();
    return listOwn().filter(([id, { file, removed }]) => {
      if (unended.has(id)) return false;
      return removed?.[0] ? made.has(id) : (file[0].endsAt ?? Number.POSITIVE_INFINITY) <= now;
    });
  }

  return {
    async createLink(entry, options) {
      if (!isOptions(options)) throw invalidOption("options", "an object");
      const { page, password, endsAfterMs } = options;
      const { cid, name, commitment, chunkProfile, mimeType: type, size } = requireFile(entry);
      const lasts = endsAfterMs === undefined ? undefined : checkLasting(endsAfterMs, "endsAfterMs");
      const endsAt = lasts === undefined ? undefined : Date.now() + lasts;
      const { link, privateKey } = await formatLink(page, { cid, name, commitment, chunkProfile, endsAt }, password);
      const signer = await createKeySigner(toHex(privateKey));
      const address = (await signer.getAddress()).toLowerCase();
      const facts = { cid, name, size, commitment, chunkProfile, type, from: account, link, linkId: address, endsAt };
      const id = toSharedId(facts);
      // Kept before it opens anything: what is shared can be ended.
      const item = await core.change((stamp): [Change, SharedState] => {
        const created: SharedState = { file: [facts, stamp] };
        return [{ ...emptyState, shared: new Map([[id, created]]) }, created];
      });
      made.add(id);
      await kit.kavachShare(cid, { shareTo: address });
      // Ended before that: what is sent after a revoke opens it again.
      if (core.state.shared?.get(id)?.removed?.[0]) await revoke(facts);
      return describe(id, item);
    },
    listLinks: () => listOpen().map(([id, item]) => describe(id, item)),
    async endLink(link) {
      const id = typeof link === "string" ? link : link?.id;
      const found = listOpen().find(([each]) => each === id);
      if (!found) throw invalidOption("link", "a link that was not ended: its id, or what was listed");
      await end(...found);
    },
    async endAll(cids) {
      for (const [id, item] of listOpen()) if (cids.has(item.file[0].cid)) await end(id, item);
    },
    endOver() {
      if (isEnding) return;
      isEnding = true;
      void endAllOver().then(
        () => {
          isEnding = false;
        },
        () => undefined,
      );
    },
  };

  async function endAllOver(): Promise<void> {
    for (const [id, item] of listOver()) {
      await end(id, item).catch((error: unknown) => {
        if (!isKeeplightError(error, "NODE_REFUSED")) throw error;
        unended.add(id);
      });
    }
  }
}

const YEAR_MS = 31_536_000_000;
const checkLasting = wholeNumber(YEAR_MS, 1, 100 * YEAR_MS);

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
