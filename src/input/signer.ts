import { isKeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { signatureRejected } from "../errors/nodes.ts";
import { throwIfAborted, untilAborted } from "./abort.ts";
import { checkAddress } from "./address.ts";

/** Anything that signs for an address: an ethers signer, a wallet in the browser. */
export interface Signer {
  /** An EVM address, or a 44-character base58 one. */
  getAddress(): Promise<string> | string;
  /** Signs text: by ERC-191 for an EVM address, by ed25519 for a base58 one. */
  signMessage(message: string): Promise<string>;
}

/**
 * The address a signer signs for. A wallet may open its window already for that.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`, `ABORTED`
 */
export async function addressOf(signer: Signer, signal: AbortSignal | undefined): Promise<string> {
  if (typeof signer?.getAddress !== "function" || typeof signer.signMessage !== "function") {
    throw invalidOption("signer", "an object with getAddress() and signMessage()");
  }
  return checkAddress(await answerOf(async () => signer.getAddress(), signal));
}

/**
 * Has a message signed.
 *
 * @throws `SIGNATURE_REJECTED`, `INVALID_OPTION` for a signature that is no text (some wallets give bytes), `ABORTED`
 */
export async function signWith(signer: Signer, message: string, signal: AbortSignal | undefined): Promise<string> {
  const signature: unknown = await answerOf(async () => signer.signMessage(message), signal);
  if (typeof signature !== "string" || signature === "") {
    throw invalidOption("signer", "a signMessage() that gives the signature as a text");
  }
  return signature;
}

/** A wallet's window may stay open for as long as it likes; an aborted call does not wait for it. */
async function answerOf(ask: () => Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  throwIfAborted(signal);
  try {
    return await untilAborted(ask(), signal);
  } catch (error) {
    throw isKeeplightError(error) ? error : signatureRejected(error);
  }
}
