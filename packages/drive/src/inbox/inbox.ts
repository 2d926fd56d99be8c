import { commitToKey, type SignerLike } from "keeplight";
import { checkAddress, getMimeType, invalidOption, promptSigner, resolveSigner } from "keeplight/parts";
import { type EntryLike, requireEntry } from "../changes.ts";
import type { Core } from "../core.ts";
import { MAX_TEXT } from "../fields.ts";
import { listSharedFiles } from "../folder-manifests.ts";
import { isLink, parseLink, readLink } from "../links/link-format.ts";
import { isSealedSecret } from "../links/link-secret.ts";
import { toSharedId } from "../shared-rows.ts";
import { emptyState, getTime, type SharedFacts, type SharedState, type Stamp, toBase64Url } from "../state.ts";
import type { DriveEntry } from "../tree.ts";
import { createMessage, isMessage, isPath, MAX_FILES, readMessage } from "./message.ts";

/** A file that somebody else shared with the account, as one sender or one link says. */
export interface ReceivedFile extends Omit<SharedFacts, "type" | "key" | "link" | "linkId"> {
  /** Identifies it in the list: another sender of the same file is another row. */
  id: string;
  /** Media type, if it is known. */
  mimeType?: string | undefined;
  /** Address of who sent it, proved by a signature; missing for a file of a link, which anyone can make. */
  from?: string | undefined;
  /** When it was received, in milliseconds since 1970. */
  receivedAt: number;
  /** The file's master key, if it came with a link that has it: for `decrypt`. A secret: it is not enumerable. */
  readonly key?: string | undefined;
  /** The link that it came with, if that can be ended: for `openLink`. A secret: it is not enumerable. */
  readonly link?: string | undefined;
}

/** The files that others share with the account, as its drive keeps them. */
export interface Inbox {
  /** Lists the files that others share with the account, those that were received last first. */
  listReceived(): ReceivedFile[];
  /**
   * Keeps the files of a share link, or of a message of {@link Inbox.createMessage}, in the drive: all devices list them. Nothing
   * is sent to their owner.
   *
   * @throws `INVALID_LINK`, `COMMITMENT_MISMATCH`, `INVALID_MESSAGE` for one that is for another account, or not signed by whom
   * it names
   */
  receive(message: string): Promise<ReceivedFile[]>;
  /** Removes a file from that list. It may still be opened, until its owner revokes it. @throws `INVALID_OPTION` */
  removeReceived(file: ReceivedFile | string): Promise<void>;
  /**
   * Creates a message that names the files which another account can open: text, to be sent to it in any way.
   * The wallet signs it. It has no key: share the files, too. Of several entries the names start in the folder that has all of
   * them.
   *
   * @throws `INVALID_ADDRESS`; `INVALID_OPTION` without a signer, and for no or more than 1,000 files;
   * `SIGNATURE_REJECTED`; `INVALID_MESSAGE` for a wallet whose signatures do not prove its address, as that of a contract
   */
  createMessage(entry: EntryLike | readonly EntryLike[], options: { to: string }): Promise<string>;
}

export function createInbox(core: Core, account: string, signer: SignerLike | undefined): Inbox {
  const received = (): ReadonlyMap<string, SharedState> => core.state.shared ?? new Map();
  const isOwnLink = ({ from, link }: SharedFacts) => link !== undefined && from === account;

  /** Keeps files, and returns them as they are listed. */
  async function keep(files: readonly SharedFacts[]): Promise<ReceivedFile[]> {
    await core.change((stamp) => {
      const items = files.map((facts): [string, SharedState] => {
        const id = toSharedId(facts);
        return [id, receiveFile(received().get(id), facts, stamp)];
      });
      return [{ ...emptyState, shared: new Map(items) }, undefined];
    });
    const ids = new Set(files.map(toSharedId));
    return [...ids].flatMap((id) => {
      const item = received().get(id);
      return item ? describe(id, item) : [];
    });
  }

  return {
    listReceived() {
      const shown = [...received()].filter(([, { file, removed }]) => !removed?.[0] && !isOwnLink(file[0]));
      const stampOf = ({ file, removed }: SharedState): Stamp => removed?.[1] ?? file[1];
      shown.sort(([one, item], [other, otherItem]) => {
        return `${stampOf(item)} ${one}` < `${stampOf(otherItem)} ${other}` ? 1 : -1;
      });
      return shown.map(([id, item]) => describe(id, item));
    },
    async receive(message) {
      if (typeof message !== "string") throw invalidOption("message", "a share link, or a message, as a string");
      const text = message.trim();
      if (isMessage(text)) {
        const { from, at, files } = await readMessage(text, account);
        return keep(files.map((facts) => ({ ...facts, from, sentAt: at })));
      }
      if (isLink(text)) return keep([await describeLink(text)]);
      const { openShareLink } = await import("@keeplight/recovery");
      const { cid, key, name = cid, chunkProfile } = await openShareLink(text);
      const type = getMimeType(name) ?? undefined;
      const proofs = { commitment: await commitToKey(cid, key), ...(chunkProfile && { chunkProfile }) };
      return keep([{ cid, name, key, ...proofs, ...(type && { type }) }]);
    },
    async removeReceived(file) {
      const id = typeof file === "string" ? file : file?.id;
      await core.change((stamp) => {
        const item = received().get(id);
        if (!item || item.removed?.[0] || isOwnLink(item.file[0]))
          throw invalidOption("file", "a received file: its id, or what was listed");
        return [{ ...emptyState, shared: new Map([[id, { ...item, removed: [true, stamp] }]]) }, undefined];
      });
    },
    async createMessage(entry, { to }) {
      const recipient = checkAddress(to);
      const entries = [entry].flat() as EntryLike[];
      const files = listShared(
        entries.map((each) => requireEntry(core.tree, each)),
        core,
      );
      if (files.length === 0 || files.length > MAX_FILES || !files.every(({ name }) => isPath(name))) {
        throw invalidOption(
          "entry",
          `a file, or a folder of 1 to ${MAX_FILES} files with paths of at most ${MAX_TEXT} characters`,
        );
      }
      if (signer === undefined) throw invalidOption("signer", "the wallet of the account, which signs the message");
      const sign = async (text: string) => {
        return promptSigner(async () => (await resolveSigner(signer)).signMessage(text), undefined);
      };
      return createMessage({ from: account, to: recipient, at: Date.now(), files }, sign);
    },
  };
}

/** Decides what is known of a file once it is received, perhaps again: an older message of its sender changes nothing. */
function receiveFile(known: SharedState | undefined, facts: SharedFacts, stamp: Stamp): SharedState {
  const isOlder = known && !known.removed?.[0] && (known.file[0].sentAt ?? 0) > (facts.sentAt ?? 0);
  return { file: isOlder ? known.file : [facts, stamp], removed: [false, stamp] };
}

/** Lists the files of entries, each once, named from the folder on that has all of these entries. */
function listShared(entries: readonly DriveEntry[], core: Core): SharedFacts[] {
  const start = findCommonFolder(entries.map(({ path, name }) => path.slice(0, path.length - name.length))).length;
  const files = new Set(entries.flatMap((entry) => listSharedFiles(core.tree, entry)));
  return Array.from(files, ({ cid, path, size, commitment, chunkProfile, mimeType: type }) => {
    return { cid, name: path.slice(start), size, commitment, chunkProfile, type };
  });
}

/** Returns the longest path of which all of these start with, up to a slash; each of them ends with one, unless it is empty. */
function findCommonFolder([first = "", ...others]: readonly string[]): string {
  let common = first;
  while (!others.every((path) => path.startsWith(common)))
    common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  return common;
}

/** What a link that can be ended says of its file. One with a password is verified by who opens it, not before. */
async function describeLink(link: string): Promise<SharedFacts> {
  const { facts, secret } = parseLink(link);
  if (!isSealedSecret(secret)) await readLink(link, undefined, Date.now());
  const type = getMimeType(facts.name) ?? undefined;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(link));
  return { ...facts, link, linkId: toBase64Url(new Uint8Array(hash)), ...(type && { type }) };
}

/** What was listed of files: what did not change stays the same object. */
const described = new WeakMap<SharedState, ReceivedFile>();

function describe(id: string, item: SharedState): ReceivedFile {
  const known = described.get(item);
  if (known) return known;
  const { type: mimeType, key, link, linkId: _, ...facts } = item.file[0];
  const shown: ReceivedFile = { id, ...facts, ...(mimeType && { mimeType }), receivedAt: getTime(item.file[1]) };
  Object.defineProperties(shown, { key: { value: key }, link: { value: link } });
  described.set(item, Object.freeze(shown));
  return shown;
}
