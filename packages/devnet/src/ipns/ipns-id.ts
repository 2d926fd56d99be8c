import { ed25519 } from "@noble/curves/ed25519.js";
import { base36 } from "multiformats/bases/base36";
import { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";

const LIBP2P_KEY = 0x72;

/** Protobuf prefix of a libp2p public key: field 1, type Ed25519; field 2, 32 bytes. */
const KEY_PREFIX = [0x08, 0x01, 0x12, 0x20];

/** Generates the id of a new ed25519 key, in the encoding of names: `k51…`. Its private key is discarded. */
export function generateIpnsId(): string {
  const { publicKey } = ed25519.keygen();
  return CID.createV1(LIBP2P_KEY, identity.digest(Uint8Array.of(...KEY_PREFIX, ...publicKey))).toString(base36);
}
