import { missingOwner } from "../errors/input.ts";
import { askApi } from "../http/api-host.ts";
import { checkAddress } from "../input/address.ts";
import { addressOf, type Signer, signWith } from "../input/signer.ts";
import { type CallOptions, checkToken, resolveCall } from "../options.ts";
import { fetchMessage, text } from "./message.ts";

/**
 * The message that the API host wants signed, for an API key, to prove that one owns `address`.
 *
 * @throws `INVALID_ADDRESS`, `HTTP_STATUS`, `INVALID_ANSWER` and what every request may throw
 */
export async function getAuthMessage(address: string, options: CallOptions = {}): Promise<string> {
  return fetchMessage("/api/auth/get_auth_message", checkAddress(address), resolveCall(options));
}

/** Options of {@link createApiKey}: a signer, or an address and its signature of {@link getAuthMessage}'s message. */
export type CreateApiKeyOptions = CallOptions &
  (
    | { signer: Signer; address?: undefined; signedMessage?: undefined }
    | { address: string; signedMessage: string; signer?: undefined }
    | { signer?: undefined; address?: undefined; signedMessage?: undefined }
  );

/**
 * Makes an API key for the signer's account.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`; `HTTP_STATUS` if the signature is not
 * accepted; what every request may throw
 *
 * @example
 * const apiKey = await createApiKey({ signer: new ethers.Wallet(privateKey) });
 */
export async function createApiKey(options: CreateApiKeyOptions = {}): Promise<string> {
  const call = resolveCall(options);
  const { address, signedMessage } = await signedFor(options);
  return askApi(call, {
    method: "POST",
    path: "/api/auth/create_api_key",
    json: { publicKey: address, signedMessage },
    schema: text,
    what: "API key",
    wording: "http",
  });
}

async function signedFor(options: CreateApiKeyOptions): Promise<{ address: string; signedMessage: string }> {
  const { signer } = options;
  if (signer === undefined) {
    if (options.address === undefined || options.signedMessage === undefined) throw missingOwner();
    return {
      address: checkAddress(options.address),
      signedMessage: checkToken("signedMessage", options.signedMessage),
    };
  }
  const address = await addressOf(signer, options.signal);
  const { signal, timeoutMs, endpoints } = options;
  const message = await getAuthMessage(address, { signal, timeoutMs, endpoints });
  return { address, signedMessage: await signWith(signer, message, signal) };
}
