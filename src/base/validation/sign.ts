import { throwIfAborted, untilAborted } from "../async/abort.ts";
import { isKeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { signatureRejected } from "../errors/nodes.ts";
import { checkAddress } from "./address.ts";
import { resolveSigner } from "./resolve-signer.ts";
import { checkMessage, checkSigning, type SignInService, type SigningOptions } from "./sign-in-message.ts";
import type { Signer, SignerLike } from "./signer.ts";

/** The options of a call to a signer. */
export interface SignerCall extends SigningOptions {
  signal: AbortSignal | undefined;
}

/** A signer, and the address that it signs for. */
export interface ConnectedSigner {
  /** The same object for the same signer and address, in every call. */
  signer: Signer;
  address: string;
}

/**
 * Finds the account that signs. A wallet may already open its window for that.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function connectSigner(
  value: SignerLike,
  { signal, acceptMessage }: SignerCall,
): Promise<ConnectedSigner> {
  checkSigning({ acceptMessage });
  const signer = await promptSigner(() => resolveSigner(value), signal);
  return { signer, address: checkAddress(await promptSigner(async () => signer.getAddress(), signal)) };
}

/**
 * Signs a message that a service of the network has sent: the signature is for that service only.
 *
 * @throws `UNEXPECTED_MESSAGE` for one that is not a sign-in message of `service`, `SIGNATURE_REJECTED`,
 * `INVALID_OPTION` for a signature that is not a string (some wallets return bytes), `ABORTED`
 */
export async function signWithSigner(
  signer: Signer,
  message: string,
  service: SignInService,
  call: SignerCall,
): Promise<string> {
  const signature: unknown = await promptSigner(async () => {
    checkMessage(message, service, call);
    return signer.signMessage(message);
  }, call.signal);
  if (typeof signature !== "string" || signature === "") {
    throw invalidOption("signer", "a signMessage() that returns the signature as a string");
  }
  return signature;
}

/** A wallet's window may stay open indefinitely; an aborted call does not wait for it. */
async function promptSigner<T>(prompt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  throwIfAborted(signal);
  try {
    return await untilAborted(prompt(), signal);
  } catch (error) {
    throw isKeeplightError(error) ? error : signatureRejected(error);
  }
}
