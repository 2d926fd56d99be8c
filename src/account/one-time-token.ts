import { type CallOptions, callOptionNames } from "../options.ts";
import { checkOptions } from "../validation/check-options.ts";
import type { SigningOptions } from "../validation/sign-in-message.ts";
import type { SignerLike } from "../validation/signer.ts";
import { fetchMessage, getSignedMessage } from "./message.ts";

const MESSAGE = "/api/auth/get_message";

/**
 * Requests the message whose signature becomes part of a one-time token of `address`.
 *
 * @throws `INVALID_ADDRESS`, `HTTP_STATUS`, `INVALID_RESPONSE` and what every request may throw
 */
export async function getOneTimeMessage(address: string, options: CallOptions = {}): Promise<string> {
  options = checkOptions(options, callOptionNames);
  return fetchMessage(MESSAGE, address, options);
}

/**
 * Options of {@link createOneTimeToken}: a signer, or an address and its signature of
 * {@link getOneTimeMessage}'s message, from which the token is built without a request.
 */
export type OneTimeTokenOptions = CallOptions &
  SigningOptions &
  (
    | {
        /** The account: it signs the message. */
        signer: SignerLike;
        address?: undefined;
        signature?: undefined;
      }
    | {
        /** The account. */
        address: string;
        /** Its signature of the message that {@link getOneTimeMessage} returns. */
        signature: string;
        signer?: undefined;
      }
  );

export const oneTimeTokenNames = [callOptionNames, "signer,address,signature,acceptMessage"] as const;

/**
 * Creates a token `address$signature` that serves as the `apiKey` of one upload: visitors of a page can upload to their
 * own accounts, and the page never holds an API key.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE`; what every
 * request may throw
 *
 * @example
 * const apiKey = await createOneTimeToken({ signer });
 * await upload(file, { apiKey });
 */
export async function createOneTimeToken(options: OneTimeTokenOptions): Promise<string> {
  options = checkOptions(options, oneTimeTokenNames);
  const { signer, address, signature } = options;
  const signed = await getSignedMessage(MESSAGE, { signer, address, proof: ["signature", signature] }, options);
  return `${signed.address}$${signed.signature}`;
}
