import { reference, unchecked } from "../../base/checks.ts";
import { missingOwner } from "../../base/errors/input.ts";
import type { OptionSchema, Resolved } from "../../base/operation.ts";
import { checkToken } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { connectSigner } from "../../base/validation/sign.ts";
import { type SigningOptions, signingSchema } from "../../base/validation/sign-in-message.ts";
import type { SignerLike } from "../../base/validation/signer.ts";
import type { KeyNodes, NodeAuth } from "../nodes/node-client.ts";
import { Session } from "./session.ts";

/**
 * The account that acts: a signer (the kit fetches the message, signs it once, then reuses and refreshes the JWT), or
 * an address with a token (a JWT, or a signature of the current message, which is valid for one operation).
 */
export type OwnerOptions = SigningOptions &
  (
    | {
        /** The account: it signs once for many calls. */
        signer: SignerLike;
        address?: undefined;
        authToken?: undefined;
      }
    | {
        /** The account. */
        address: string;
        /** A JWT of the account, or its signature of the current message. */
        authToken: string;
        signer?: undefined;
      }
  );

/** Takes {@link OwnerOptions}; what is used of them is checked by {@link resolveOwner}. */
export const ownerSchema = {
  ...signingSchema,
  signer: reference<SignerLike>(),
  address: unchecked<string>(),
  authToken: unchecked<string>(),
} satisfies OptionSchema<OwnerOptions>;

/**
 * Finds the account that acts. Nothing is sent or signed yet.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`
 */
export async function resolveOwner(
  { signer, address, authToken, acceptMessage }: Resolved<typeof ownerSchema>,
  nodes: KeyNodes,
): Promise<NodeAuth> {
  if (signer !== undefined) {
    const connected = await connectSigner(signer, { acceptMessage, signal: nodes.call.signal });
    return new Session(connected, nodes, { acceptMessage });
  }
  if (address === undefined || authToken === undefined) throw missingOwner();
  const token = checkToken("authToken", authToken);
  return { address: checkAddress(address), token: async () => token, renew: async () => undefined };
}
