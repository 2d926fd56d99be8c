import { missingOwner } from "../errors/input.ts";
import { checkAddress } from "../input/address.ts";
import { addressOf, type Signer, signWith } from "../input/signer.ts";
import { type CallOptions, checkToken, resolveCall } from "../options.ts";
import { fetchMessage } from "./message.ts";

/**
 * The message that goes, signed, into a one-time token of `address`.
 *
 * @throws `INVALID_ADDRESS`, `HTTP_STATUS`, `INVALID_ANSWER` and what every request may throw
 */
export async function getOneTimeMessage(address: string, options: CallOptions = {}): Promise<string> {
  return fetchMessage("/api/auth/get_message", checkAddress(address), resolveCall(options));
}

/**
 * Options of {@link createOneTimeToken}: a signer, or an address and its signature of
 * {@link getOneTimeMessage}'s message, from which the token is put together without a request.
 */
export type OneTimeTokenOptions = CallOptions &
  (
    | { signer: Signer; address?: undefined; signature?: undefined }
    | { address: string; signature: string; signer?: undefined }
    | { signer?: undefined; address?: undefined; signature?: undefined }
  );

/**
 * Makes a token `address$signature` that serves as the `apiKey` of one upload: a page can let its visitor
 * upload to the visitor's own account without ever holding an API key.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`, `SIGNATURE_REJECTED`; what every request may throw
 *
 * @example
 * const apiKey = await createOneTimeToken({ signer });
 * await upload(file, { apiKey });
 */
export async function createOneTimeToken(options: OneTimeTokenOptions = {}): Promise<string> {
  const { signer, address, signature } = options;
  if (signer !== undefined) return signedToken(signer, options);
  if (address === undefined || signature === undefined) throw missingOwner();
  return `${checkAddress(address)}$${checkToken("signature", signature)}`;
}

async function signedToken(signer: Signer, options: CallOptions): Promise<string> {
  const address = await addressOf(signer, options.signal);
  const message = await getOneTimeMessage(address, options);
  return `${address}$${await signWith(signer, message, options.signal)}`;
}
