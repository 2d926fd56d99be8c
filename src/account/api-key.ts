import * as z from "zod/mini";
import { missingOwner } from "../errors/input.ts";
import { invalidAnswer } from "../errors/transport.ts";
import { readJson } from "../http/answer.ts";
import { exchange } from "../http/client.ts";
import { checkAddress } from "../input/address.ts";
import { addressOf, type Signer, signWith } from "../input/signer.ts";
import { type CallOptions, checkToken, resolveCall } from "../options.ts";

const text = z.string().check(z.minLength(1));

/**
 * The message that the API host wants signed to prove that one owns `address`.
 *
 * @throws `INVALID_ADDRESS`, `HTTP_STATUS`, `INVALID_ANSWER` and what every request may throw
 */
export async function getAuthMessage(address: string, options: CallOptions = {}): Promise<string> {
  const publicKey = checkAddress(address);
  const call = resolveCall(options);
  const answer = await exchange({
    ...call,
    method: "GET",
    base: call.endpoints.api,
    path: "/api/auth/get_auth_message",
    query: { publicKey },
  });
  const message = text.safeParse(readJson(answer));
  if (!message.success) throw invalidAnswer(answer.facts, "The API host gave no message to sign");
  return message.data;
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
  const answer = await exchange({
    ...call,
    method: "POST",
    base: call.endpoints.api,
    path: "/api/auth/create_api_key",
    json: { publicKey: address, signedMessage },
  });
  const apiKey = text.safeParse(readJson(answer, "http"));
  if (!apiKey.success) throw invalidAnswer(answer.facts, "The API host gave no API key");
  return apiKey.data;
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
  const address = await addressOf(signer);
  const message = await getAuthMessage(address, {
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    endpoints: options.endpoints,
  });
  return { address, signedMessage: await signWith(signer, message, options.signal) };
}
