import { reference, unchecked } from "../../base/checks.ts";
import { type Operation, type OptionSchema, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema } from "../../base/options.ts";
import { type SigningOptions, signingSchema } from "../../base/validation/sign-in-message.ts";
import type { SignerLike } from "../../base/validation/signer.ts";
import { getMessage, getSignedMessage, messageOperation } from "./message.ts";

const MESSAGE = "/api/auth/get_message";

export const getOneTimeMessageOperation = messageOperation;

/**
 * Requests the message whose signature becomes part of a one-time token of `address`. Like every message that is signed,
 * it has the form of the API host's messages, or `acceptMessage` allows it.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_OPTION`, `HTTP_STATUS`, `INVALID_RESPONSE`, `UNEXPECTED_MESSAGE` and what every
 * request may throw
 */
export async function getOneTimeMessage(address: string, options: CallOptions & SigningOptions = {}): Promise<string> {
  return getMessage(MESSAGE, address, options);
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

const schema = {
  ...callSchema,
  ...signingSchema,
  signer: reference<SignerLike>(),
  address: unchecked<string>(),
  signature: unchecked<string>(),
} satisfies OptionSchema<OneTimeTokenOptions>;

export const createOneTimeTokenOperation = { options: schema, at: 0 } satisfies Operation<OneTimeTokenOptions>;

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
  const { signer, address, signature, ...call } = resolveOptions(schema, options);
  const signed = await getSignedMessage(MESSAGE, { signer, address, proof: ["signature", signature] }, call);
  return `${signed.address}$${signed.signature}`;
}
