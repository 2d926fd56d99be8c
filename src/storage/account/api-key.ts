import { missingOwner } from "../../base/errors/input.ts";
import { type Operation, type Resolved, reference, resolveOptions, unchecked } from "../../base/operation.ts";
import { type CallOptions, callSchema, checkToken } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { textLike } from "../../base/validation/schema.ts";
import {
  checkMessage,
  connectSigner,
  type SigningOptions,
  signingSchema,
  signWithSigner,
} from "../../base/validation/sign.ts";
import type { SignerLike } from "../../base/validation/signer.ts";
import { requestApi } from "../../network/http/api-client.ts";

const API_KEY_MESSAGE = "/api/auth/get_auth_message";

export const getAuthMessageOperation = {
  options: { ...callSchema, ...signingSchema },
} satisfies Operation<CallOptions & SigningOptions>;

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
  return { message: await getMessage(API_KEY_MESSAGE, address, options) };
}

/** An account that proves who it is: by its signer, or by its signature of a message. */
type AccountOptions<Signature extends object> = CallOptions &
  SigningOptions &
  (
    | ({
        /** The account: it signs the message. */
        signer: SignerLike;
        address?: undefined;
      } & Partial<Record<keyof Signature, undefined>>)
    | ({
        /** The account. */
        address: string;
        signer?: undefined;
      } & Signature)
  );

/** Options of {@link createApiKey}: a signer, or an address and its signature of {@link getAuthMessage}'s message. */
export type CreateApiKeyOptions = AccountOptions<{
  /** Its signature of the message that {@link getAuthMessage} returns. */
  signedMessage: string;
}>;

const signerSchema = {
  ...getAuthMessageOperation.options,
  signer: reference<SignerLike>(),
  address: unchecked<string>(),
};

export const createApiKeyOperation = {
  options: { ...signerSchema, signedMessage: unchecked<string>() },
  at: 0,
} satisfies Operation<CreateApiKeyOptions>;

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
  const { signedMessage, ...call } = resolveOptions(createApiKeyOperation.options, options);
  const signed = await getSignedMessage(API_KEY_MESSAGE, call, "signedMessage", signedMessage);
  return requestApi(call, {
    method: "POST",
    path: "/api/auth/create_api_key",
    json: { publicKey: signed.address, signedMessage: signed.signature },
    schema: textLike(/./s),
    what: "API key",
    statusFormat: "http",
  });
}

const TOKEN_MESSAGE = "/api/auth/get_message";

export const getOneTimeMessageOperation = { ...getAuthMessageOperation };

/**
 * Requests the message whose signature becomes part of a one-time token of `address`. Like every message that is signed,
 * it has the form of the API host's messages, or `acceptMessage` allows it.
 *
 * @throws `INVALID_ADDRESS`, `INVALID_OPTION`, `HTTP_STATUS`, `INVALID_RESPONSE`, `UNEXPECTED_MESSAGE` and what every
 * request may throw
 */
export async function getOneTimeMessage(address: string, options: CallOptions & SigningOptions = {}): Promise<string> {
  return getMessage(TOKEN_MESSAGE, address, options);
}

/**
 * Options of {@link createOneTimeToken}: a signer, or an address and its signature of
 * {@link getOneTimeMessage}'s message, from which the token is built without a request.
 */
export type OneTimeTokenOptions = AccountOptions<{
  /** Its signature of the message that {@link getOneTimeMessage} returns. */
  signature: string;
}>;

export const createOneTimeTokenOperation = {
  options: { ...signerSchema, signature: unchecked<string>() },
  at: 0,
} satisfies Operation<OneTimeTokenOptions>;

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
  const { signature, ...call } = resolveOptions(createOneTimeTokenOperation.options, options);
  const signed = await getSignedMessage(TOKEN_MESSAGE, call, "signature", signature);
  return `${signed.address}$${signed.signature}`;
}

type ResolvedSigning = Resolved<typeof getAuthMessageOperation.options>;

async function getMessage(path: string, address: string, options: CallOptions & SigningOptions): Promise<string> {
  const call = resolveOptions(getAuthMessageOperation.options, options);
  const message = await fetchMessage(path, address, call);
  checkMessage(message, "api", call);
  return message;
}

async function fetchMessage(path: string, address: string, call: ResolvedSigning): Promise<string> {
  const query = { publicKey: checkAddress(address) };
  return requestApi(call, { method: "GET", path, query, schema: textLike(/./s), what: "message to sign" });
}

/** Returns an address and its signature of the message at `path`; an existing one, of the option `name`, needs no request. */
async function getSignedMessage(
  path: string,
  call: Resolved<typeof signerSchema>,
  name: "signedMessage" | "signature",
  signature: string | undefined,
): Promise<{ address: string; signature: string }> {
  const { signer, address, signal, acceptMessage } = call;
  if (signer === undefined) {
    if (address === undefined || signature === undefined) throw missingOwner(name);
    return { address: checkAddress(address), signature: checkToken(name, signature) };
  }
  const connected = await connectSigner(signer, { signal, acceptMessage });
  const message = await fetchMessage(path, connected.address, call);
  const own = await signWithSigner(connected.signer, message, "api", { signal, acceptMessage });
  return { address: connected.address, signature: own };
}
