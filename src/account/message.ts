import { missingOwner } from "../errors/input.ts";
import { requestApi } from "../http/api-client.ts";
import { type CallOptions, checkToken, resolveCall } from "../options.ts";
import { checkAddress } from "../validation/address.ts";
import { textLike } from "../validation/schema.ts";
import type { SigningOptions } from "../validation/sign-in-message.ts";
import { getSignerAddress, type Signer, signWithSigner } from "../validation/signer.ts";

/** An answer that is one text. */
export const text = textLike(/./s);

/** A message of the API host for the owner of `address` to sign. */
export async function fetchMessage(path: string, address: string, options: CallOptions): Promise<string> {
  const query = { publicKey: checkAddress(address) };
  return requestApi(resolveCall(options), { method: "GET", path, query, schema: text, what: "message to sign" });
}

/** Who signs: a signer, or an address that has signed already. */
export interface Signing {
  signer?: Signer | undefined;
  address?: string | undefined;
  /** The signature at hand, under the name that the call has for it. */
  proof: readonly ["signedMessage" | "signature", string | undefined];
}

/**
 * An address and its signature of the message at `path`; a signature at hand is taken as it is, without a request.
 *
 * @throws `MISSING_OWNER`, `INVALID_ADDRESS`, `INVALID_OPTION`, `SIGNATURE_REJECTED`, `UNEXPECTED_MESSAGE`; what every
 * request may throw
 */
export async function signedMessage(
  path: string,
  { signer, address, proof: [name, given] }: Signing,
  options: CallOptions & SigningOptions,
): Promise<{ address: string; signature: string }> {
  if (signer === undefined) {
    if (address === undefined || given === undefined) throw missingOwner(name);
    return { address: checkAddress(address), signature: checkToken(name, given) };
  }
  const { signal, acceptMessage } = options;
  const own = await getSignerAddress(signer, { signal, acceptMessage });
  const message = await fetchMessage(path, own, options);
  return { address: own, signature: await signWithSigner(signer, message, { signal, acceptMessage }) };
}
