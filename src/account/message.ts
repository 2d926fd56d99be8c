import { missingOwner } from "../errors/input.ts";
import { requestApi } from "../http/api-client.ts";
import { type CallOptions, callOptionNames, checkToken, resolveCall } from "../options.ts";
import { checkAddress } from "../validation/address.ts";
import { checkOptions } from "../validation/check-options.ts";
import { textLike } from "../validation/schema.ts";
import { connectSigner, signWithSigner } from "../validation/sign.ts";
import { checkMessage, checkSigning, type SigningOptions } from "../validation/sign-in-message.ts";
import type { SignerLike } from "../validation/signer.ts";

/** A response that is one string. */
export const text = textLike(/./s);

export const messageNames = [callOptionNames, "acceptMessage"] as const;

/** Returns the API host's message at `path` for the owner of `address` to sign. */
export async function getMessage(
  path: string,
  address: string,
  options: CallOptions & SigningOptions,
): Promise<string> {
  options = checkOptions(options, messageNames);
  checkSigning(options);
  const message = await fetchMessage(path, address, options);
  checkMessage(message, "api", options);
  return message;
}

async function fetchMessage(path: string, address: string, options: CallOptions): Promise<string> {
  const query = { publicKey: checkAddress(address) };
  return requestApi(resolveCall(options), { method: "GET", path, query, schema: text, what: "message to sign" });
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
  options: CallOptions & SigningOptions,
): Promise<{ address: string; signature: string }> {
  if (signer === undefined) {
    if (address === undefined || signature === undefined) throw missingOwner(name);
    return { address: checkAddress(address), signature: checkToken(name, signature) };
  }
  const { signal, acceptMessage } = options;
  const connected = await connectSigner(signer, { signal, acceptMessage });
  const message = await fetchMessage(path, connected.address, options);
  const signed = await signWithSigner(connected.signer, message, "api", { signal, acceptMessage });
  return { address: connected.address, signature: signed };
}
