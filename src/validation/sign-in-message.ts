import { unexpectedMessage } from "../errors/nodes.ts";

/** What a caller may add to the messages that are signed. */
export interface SigningOptions {
  /**
   * Decides whether to sign a message of the network that has none of the known forms. Such a message may be the
   * sign-in of another site, whose session its sender would get.
   *
   * @default refuses them
   */
  acceptMessage?: ((message: string) => boolean) | undefined;
}

/** How the messages of the key nodes and of the API host start. */
const KNOWN_FORM = /^Please (sign this message to prove you are owner of this account|prove you are the owner)\b/;

const MAX_CHARACTERS = 512;

/** Printable ASCII and line feeds: nothing that a wallet could display as something else. */
const PRINTABLE = /^[\n\x20-\x7e]*$/;

/** The phrases of Sign-In with Ethereum and its siblings (EIP-4361, CAIP-122) with any spacing, and any URL. */
const OTHER_SITE = /wants\s+you\s+to\s+sign\s+in|\b(URI|Chain\s+ID|Issued\s+At)\s*:|:\/\/|\bjavascript:/i;

/**
 * Throws unless a message that a service sends to be signed is one of the network's own sign-in messages.
 *
 * @throws `UNEXPECTED_MESSAGE`
 */
export function checkMessage(message: string, { acceptMessage }: SigningOptions): void {
  const known =
    KNOWN_FORM.test(message) &&
    message.length <= MAX_CHARACTERS &&
    PRINTABLE.test(message) &&
    !OTHER_SITE.test(message);
  if (!known && acceptMessage?.(message) !== true) throw unexpectedMessage(message);
}
