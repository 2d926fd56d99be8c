import { ed25519 } from "@noble/curves/ed25519.js";
import { base36 } from "multiformats/bases/base36";
import { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";

const LIBP2P_KEY = 0x72;

/** Protobuf of a libp2p public key up to the key itself: field 1, type Ed25519; field 2, 32 bytes. */
const KEY_HEAD = [0x08, 0x01, 0x12, 0x20];

/** The id of a fresh ed25519 key, as names are written: `k51…`. Nobody will ever sign with it. */
export function freshIpnsId(): string {
  const { publicKey } = ed25519.keygen();
  return CID.createV1(LIBP2P_KEY, identity.digest(Uint8Array.of(...KEY_HEAD, ...publicKey))).toString(base36);
}
