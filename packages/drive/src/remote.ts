import { isKeeplightError, type Kit, type ListedFile, type UploadedFile } from "keeplight";
import { invalidDrive, isSameAddress } from "keeplight/parts";
import type { Base } from "./delta.ts";
import { isCid, toHex } from "./fields.ts";
import { encodeManifest, type Manifest, parseManifest } from "./manifest.ts";
import { mergeStates, type VersionLink } from "./merge.ts";
import { type DriveKey, sealVersion, unsealVersion } from "./seal.ts";
import type { DriveState } from "./state.ts";

/** Names in the account's listing: of the file with the key, and of the versions, which all have the same. */
const KEY_NAME = "keeplight-drive-key";
const VERSION_NAME = "keeplight-drive";

/** Larger files are no versions, in bytes. */
const MAX_VERSION_BYTES = 268_435_456;

const KEY_TYPE = "keeplight drive key";
const KEY_BYTES = 32;

/** A version of a drive that was found. */
export interface FoundVersion extends VersionLink {
  /** Its state has all, also if it has a base. */
  manifest: Manifest;
}

/** Returns the state of a version that others build on. */
type ReadBase = (cid: string) => Promise<DriveState>;

/** What the account's listing has. */
export interface Listing {
  /** Content ids of files that may hold the key of a drive. */
  keys: string[];
  /** Files that may be versions of a drive, those that were stored last first. */
  versions: { id: string; cid: string; at: number }[];
  /** All other files, if they were requested. */
  files: ListedFile[];
}

/**
 * Whether a file of the account's listing may be one of the drive itself: its key, or a version. Without the key all names are
 * lost; what shows files to people leaves these out.
 */
export function isDriveOwnFile({ fileName, cid, encryption, fileSizeInBytes }: ListedFile): boolean {
  const isReadable = isCid(cid) && Number(fileSizeInBytes ?? 0) <= MAX_VERSION_BYTES;
  return isReadable && (fileName === VERSION_NAME || (fileName === KEY_NAME && encryption === true));
}

export type DriveKit = Pick<
  Kit,
  | "decrypt"
  | "deleteFile"
  | "download"
  | "ipnsGenerateKey"
  | "ipnsListRecords"
  | "ipnsPublishRecord"
  | "iterateFiles"
  | "kavachGetAccessConditions"
  | "kavachInspect"
  | "kavachRevoke"
  | "kavachRepair"
  | "kavachShare"
  | "readEncryptedFolder"
  | "upload"
  | "uploadEncrypted"
>;

export type Remote = ReturnType<typeof createRemote>;

/**
 * The network as a drive uses it. Nothing that it sends is trusted: versions are opened by the drive's key.
 *
 * @param storeKey - encrypts and stores a file whose key is saved before: one that is listed can be read
 */
export function createRemote(kit: DriveKit, account: string, storeKey: (file: File) => Promise<UploadedFile>) {
  return {
    /** @param withFiles - whether to return the other files: otherwise no memory is needed for them, whatever their number */
    async list(withFiles: boolean): Promise<Listing> {
      const listing: Listing = { keys: [], versions: [], files: [] };
      for await (const row of kit.iterateFiles(withFiles ? {} : { maxRows: Number.MAX_SAFE_INTEGER })) {
        const { fileName, cid, id, createdAt } = row;
        if (!isDriveOwnFile(row)) {
          if (withFiles) listing.files.push(row);
        } else if (fileName === KEY_NAME) listing.keys.push(cid);
        else listing.versions.push({ id, cid, at: createdAt ?? 0 });
      }
      listing.versions.sort((one, other) => other.at - one.at);
      return listing;
    },

    /**
     * Creates a drive: stores its key in an encrypted file, which only the account opens. If it fails, it is created again.
     *
     * @returns the key; `isWhole` says whether all key nodes have their shard of that of the file, or one does not
     */
    async createKey(): Promise<{ key: DriveKey; isWhole: boolean }> {
      const key = toHex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
      const content = { type: KEY_TYPE, version: 1, owner: account, createdAt: Date.now(), key };
      const stored = await storeKey(new File([JSON.stringify(content)], KEY_NAME));
      return { key: { drive: stored.Hash, key }, isWhole: stored.nodesMissing === undefined };
    },

    /** Saves the shard of a drive's key that a node did not take when it was created. Returns whether all nodes have theirs. */
    async repairKey(drive: string): Promise<boolean> {
      const { nodes } = await kit.kavachRepair(drive);
      return nodes.every(({ done }) => done !== "failed" && done !== "refused");
    },

    /**
     * Reads the key of a drive. Returns `undefined` if the file is not that of this account: anyone can store a file with the
     * same name, and share it with the account.
     *
     * @throws what reading an encrypted file throws, if it could be one
     */
    async readKey(cid: string): Promise<(DriveKey & { createdAt: number }) | undefined> {
      try {
        const { owner } = await kit.kavachGetAccessConditions(cid);
        if (!isSameAddress(owner, account)) return undefined;
        const file: unknown = JSON.parse(new TextDecoder().decode(await kit.decrypt(cid)));
        const { type, version, owner: named, createdAt, key } = Object(file) as Record<string, unknown>;
        const isKey = type === KEY_TYPE && version === 1 && typeof key === "string" && /^[0-9a-f]{64}$/.test(key);
        if (!isKey || typeof named !== "string" || !isSameAddress(named, account)) return undefined;
        return { drive: cid, key, createdAt: Number(createdAt) };
      } catch (error) {
        if (error instanceof SyntaxError || isKeeplightError(error, "CID_NOT_FOUND")) return undefined;
        if (await isLost(cid)) return undefined;
        throw error;
      }
    },

    /** Stores a version, and returns its content id. */
    async store(manifest: Manifest, key: DriveKey): Promise<string> {
      const sealed = await sealVersion(encodeManifest(manifest), key);
      const [stored] = await kit.upload(sealed, { name: VERSION_NAME, verifyCid: true });
      return stored.Hash;
    },

    /**
     * Reads a version; any key of the drive may have sealed it.
     *
     * @param readBase - for one that builds on another one
     * @throws `INVALID_DRIVE`, what a download throws
     */
    async read(cid: string, keys: readonly DriveKey[], readBase: ReadBase): Promise<FoundVersion> {
      const manifest = await openVersion(cid, keys);
      const { number, history, base } = manifest;
      if (base === undefined) return { cid, number, history, manifest };
      return {
        cid,
        number,
        history,
        manifest: { ...manifest, state: mergeStates(await readBase(base), manifest.state) },
      };
    },

    /** Reads a version that has everything. Throws what {@link read} does. */
    async readBase(cid: string, keys: readonly DriveKey[]): Promise<Base> {
      const { number, base, state } = await openVersion(cid, keys);
      if (base !== undefined) throw invalidDrive(cid, "it builds on another version, and another one on it");
      return { cid, number, state };
    },

    /** Creates the name that the newest version is published under. */
    createPointer: async (): Promise<string> => (await kit.ipnsGenerateKey()).ipnsName,

    publish: async (pointer: string, cid: string): Promise<void> => {
      await kit.ipnsPublishRecord({ cid, keyName: pointer });
    },

    /** Returns the content id that is published under a name of the account, if there is one. */
    async readPointer(pointer: string): Promise<string | undefined> {
      const records = await kit.ipnsListRecords();
      return records.find(({ ipnsName }) => ipnsName === pointer)?.cid ?? undefined;
    },

    /** Deletes a file of the listing; one that is not there any more is no failure. */
    async remove(id: string): Promise<void> {
      await kit.deleteFile(id).catch((error: unknown) => {
        if (!isKeeplightError(error, "HTTP_STATUS") || error.details.status !== 404) throw error;
      });
    },
  };

  async function openVersion(cid: string, keys: readonly DriveKey[]): Promise<Manifest> {
    const bytes = await kit.download(cid);
    let refused: unknown = invalidDrive(cid, "the drive has no key");
    for (const key of keys) {
      try {
        const manifest = parseManifest(cid, await unsealVersion(cid, bytes, key));
        if (manifest.drive === key.drive && isSameAddress(manifest.owner, account)) return manifest;
        refused = invalidDrive(cid, "it is of another drive");
      } catch (error) {
        refused = error;
      }
    }
    throw refused;
  }

  /** Whether the key of a file was never saved: most nodes say that they do not know the file. */
  async function isLost(cid: string): Promise<boolean> {
    const { nodes } = await kit.kavachInspect(cid);
    return nodes.filter(({ state }) => state === "missing").length > nodes.length / 2;
  }
}
