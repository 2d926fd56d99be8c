import { randomBytes } from "node:crypto";
import { generateIpnsId } from "./ipns-id.ts";

/** A name and its target, as the listing returns it. */
interface IpnsRecord {
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

/** The names of all accounts. An account can read and change only its own. */
export interface IpnsBook {
  create(account: string): IpnsRecord;
  /** Lists the names of an account in the order of their creation. */
  list(account: string): readonly IpnsRecord[];
  /** Points a name at a content id; `undefined` if the account has no such name. */
  publish(account: string, ipnsName: string, cid: string): IpnsRecord | undefined;
  /** Removes a name; `undefined` if the account has no such name. */
  remove(account: string, ipnsName: string): IpnsRecord | undefined;
  /** Returns the content id published under an id. */
  resolve(ipnsId: string): string | undefined;
}

/** Creates an empty book. */
export function createIpnsBook(): IpnsBook {
  const records = new Map<string, IpnsRecord>();
  const findOwn = (account: string, ipnsName: string): IpnsRecord | undefined => {
    const record = records.get(ipnsName);
    return record?.publicKey === account ? record : undefined;
  };
  return {
    create(publicKey) {
      const ipnsName = randomBytes(16).toString("hex");
      const record = { ipnsName, ipnsId: generateIpnsId(), publicKey, cid: null, lastUpdate: Date.now() };
      records.set(ipnsName, record);
      return record;
    },
    list: (account) => [...records.values()].filter(({ publicKey }) => publicKey === account),
    publish(account, ipnsName, cid) {
      const before = findOwn(account, ipnsName);
      const record = before && { ...before, cid, lastUpdate: Date.now() };
      if (record) records.set(ipnsName, record);
      return record;
    },
    remove(account, ipnsName) {
      const record = findOwn(account, ipnsName);
      if (record) records.delete(ipnsName);
      return record;
    },
    resolve: (id) => [...records.values()].find(({ ipnsId }) => ipnsId === id)?.cid ?? undefined,
  };
}
