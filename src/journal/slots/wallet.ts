import { ignore } from "../../base/errors/base.ts";
import { invalidOption } from "../../base/errors/input.ts";
import { unsuitableWallet } from "../../base/errors/journal.ts";
import { networkError } from "../../base/errors/transport.ts";
import { fromHex } from "../../base/streams/bytes.ts";
import { checkAddress } from "../../base/validation/address.ts";
import { promptSigner } from "../../base/validation/sign.ts";
import { sealKey, unsealKey } from "../sealing.ts";
import type { CodeProvider, SlotMeans, SlotSubject, TypedDataSigner } from "./slot.ts";

/** What a wallet signs (EIP-712), with the ids of the journal and the slot. */
const DOMAIN = { name: "keeplight", version: "1" };
const TYPES = {
  JournalKey: ["notice", "journal", "slot"].map((name) => ({ name, type: "string" })),
};
const NOTICE = "This signature opens a journal. Sign it only in the app that you keep the journal with.";

const SIGNATURE = /^0x[0-9a-f]{130}$/i;

/**
 * The signature of a wallet, which has to sign twice to wrap a key. Refuses an account whose signatures differ, as those of
 * some hardware wallets do, or that is a contract: its key would be lost at the next signature.
 *
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED`; its `wrap` also `WALLET_UNSUITABLE`, `NETWORK`
 */
export async function byWallet(wallet?: TypedDataSigner, codeProvider?: CodeProvider): Promise<SlotMeans> {
  const { signer, address } = await checkWallet(wallet);
  return {
    kind: "wallet",
    target: address,
    async wrap(subject, key) {
      const code: unknown = await getCode(codeProvider ?? signer.provider, address);
      if (code !== "0x") throw unsuitableWallet(address, "it is a contract, or delegates to one");
      const signature = await sign(signer, subject);
      if ((await sign(signer, subject)) !== signature) throw unsuitableWallet(address, "its signatures differ");
      return sealKey(await deriveKey(signature, subject), subject, key);
    },
    async unwrap(subject, { target, wrapped }) {
      if (target !== address) return undefined;
      const key = await deriveKey(await sign(signer, subject), subject);
      return unsealKey(key, subject, wrapped).catch(ignore("JOURNAL_DAMAGED"));
    },
  };
}

async function checkWallet(signer: TypedDataSigner | undefined): Promise<{ signer: TypedDataSigner; address: string }> {
  if (typeof signer?.getAddress !== "function" || typeof signer.signTypedData !== "function") {
    throw invalidOption("signer", "an object with getAddress() and signTypedData()");
  }
  const address = checkAddress(await promptSigner(async () => signer.getAddress(), undefined));
  if (!address.startsWith("0x")) throw invalidOption("signer", "the signer of an EVM address");
  return { signer, address };
}

async function getCode(provider: unknown, address: string): Promise<unknown> {
  const { getCode } = Object(provider) as Partial<CodeProvider>;
  if (typeof getCode !== "function") {
    throw invalidOption("provider", "an object with getCode(address), or a signer that has such a provider");
  }
  try {
    return await getCode.call(provider, address);
  } catch {
    // Its error may repeat the URL of a node, which may contain an API key.
    throw networkError({ method: "eth_getCode", url: "the wallet's provider" }, undefined);
  }
}

async function sign(signer: TypedDataSigner, { journal, slot }: SlotSubject): Promise<string> {
  const value = { notice: NOTICE, journal, slot };
  const signature: unknown = await promptSigner(() => signer.signTypedData(DOMAIN, TYPES, value), undefined);
  if (typeof signature === "string" && SIGNATURE.test(signature)) return signature.toLowerCase();
  throw invalidOption("signer", "a signTypedData() that returns a signature of 65 bytes in hex");
}

/** Derives the wrapping key from r and s (HKDF-SHA-256, RFC 5869): wallets encode the last byte in two ways. */
async function deriveKey(signature: string, { journal, slot }: SlotSubject): Promise<CryptoKey> {
  const secret = fromHex(signature.slice(2, 130));
  const encode = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const params = {
    name: "HKDF",
    hash: "SHA-256",
    salt: encode(journal),
    info: encode(`keeplight journal slot ${slot} wallet`),
  };
  return crypto.subtle.deriveKey(params, key, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
