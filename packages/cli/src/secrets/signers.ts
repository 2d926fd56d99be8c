import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Eip1193Provider, Signer } from "keeplight";
import { UsageError } from "../frame/failure.ts";
import { wrongPassword } from "./stored-login.ts";

/** Checks a private key, and adds its `0x`. The error never repeats it. */
export function checkPrivateKey(key: string, source: string): string {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(key.trim()) ?? [];
  if (digits === undefined) {
    throw new UsageError(`${source} is not a private key: 64 hex characters`, "INVALID_KEY");
  }
  return `0x${digits}`;
}

/** Decrypts a keystore (Web3 Secret Storage) and returns its private key. */
export async function openKeystore(path: string, password: string): Promise<string> {
  const { Wallet } = await import("ethers");
  const json = await readFile(path, "utf8").catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`The keystore ${path} cannot be read (${code})`, "INVALID_KEYSTORE");
  });
  try {
    return (await Wallet.fromEncryptedJson(json, password)).privateKey;
  } catch (error) {
    if (error instanceof Error && /incorrect password/.test(error.message)) throw wrongPassword();
    throw new UsageError(`${path} is not a keystore`, "INVALID_KEYSTORE");
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

const MAX_RESPONSE = 1_000_000;
const NO_RESPONSE = "printed something else than a JSON-RPC response";

/**
 * Runs the signer command for each request: it receives one JSON-RPC request (EIP-1193) on standard input and prints one
 * JSON-RPC response. What it writes to standard error is shown, as it may ask its user for consent.
 */
export function createCommandProvider(command: string, signal: AbortSignal): Eip1193Provider {
  let id = 0;

  async function request({ method, params }: { method: string; params?: unknown }): Promise<unknown> {
    id += 1;
    const call = JSON.stringify({ jsonrpc: "2.0", id, method, params: params ?? [] });
    const text = await run(command, `${call}\n`, signal);
    let response: unknown;
    try {
      response = JSON.parse(text);
    } catch {
      throw failed(NO_RESPONSE);
    }
    const { result, error } = (response ?? {}) as { result?: unknown; error?: { code?: number; message?: string } };
    if (error) throw Object.assign(new Error(error.message ?? "rejected"), { code: error.code });
    return result;
  }

  return { request } as Eip1193Provider;
}

/** Signs messages by the signer command: `eth_accounts` and `personal_sign`. */
export function createCommandSigner(provider: Eip1193Provider): Signer {
  const request = provider.request as (call: { method: string; params?: unknown }) => Promise<unknown>;
  const getAddress = once(async () => {
    const accounts = await request({ method: "eth_accounts" });
    const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined;
    if (typeof first !== "string") throw failed("returned no account");
    return first;
  });
  return {
    getAddress,
    async signMessage(message) {
      const hex = `0x${Buffer.from(message, "utf8").toString("hex")}`;
      return (await request({ method: "personal_sign", params: [hex, await getAddress()] })) as string;
    },
  };
}

/** Calls `work` at most once; later calls get the same result. */
export function once<Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) {
  let result: Promise<Result> | undefined;
  return (...given: Arguments): Promise<Result> => {
    result ??= work(...given);
    return result;
  };
}

function run(command: string, input: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"], signal });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length <= MAX_RESPONSE) return;
      // The shell may end before its commands: those cannot write any more.
      child.stdout.destroy();
      child.kill();
      reject(failed(NO_RESPONSE));
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(text) : reject(failed(`ended with exit code ${code}`))));
    // A command that does not read its request is not an error by itself.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function failed(problem: string): UsageError {
  return new UsageError(`The signer command (KEEPLIGHT_SIGNER_COMMAND) ${problem}`, "SIGNER_COMMAND_FAILED");
}
