import { bech32 } from "@scure/base";
import { entropyToMnemonic, mnemonicToEntropy } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { encodeQR } from "qr";
import { howToOpen } from "./how-to.ts";

// Loaded later; imports nothing that a page loads at once.

export { howToOpen };

const PREFIX = "AGE-SECRET-KEY-";

/** Decodes an age identity to its 32 bytes, in hex. */
export function toHexSecret(identity: string): string {
  return toHex(bech32.decodeToBytes(identity).bytes);
}

/** Encodes 32 bytes in hex as an age identity. */
export function toIdentity(secret: string): string {
  return bech32.encodeFromBytes(PREFIX, fromHex(secret)).toUpperCase();
}

/** Reads 32 bytes in hex, or as 24 words of BIP 39 (English); `undefined` if they are neither, or a word is wrong. */
export function readSecret(text: string): string | undefined {
  const normalised = text.trim().toLowerCase().split(/\s+/).join(" ");
  if (/^[0-9a-f]{64}$/.test(normalised)) return normalised;
  try {
    const bytes = mnemonicToEntropy(normalised, wordlist);
    return bytes.length === 32 ? toHex(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** What one printed page holds. */
export interface PageContent {
  /** 32 bytes in hex: the identity's, or those of a part. */
  secret: string;
  /** The same as a line of text, which the QR code holds. */
  text: string;
  recipient: string;
  part: { number: number; of: number; needed: number; label: string } | undefined;
}

/** Formats a page to print: HTML without scripts and without anything to load. */
export function formatPage({ secret, text, recipient, part }: PageContent): string {
  const words = entropyToMnemonic(fromHex(secret), wordlist).split(" ");
  const title = part ? `Recovery identity, part ${part.number} of ${part.of}` : "Recovery identity";
  const use = part
    ? `Any ${part.needed} of the ${part.of} parts restore the identity that opens your files; fewer reveal nothing. ` +
      `Keep each part in another place. In words, this part is ${part.label} followed by the 24 words.`
    : "Everyone who has this page can open all files of your recovery kits. Keep it where you keep your passport.";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<style>
body { font: 12pt/1.4 sans-serif; max-width: 17cm; margin: 1cm auto; color: #000; background: #fff; }
ol { columns: 3; font-size: 14pt; }
svg { width: 6cm; height: 6cm; }
code { font-size: 10pt; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${use}</p>
<ol>
${words.map((word) => `<li>${word}</li>`).join("\n")}
</ol>
${encodeQR(text, "svg", { ecc: "medium", border: 4 })}
<p><code>${text}</code></p>
<p>Made for the recipient <code>${recipient}</code></p>
<p>To open the files, follow the page "How to open this without keeplight", or call restoreRecoveryIdentity and
openRecoveryKit.</p>
</body>
</html>
`;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
