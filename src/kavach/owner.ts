import { missingOwner } from "../errors/input.ts";
import { checkAddress } from "../input/address.ts";
import type { SigningOptions } from "../input/sign-in-message.ts";
import { addressOf, type Signer } from "../input/signer.ts";
import { checkToken } from "../options.ts";
import type { KeyNodes } from "./node-client.ts";
import { sessionOf } from "./session.ts";

/**
 * Who acts: a signer (the kit fetches the message, has it signed once, and reuses and refreshes the JWT
 * it gets), or an address with a ready token (a JWT, or a signature of the current message, which is good
 * for one operation).
 */
export type OwnerOptions = SigningOptions &
  (
    | { signer: Signer; address?: undefined; authToken?: undefined }
    | { address: string; authToken: string; signer?: undefined }
    | { signer?: undefined; address?: undefined; authToken?: undefined }
  );

export const ownerOptionNames = "signer,address,authToken,acceptMessage";

/** An owner's standing with the key nodes. */
export interface NodeAuth {
  address: string;
  /** The bearer to use now. */
  token(): Promise<string>;
  /** Another bearer after a node has refused `stale`; `undefined` where there is no way to get one. */
  renew(stale: string): Promise<string | undefined>;
}

/**
 * Finds out who acts. Nothing is sent or signed yet.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`
 */
export async function resolveOwner(options: OwnerOptions, nodes: KeyNodes): Promise<NodeAuth> {
  const { signer, address, authToken, acceptMessage } = options;
  if (signer !== undefined) {
    const call = { acceptMessage, signal: nodes.call.signal };
    return sessionOf(signer, await addressOf(signer, call), nodes, { acceptMessage });
  }
  if (address === undefined || authToken === undefined) throw missingOwner();
  const token = checkToken("authToken", authToken);
  return { address: checkAddress(address), token: async () => token, renew: async () => undefined };
}
