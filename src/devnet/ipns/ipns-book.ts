import { randomBytes } from "node:crypto";
import { freshIpnsId } from "./ipns-id.ts";

/** A name and what it stands for, as the listing shows it. */
interface IpnsRecord {
  /** What its owner calls it: 32 hex characters. */
  ipnsName: string;
  /** What everybody calls it: `k51…`. */
  ipnsId: string;
  /** Address of its owner. */
  publicKey: string;
  /** As it was published; `null` until something is. */
  cid: string | null;
  /** Milliseconds since 1970. */
  lastUpdate: number;
}

/** The names of all accounts. An account sees and changes its own only. */
export interface IpnsBook {
  create(account: string): IpnsRecord;
  /** In the order of their making. */
  list(account: string): readonly IpnsRecord[];
  /** Points a name at a content id; `undefined` if the account has no such name. */
  publish(account: string, ipnsName: string, cid: string): IpnsRecord | undefined;
  /** `undefined` if the account has no such name. */
  remove(account: string, ipnsName: string): IpnsRecord | undefined;
  /** What is published under an id. */
  resolve(ipnsId: string): string | undefined;
}

/** Makes an empty book. */
export function createIpnsBook(): IpnsBook {
  const records = new Map<string, IpnsRecord>();
  const own = (account: string, ipnsName: string): IpnsRecord | undefined => {
    const record = records.get(ipnsName);
    return record?.publicKey === account ? record : undefined;
  };
  return {
    create(publicKey) {
      const ipnsName = randomBytes(16).toString("hex");
      const record = { ipnsName, ipnsId: freshIpnsId(), publicKey, cid: null, lastUpdate: Date.now() };
      records.set(ipnsName, record);
      return record;
    },
    list: (account) => [...records.values()].filter(({ publicKey }) => publicKey === account),
    publish(account, ipnsName, cid) {
      const before = own(account, ipnsName);
      const record = before && { ...before, cid, lastUpdate: Date.now() };
      if (record) records.set(ipnsName, record);
      return record;
    },
    remove(account, ipnsName) {
      const record = own(account, ipnsName);
      if (record) records.delete(ipnsName);
      return record;
    },
    resolve: (id) => [...records.values()].find(({ ipnsId }) => ipnsId === id)?.cid ?? undefined,
  };
}
