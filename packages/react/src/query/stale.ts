import type { Kit } from "keeplight";

/** Queries by how their keys end: all that begin so. */
type Stale = readonly (readonly string[])[];

const stored = (): Stale => [["files"], ["balance"]];
const credited = (): Stale => [["balance"]];
const accessTo = (cid: unknown): Stale => [
  ["access", String(cid)],
  ["health", String(cid)],
];
const allAccess = (): Stale => [["access"], ["health"]];
const healthOf = (cid: unknown): Stale => [["health", String(cid)]];
const names = (): Stale => [["names"]];

/** The calls of a kit that make queries stale: which ones, by their first argument. */
export const staleAfter = {
  upload: stored,
  uploadBuffer: stored,
  uploadText: stored,
  uploadCar: stored,
  uploadEncrypted: stored,
  uploadTextEncrypted: stored,
  uploadEncryptedFolder: stored,
  pinCid: stored,
  deleteFile: stored,
  payWithToken: credited,
  waitForCredit: credited,
  kavachShare: accessTo,
  kavachRevoke: accessTo,
  kavachSetAccessConditions: accessTo,
  kavachTransferOwnership: accessTo,
  kavachSetDelegates: accessTo,
  kavachSaveShards: allAccess,
  kavachRepair: healthOf,
  shareEncryptedFolder: allAccess,
  revokeEncryptedFolder: allAccess,
  ipnsGenerateKey: names,
  ipnsPublishRecord: names,
  ipnsRemoveKey: names,
} satisfies { [Name in keyof Kit]?: (first: unknown) => Stale };

/** The name of a call that makes queries stale. */
export type ChangingCall = keyof typeof staleAfter;
