import { throwIfAborted, untilAborted } from "../async/abort.ts";
import { isKeeplightError, KeeplightError } from "../errors/base.ts";
import { invalidOption } from "../errors/input.ts";
import { readProviderError, toSafeCause, unexpectedMessage } from "../errors/nodes.ts";
import { callback, type OptionSchema } from "../operation.ts";
import { checkAddress } from "./address.ts";
import { type Eip1193Provider, isFreeWallet, type Signer, type SignerLike } from "./signer.ts";

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
  signingSchema.acceptMessage(acceptMessage, "acceptMessage");
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
export async function promptSigner<T>(prompt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  throwIfAborted(signal);
  try {
    return await untilAborted(prompt(), signal);
  } catch (error) {
    if (isKeeplightError(error)) throw error;
    // A wallet's own error may hold secrets: only its code and its message, sanitized, are kept.
    const cause = toSafeCause(readProviderError(error));
    throw new KeeplightError("SIGNATURE_REJECTED", "The signer did not sign the message", { cause });
  }
}

/** A service that requests signatures, by the name of its endpoint. */
export type SignInService = "keyNodes" | "api";

/** What a caller may add to the messages that are signed. */
export interface SigningOptions {
  /**
   * Decides whether to accept a message that has not the known form of the service that sent it. Such a message may be
   * the sign-in of another site, whose session its sender would get. It receives the message and the service that the
   * signature is for. It is never called for the form of the other service, which is always refused: with that
   * signature the sender could act as the account there.
   *
   * @default refuses them
   */
  acceptMessage?: ((message: string, context: { service: SignInService }) => boolean) | undefined;
}

/** The form of each service's messages. */
const KNOWN_FORMS: Record<SignInService, RegExp> = {
  keyNodes:
    /^Please sign this message to prove you are owner of this account: [\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/,
  api: /^Please prove you are the owner\b/,
};

/** What only the messages of each service contain, in lower-case letters without anything in between. */
const MARKS: Record<SignInService, string> = {
  keyNodes: "signthismessagetoproveyouareownerofthisaccount",
  api: "pleaseproveyouaretheowner",
};

const MAX_CHARACTERS = 512;

/** Printable ASCII and line feeds: nothing that a wallet could display as something else. */
const PRINTABLE = /^[\n\x20-\x7e]*$/;

/** The phrases of Sign-In with Ethereum and its siblings (EIP-4361, CAIP-122) with any spacing, and any URL. */
const OTHER_SITE = /wants\s+you\s+to\s+sign\s+in|\b(URI|Chain\s+ID|Issued\s+At)\s*:|:\/\/|\bjavascript:/i;

/** Checks {@link SigningOptions}. */
export const signingSchema = {
  acceptMessage: callback<NonNullable<SigningOptions["acceptMessage"]>>(),
} satisfies OptionSchema<SigningOptions>;

/** Throws `UNEXPECTED_MESSAGE` unless a message that `service` sends is its own sign-in, or `acceptMessage` allows it. */
export function checkMessage(message: string, service: SignInService, { acceptMessage }: SigningOptions): void {
  if (isOfOtherService(message, service)) throw unexpectedMessage(message, true);
  const known =
    KNOWN_FORMS[service].test(message) &&
    message.length <= MAX_CHARACTERS &&
    PRINTABLE.test(message) &&
    !OTHER_SITE.test(message);
  if (!known && acceptMessage?.(message, { service }) !== true) throw unexpectedMessage(message, false);
}

/** Ignores case, spacing, punctuation and variants of letters, which a service might normalize, too. */
function isOfOtherService(message: string, service: SignInService): boolean {
  const mark = MARKS[service === "api" ? "keyNodes" : "api"];
  return [message, decodeHex(message)].some((text) => {
    const letters = text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z]/g, "");
    return letters.includes(mark);
  });
}

/** Decodes a message of hex digits only: some wallets sign the bytes that it stands for. */
function decodeHex(message: string): string {
  const [, digits = ""] = /^(?:0x)?((?:[\da-f]{2})+)$/i.exec(message.trim()) ?? [];
  return digits.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)));
}

/** Loads what signers of ethers do not need. */
const loadAdapters = () => import("./adapt-signer.ts");

/**
 * Returns what signs for one account: the signer itself, or an adapter, the same one each time. A wallet without an
 * account opens its window only if it shares none with this page yet.
 *
 * @throws `INVALID_OPTION`; what the wallet throws
 */
export async function resolveSigner(value: SignerLike): Promise<Signer> {
  return isSigner(value) ? value : (await loadAdapters()).adaptSigner(value);
}

/** Smart accounts of viem have a `getAddress()`, too. */
function isSigner(value: SignerLike): value is Signer {
  const { getAddress, signMessage, type } = Object(value) as Record<string, unknown>;
  return typeof getAddress === "function" && typeof signMessage === "function" && type !== "smart";
}

/** Returns a signer for one account of a wallet; see `signByProvider`. */
export function createProviderSigner(
  provider: Eip1193Provider,
  address: string,
): Signer & {
  /** Known without a call. */
  readonly address: string;
} {
  return {
    address,
    getAddress: () => address,
    signMessage: async (message) => (await loadAdapters()).signByProvider(provider, address, message),
  };
}

/**
 * Returns a signer that keeps the account which a wallet shared first, when its user switches to another one. Any other
 * signer has one account only.
 */
export function pinSigner(value: SignerLike): SignerLike {
  if (!isFreeWallet(value)) return value;
  let pinned: Promise<Signer> | undefined;
  const resolve = () => {
    pinned ??= resolveSigner(value).catch((error: unknown) => {
      pinned = undefined;
      throw error;
    });
    return pinned;
  };
  return {
    getAddress: async () => (await resolve()).getAddress(),
    signMessage: async (message) => (await resolve()).signMessage(message),
  };
}
