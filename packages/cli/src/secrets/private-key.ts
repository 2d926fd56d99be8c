import { readFile } from "node:fs/promises";
import { UsageError } from "../frame/usage-error.ts";

/** Checks a private key, and adds its `0x`. The error never repeats it. */
export function checkPrivateKey(key: string, source: string): string {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(key.trim()) ?? [];
  if (digits === undefined) {
    throw new UsageError(`${source} is not a private key: 64 hex characters`, { code: "INVALID_KEY" });
  }
  return `0x${digits}`;
}

/** Decrypts a keystore (Web3 Secret Storage) and returns its private key. */
export async function openKeystore(path: string, password: string): Promise<string> {
  const { Wallet } = await import("ethers");
  let json: string;
  try {
    json = await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The keystore ${path} cannot be read (${code})`, { code: "INVALID_KEYSTORE" });
  }
  try {
    return (await Wallet.fromEncryptedJson(json, password)).privateKey;
  } catch (error) {
    const isWrong = error instanceof Error && /incorrect password/.test(error.message);
    throw new UsageError(isWrong ? "The password is wrong" : `${path} is not a keystore`, {
      code: isWrong ? "WRONG_PASSWORD" : "INVALID_KEYSTORE",
    });
  }
}

/** Reads the address of a keystore, which is not secret; `null` if it does not say. */
export async function readKeystoreAddress(path: string): Promise<string | null> {
  try {
    const { address } = JSON.parse(await readFile(path, "utf8")) as { address?: unknown };
    return typeof address === "string" ? `0x${address.replace(/^0x/, "")}` : null;
  } catch {
    return null;
  }
}
