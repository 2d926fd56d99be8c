import { missingOwner } from "../../errors/input.ts";
import { checkToken } from "../../options.ts";
import { checkAddress } from "../../validation/address.ts";
import type { SigningOptions } from "../../validation/sign-in-message.ts";
import { getSignerAddress, type Signer } from "../../validation/signer.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import { getSession } from "./session.ts";

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

/**
 * Finds out who acts. Nothing is sent or signed yet.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`
 */
export async function resolveOwner(options: OwnerOptions, nodes: KeyNodes): Promise<NodeAuth> {
  const { signer, address, authToken, acceptMessage } = options;
  if (signer !== undefined) {
    const call = { acceptMessage, signal: nodes.call.signal };
    return getSession(signer, await getSignerAddress(signer, call), nodes, { acceptMessage });
  }
  if (address === undefined || authToken === undefined) throw missingOwner();
  const token = checkToken("authToken", authToken);
  return { address: checkAddress(address), token: async () => token, renew: async () => undefined };
}
