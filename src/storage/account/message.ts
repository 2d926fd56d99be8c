import { missingOwner } from "../../base/errors/input.ts";
import { type Operation, type OptionSchema, type Resolved, resolveOptions } from "../../base/operation.ts";
import { type CallOptions, callSchema, checkToken } from "../../base/options.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { textLike } from "../../base/validation/schema.ts";
import { connectSigner, signWithSigner } from "../../base/validation/sign.ts";
import { checkMessage, type SigningOptions, signingSchema } from "../../base/validation/sign-in-message.ts";
import type { SignerLike } from "../../base/validation/signer.ts";
import { requestApi } from "../../network/http/api-client.ts";

/** A response that is one string. */
export const text = textLike(/./s);

const schema = { ...callSchema, ...signingSchema } satisfies OptionSchema<CallOptions & SigningOptions>;

/** Of the calls that return a message. */
export const messageOperation = { options: schema } satisfies Operation<CallOptions & SigningOptions>;

type ResolvedSigning = Resolved<typeof schema>;

/** Returns the API host's message at `path` for the owner of `address` to sign. */
export async function getMessage(
  path: string,
  address: string,
  options: CallOptions & SigningOptions,
): Promise<string> {
  const call = resolveOptions(schema, options);
  const message = await fetchMessage(path, address, call);
  checkMessage(message, "api", call);
  return message;
}

async function fetchMessage(path: string, address: string, call: ResolvedSigning): Promise<string> {
  const query = { publicKey: checkAddress(address) };
  return requestApi(call, { method: "GET", path, query, schema: text, what: "message to sign" });
}

/** Who signs: a signer, or an address with an existing signature. */
export interface Signing {
  signer?: SignerLike | undefined;
  address?: string | undefined;
  /** An existing signature, with the name of its option. */
  proof: readonly ["signedMessage" | "signature", string | undefined];
}

/**
 * Returns an address and its signature of the message at `path`; an existing signature needs no request.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE`; what every
 * request may throw
 */
export async function getSignedMessage(
  path: string,
  { signer, address, proof: [name, signature] }: Signing,
  call: ResolvedSigning,
): Promise<{ address: string; signature: string }> {
  if (signer === undefined) {
    if (address === undefined || signature === undefined) throw missingOwner(name);
    return { address: checkAddress(address), signature: checkToken(name, signature) };
  }
  const { signal, acceptMessage } = call;
  const connected = await connectSigner(signer, { signal, acceptMessage });
  const message = await fetchMessage(path, connected.address, call);
  const signed = await signWithSigner(connected.signer, message, "api", { signal, acceptMessage });
  return { address: connected.address, signature: signed };
}
