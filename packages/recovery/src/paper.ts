import { bech32, hex } from "@scure/base";
import { entropyToMnemonic, mnemonicToEntropy } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { encodeQR } from "qr";

// Loaded later.

const PREFIX = "AGE-SECRET-KEY-";

/** Decodes an age identity to its 32 bytes, in hex. */
export function toHexSecret(identity: string): string {
  return hex.encode(bech32.decodeToBytes(identity).bytes);
}

/** Encodes 32 bytes in hex as an age identity. */
export function toIdentity(secret: string): string {
  return bech32.encodeFromBytes(PREFIX, hex.decode(secret)).toUpperCase();
}

/** Reads 32 bytes in hex, or as 24 words of BIP 39 (English); `undefined` if they are neither, or a word is wrong. */
export function readSecret(text: string): string | undefined {
  const normalised = text.trim().toLowerCase().split(/\s+/).join(" ");
  if (/^[0-9a-f]{64}$/.test(normalised)) return normalised;
  try {
    const bytes = mnemonicToEntropy(normalised, wordlist);
    return bytes.length === 32 ? hex.encode(bytes) : undefined;
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
  const words = entropyToMnemonic(hex.decode(secret), wordlist).split(" ");
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

/** Decrypts every file of a kit; needs Python 3.8 and its package `cryptography`, nothing of this package. */
const OPEN_PY = String.raw`import hashlib, json, os, re, shutil, sys, urllib.request
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

keys, gateway, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
failed = 0
for number, line in enumerate(open(keys, encoding="utf-8", errors="replace"), 1):
    if not line.strip():
        continue
    cid = "no entry"
    try:
        entry = json.loads(line)
        cid, key = entry["cid"], entry["masterKey"]
        name = re.sub(r"[^\w. -]", "_", entry["name"] or cid).encode()[-120:].decode(errors="ignore")
        path = os.path.join(folder, "%05d-%s" % (number, name))
        committed = hashlib.sha256(("keeplight key commitment v1\n%s\n%s" % (cid, key)).encode()).hexdigest()
        assert committed == entry["commitment"], "the key is not the committed one"
        with urllib.request.urlopen(gateway + cid) as response, open(path + ".encrypted", "wb") as stored:
            shutil.copyfileobj(response, stored)
        with open(path + ".encrypted", "rb") as stored, open(path + ".part", "wb") as opened:
            left = stored.seek(-16, 2) - 28
            tag = stored.read(16)
            stored.seek(0)
            salt, iv = stored.read(16), stored.read(12)
            aes = algorithms.AES(hashlib.pbkdf2_hmac("sha256", key.encode(), salt, 250000))
            decryptor = Cipher(aes, modes.GCM(iv, tag)).decryptor()
            while left > 0:
                chunk = stored.read(min(left, 1048576))
                left -= len(chunk)
                opened.write(decryptor.update(chunk))
            decryptor.finalize()
        os.replace(path + ".part", path)
        os.remove(path + ".encrypted")
    except Exception as problem:
        failed += 1
        print("line %d, %r: %r" % (number, cid, problem), file=sys.stderr)
sys.exit("%d files could not be opened" % failed if failed else 0)
`;

/** Puts an identity together from parts; needs Python 3 only. */
const JOIN_PY = `import functools, sys

def times(a, b):  # in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1
    product = 0
    while b:
        product ^= a * (b & 1)
        a = a << 1 ^ (0x11b if a & 0x80 else 0)
        b >>= 1
    return product

def value_at_0(points):
    value = 0
    for x, y in points:
        for other, _ in points:
            if other != x:
                y = times(times(y, other), functools.reduce(times, [x ^ other] * 254))  # a^254 = 1 / a
        value ^= y
    return value

parts = [part.strip().upper().split("-") for part in sys.argv[1:]]
assert len(parts) >= int(parts[0][2]), "more parts are needed"
points = [(int(part[3]), bytes.fromhex(part[4])) for part in parts]
secret = bytes(value_at_0([(x, data[at]) for x, data in points]) for at in range(32))

def checksum(digits):  # of Bech32 (BIP 173)
    check = 1
    for digit in digits:
        check, top = (check & 0x1ffffff) << 5 ^ digit, check >> 25
        for bit, value in enumerate([0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]):
            check ^= value * (top >> bit & 1)
    return check ^ 1

digits = [int.from_bytes(secret, "big") << 4 >> 5 * at & 31 for at in reversed(range(52))]
prefix = "age-secret-key-"
check = checksum([ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + digits + [0] * 6)
digits += [check >> 5 * at & 31 for at in reversed(range(6))]
print((prefix + "1" + "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[digit] for digit in digits)).upper())
`;

/**
 * How to open the files of a recovery kit without this package and without the key nodes: plain text, with two scripts,
 * `open.py` and `join.py`, between lines that name them.
 */
export const howToOpen = `HOW TO OPEN THIS WITHOUT KEEPLIGHT

You need: the recovery kit (one file *.age, or a folder of them), its identity (AGE-SECRET-KEY-1..., or 24 words, or
enough of its parts) or its passphrase, and the stored files, which every IPFS gateway has as long as they are stored.
No key node, no wallet and no account is needed. Keep everything below on a machine that you trust, and delete
keys.jsonl afterwards: it holds the keys of all files.

1. Install age (https://age-encryption.org; Debian: apt install age) and Python 3 with its package "cryptography"
   (Debian: apt install python3-cryptography).

2. Write the identity, AGE-SECRET-KEY-1..., on a line of its own into a file identity.txt.
   - From parts: python3 join.py KEEPLIGHT-PART-... KEEPLIGHT-PART-... > identity.txt
   - From 24 words: they are the 32 bytes of the identity by BIP 39 (English). Any BIP 39 tool shows them as 64
     hexadecimal digits, the "entropy": python3 join.py KEEPLIGHT-PART-1-1-<those digits> > identity.txt

3. Decrypt the kit:
     age -d -i identity.txt kit.age > keys.jsonl
     for kit in recovery/*.age; do age -d -i identity.txt "$kit"; echo; done > keys.jsonl    (a folder)
     age -d kit.age > keys.jsonl    (with a passphrase)
   Each line is one file: {"cid", "name", "size", "masterKey", "commitment"}; others can be there, too, since whoever
   knows the recipient can add to a folder. What cannot be read is reported and left out. The commitment is the SHA-256
   of the three lines "keeplight key commitment v1", cid and masterKey, joined by line feeds.

4. Decrypt the files, from any gateway, into the folder "opened":
     python3 open.py keys.jsonl https://gateway.lighthouse.storage/ipfs/ opened
   A stored file is salt (16 bytes), iv (12), AES-256-GCM ciphertext, tag (16). The AES key is PBKDF2-HMAC-SHA-256 of the
   64 characters of masterKey, with the salt, 250000 rounds, 32 bytes. What the tag does not confirm stays *.part.
   The tag proves that the file was made by someone who had the key. Your own IPFS node proves that it is the file of its
   content id: use http://127.0.0.1:8080/ipfs/ if others may have had the key.

----- open.py -----
${OPEN_PY}----- join.py -----
${JOIN_PY}-----
`;
