import { throwIfAborted, untilAborted } from "../async/abort.ts";
import { isKeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { signatureRejected } from "../errors/nodes.ts";
import { checkAddress } from "./address.ts";
import { checkMessage, type SigningOptions } from "./sign-in-message.ts";

/** Anything that signs for an address: an ethers signer, a wallet in the browser. */
export interface Signer {
  /** An EVM address, or a 44-character base58 one. */
  getAddress(): Promise<string> | string;
  /** Signs a string: by ERC-191 for an EVM address, by ed25519 for a base58 one. */
  signMessage(message: string): Promise<string>;
}

/** The options of a call to a signer. */
export interface SignerCall extends SigningOptions {
  signal: AbortSignal | undefined;
}

/**
 * Returns the address that a signer signs for. A wallet may already open its window for that.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function getSignerAddress(signer: Signer, { signal, acceptMessage }: SignerCall): Promise<string> {
  if (typeof signer?.getAddress !== "function" || typeof signer.signMessage !== "function") {
    throw invalidOption("signer", "an object with getAddress() and signMessage()");
  }
  if (acceptMessage !== undefined && typeof acceptMessage !== "function") {
    throw invalidOption("acceptMessage", "a function");
  }
  return checkAddress(await promptSigner(async () => signer.getAddress(), signal));
}

/**
 * Signs a message that a service of the network has sent.
 *
 * @throws `UNEXPECTED_MESSAGE` for one that is not a sign-in message of the network, `SIGNATURE_REJECTED`,
 * `INVALID_OPTION` for a signature that is not a string (some wallets return bytes), `ABORTED`
 */
export async function signWithSigner(signer: Signer, message: string, call: SignerCall): Promise<string> {
  const signature: unknown = await promptSigner(async () => {
    checkMessage(message, call);
    return signer.signMessage(message);
  }, call.signal);
  if (typeof signature !== "string" || signature === "") {
    throw invalidOption("signer", "a signMessage() that returns the signature as a string");
  }
  return signature;
}

/** A wallet's window may stay open indefinitely; an aborted call does not wait for it. */
async function promptSigner(prompt: () => Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  throwIfAborted(signal);
  try {
    return await untilAborted(prompt(), signal);
  } catch (error) {
    throw isKeeplightError(error) ? error : signatureRejected(error);
  }
}
