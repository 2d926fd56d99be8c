import { randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base36 } from "multiformats/bases/base36";
import { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import type { StoredMap } from "./state/stored-map.ts";

/** A name and its target, as the listing returns it. */
export interface IpnsRecord {
  /** The owner's name for it: 32 hex characters. */
  ipnsName: string;
  /** Its public id: `k51…`. */
  ipnsId: string;
  /** Address of its owner. */
  publicKey: string;
  /** As published; `null` before the first publication. */
  cid: string | null;
  /** Milliseconds since 1970. */
  lastUpdate: number;
}

/** Creates the book of the names of all accounts, by their names. An account can read and change only its own. */
export function createIpnsBook(records: StoredMap<IpnsRecord>) {
  const findOwn = (account: string, ipnsName: string): IpnsRecord | undefined => {
    const record = records.get(ipnsName);
    return record?.publicKey === account ? record : undefined;
  };
  return {
    create(publicKey: string): IpnsRecord {
      const ipnsName = randomBytes(16).toString("hex");
      const record = { ipnsName, ipnsId: generateIpnsId(), publicKey, cid: null, lastUpdate: Date.now() };
      records.set(ipnsName, record);
      return record;
    },
    /** Lists the names of an account in the order of their creation. */
    list: (account: string) => [...records.values()].filter(({ publicKey }) => publicKey === account),
    /** Points a name at a content id; `undefined` if the account has no such name. */
    publish(account: string, ipnsName: string, cid: string): IpnsRecord | undefined {
      const before = findOwn(account, ipnsName);
      const record = before && { ...before, cid, lastUpdate: Date.now() };
      if (record) records.set(ipnsName, record);
      return record;
    },
    /** Removes a name; `undefined` if the account has no such name. */
    remove(account: string, ipnsName: string): IpnsRecord | undefined {
      const record = findOwn(account, ipnsName);
      if (record) records.delete(ipnsName);
      return record;
    },
    /** Returns the content id published under an id. */
    resolve: (id: string) => [...records.values()].find(({ ipnsId }) => ipnsId === id)?.cid ?? undefined,
  };
}

const LIBP2P_KEY = 0x72;

/** Protobuf prefix of a libp2p public key: field 1, type Ed25519; field 2, 32 bytes. */
const KEY_PREFIX = [0x08, 0x01, 0x12, 0x20];

/** Generates the id of a new ed25519 key, in the encoding of names: `k51…`. Its private key is discarded. */
function generateIpnsId(): string {
  const { publicKey } = ed25519.keygen();
  return CID.createV1(LIBP2P_KEY, identity.digest(Uint8Array.of(...KEY_PREFIX, ...publicKey))).toString(base36);
}
