import { requestApi } from "../http/api-client.ts";
import { type CallOptions, callOptionNames, resolveCall } from "../options.ts";
import { checkOptions } from "../validation/check-options.ts";
import type { SigningOptions } from "../validation/sign-in-message.ts";
import type { SignerLike } from "../validation/signer.ts";
import { fetchMessage, getSignedMessage, text } from "./message.ts";

const MESSAGE = "/api/auth/get_auth_message";

/**
 * Returns the message to sign for an API key, as proof of owning `address`.
 *
 * @throws `INVALID_ADDRESS`, `HTTP_STATUS`, `INVALID_RESPONSE` and what every request may throw
 */
export async function getAuthMessage(
  address: string,
  options: CallOptions = {},
): Promise<{
  /** The string to sign. */
  message: string;
}> {
  options = checkOptions(options, callOptionNames);
  return { message: await fetchMessage(MESSAGE, address, options) };
}

/** Options of {@link createApiKey}: a signer, or an address and its signature of {@link getAuthMessage}'s message. */
export type CreateApiKeyOptions = CallOptions &
  SigningOptions &
  (
    | {
        /** The account: it signs the message. */
        signer: SignerLike;
        address?: undefined;
        signedMessage?: undefined;
      }
    | {
        /** The account. */
        address: string;
        /** Its signature of the message that {@link getAuthMessage} returns. */
        signedMessage: string;
        signer?: undefined;
      }
  );

export const createApiKeyNames = [callOptionNames, "signer,address,signedMessage,acceptMessage"] as const;

/**
 * Creates an API key for the signer's account.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE`; `HTTP_STATUS`
 * if the signature is not accepted; what every request may throw
 *
 * @example
 * const apiKey = await createApiKey({ signer: new ethers.Wallet(privateKey) });
 */
export async function createApiKey(options: CreateApiKeyOptions): Promise<string> {
  options = checkOptions(options, createApiKeyNames);
  const call = resolveCall(options);
  const { signer, address, signedMessage } = options;
  const signed = await getSignedMessage(MESSAGE, { signer, address, proof: ["signedMessage", signedMessage] }, options);
  return requestApi(call, {
    method: "POST",
    path: "/api/auth/create_api_key",
    json: { publicKey: signed.address, signedMessage: signed.signature },
    schema: text,
    what: "API key",
    statusFormat: "http",
  });
}
