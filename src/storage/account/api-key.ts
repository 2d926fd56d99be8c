import { reference, unchecked } from "../../base/checks.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { type SigningOptions, signingSchema } from "../../base/validation/sign-in-message.ts";
import type { SignerLike } from "../../base/validation/signer.ts";
import { requestApi } from "../../network/http/api-client.ts";
import { getMessage, getSignedMessage, messageOperation, text } from "./message.ts";

const MESSAGE = "/api/auth/get_auth_message";

export const getAuthMessageOperation = messageOperation;

/**
 * Returns the message to sign for an API key, as proof of owning `address`. Like every message that is signed, it has the
 * form of the API host's messages, or `acceptMessage` allows it.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_OPTION`, `HTTP_STATUS`, `INVALID_RESPONSE`, `UNEXPECTED_MESSAGE` and what every
 * request may throw
 */
export async function getAuthMessage(
  address: string,
  options: CallOptions & SigningOptions = {},
): Promise<{
  /** The string to sign. */
  message: string;
}> {
  return { message: await getMessage(MESSAGE, address, options) };
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

const schema = {
  ...callSchema,
  ...signingSchema,
  signer: reference<SignerLike>(),
  address: unchecked<string>(),
  signedMessage: unchecked<string>(),
} satisfies OptionSchema<CreateApiKeyOptions>;

export const createApiKeyOperation = { options: schema, at: 0 } satisfies Operation<CreateApiKeyOptions>;

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
  const { signer, address, signedMessage, ...call } = resolveOptions(schema, options);
  const signed = await getSignedMessage(MESSAGE, { signer, address, proof: ["signedMessage", signedMessage] }, call);
  return requestApi(call, {
    method: "POST",
    path: "/api/auth/create_api_key",
    json: { publicKey: signed.address, signedMessage: signed.signature },
    schema: text,
    what: "API key",
    statusFormat: "http",
  });
}
