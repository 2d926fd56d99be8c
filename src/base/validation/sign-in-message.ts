import { callback } from "../checks.ts";
import { messageOfOtherService, unexpectedMessage } from "../errors/nodes.ts";
import type { OptionSchema } from "../operation.ts";

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

/** Checks the options; throws `INVALID_OPTION`. */
export function checkSigning({ acceptMessage }: SigningOptions): void {
  signingSchema.acceptMessage(acceptMessage, "acceptMessage");
}

/**
 * Throws unless a message that `service` sends to be signed is one of its own sign-in messages, or `acceptMessage`
 * allows it.
 *
 * @throws `UNEXPECTED_MESSAGE`
 */
export function checkMessage(message: string, service: SignInService, { acceptMessage }: SigningOptions): void {
  if (isOfOtherService(message, service)) throw messageOfOtherService(message);
  const known =
    KNOWN_FORMS[service].test(message) &&
    message.length <= MAX_CHARACTERS &&
    PRINTABLE.test(message) &&
    !OTHER_SITE.test(message);
  if (!known && acceptMessage?.(message, { service }) !== true) throw unexpectedMessage(message);
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
