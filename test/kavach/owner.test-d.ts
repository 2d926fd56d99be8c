import {
  createApiKey,
  createOneTimeToken,
  type KeyShard,
  kavachInspect,
  kavachRecoverShards,
  kavachRepair,
  kavachRevoke,
  kavachSaveShards,
  kavachShare,
  kavachTransferOwnership,
  type OwnerOptions,
  type Signer,
} from "../../src/index.ts";
import { cid } from "../support/fixtures.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
const address = "0x00000000000000000000000000000000000000aa";

export async function requiresAnOwner(owner: OwnerOptions, keyShards: KeyShard[]): Promise<void> {
  await kavachShare(cid, { shareTo: address, ...owner });
  await kavachShare(cid, { shareTo: address, signer });
  await kavachShare(cid, { shareTo: address, address, authToken: "jwt:token" });
  // @ts-expect-error: the owner is missing
  await kavachShare(cid, { shareTo: address });
  // @ts-expect-error: so it is here
  await kavachRevoke(cid, { revokeTo: address });
  // @ts-expect-error: and here
  await kavachTransferOwnership(cid, { newOwner: address });
  // @ts-expect-error: and here
  await kavachSaveShards(cid, { keyShards });
  // @ts-expect-error: and here
  await kavachInspect(cid);
  // @ts-expect-error: and here
  await kavachRecoverShards(cid, { count: 3 });
  // @ts-expect-error: and here
  await kavachRepair(cid, {});
}

export async function requiresAWholeOwner(maybe: Signer | undefined): Promise<void> {
  // @ts-expect-error: the token is missing
  await kavachRepair(cid, { address });
  // @ts-expect-error: the address is missing
  await kavachRepair(cid, { authToken: "jwt:token" });
  // @ts-expect-error: either one or the other
  await kavachRepair(cid, { signer, address, authToken: "jwt:token" });
  // @ts-expect-error: it may be missing
  await kavachRepair(cid, { signer: maybe });
  // @ts-expect-error: it cannot sign
  await kavachRepair(cid, { signer: { getAddress: () => address } });
}

export async function requiresASignature(): Promise<void> {
  await createApiKey({ signer });
  await createApiKey({ address, signedMessage: "0x5e" });
  await createOneTimeToken({ address, signature: "0x5e" });
  // @ts-expect-error: nobody signs
  await createApiKey();
  // @ts-expect-error: the signature is missing
  await createApiKey({ address });
  // @ts-expect-error: nobody signs
  await createOneTimeToken({});
}
