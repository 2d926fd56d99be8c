import type { Invocation } from "../frame/invocation.ts";
import { UsageError } from "../frame/usage-error.ts";
import { type FoundSigner, toSigner } from "../secrets/account.ts";
import { openKeyring } from "../secrets/keyring.ts";
import { checkPrivateKey, openKeystore } from "../secrets/private-key.ts";
import { askNewPassword, askSecret } from "../secrets/prompt.ts";
import { sealSecret } from "../secrets/sealed-file.ts";
import { type LoginSecrets, type StoredLogin, writeLogin, writePrivateFile } from "../secrets/stored-login.ts";

const NO_PASSWORD = "Set KEEPLIGHT_PASSWORD, use a terminal, or install @napi-rs/keyring.";
const NO_KEY = "Set KEEPLIGHT_SIGNER_COMMAND, KEEPLIGHT_PRIVATE_KEY or KEEPLIGHT_KEYSTORE, or use a terminal.";

/** A signer, and the keystore that has its private key. */
interface Chosen {
  found: FoundSigner;
  keystore?: string | undefined;
}

/** Creates an API key and keeps it. */
export async function run(invocation: Invocation): Promise<void> {
  const { load, call, output, flag, isDryRun, account } = invocation;
  const kit = await load();
  // Before an API key is created that could not be kept.
  const keyring = flag("keyring") ? await openKeyring() : undefined;
  const renewed = await findKeyOfLogin(invocation);
  const password = await choosePassword(invocation, keyring !== undefined, renewed !== undefined);
  const { found, keystore } = renewed ?? (await chooseSigner(invocation, password));
  const signer = await toSigner(found);
  const address = await signer.getAddress();
  const store = keyring ? "keyring" : "sealed";
  if (isDryRun) {
    output.result({ address, store }, { text: () => `Would log in as ${address}; nothing was sent`, quiet: address });
    return;
  }
  const previous = await account.login();
  if (previous && previous.address !== address) throw loggedIn(previous);
  const apiKey = await kit.createApiKey({ ...call, signer });
  // What signs by itself the next time need not be kept.
  const keeps = (found.source === "stdin" || found.source === "login") && keystore === undefined;
  const secrets: LoginSecrets = { apiKey, ...(keeps ? { privateKey: found.privateKey } : {}) };
  const login: StoredLogin = { version: 1, address, store, ...(keystore ? { keystore } : {}) };
  if (keyring) {
    await keyring.set("api-key", apiKey);
    if (secrets.privateKey) await keyring.set(`private-key ${address}`, secrets.privateKey);
    await writeLogin(login);
  } else {
    await writeLogin({ ...login, sealed: await sealSecret(kit, JSON.stringify(secrets), password ?? "") });
  }
  if (keystore && !renewed) {
    output.warn(`Make a copy of ${keystore}: it is the only key to what this account encrypts.`);
  }
  if (account.hasKeyInEnvironment) output.warn("KEEPLIGHT_API_KEY is set, and takes precedence over this login.");
  const shown = keystore ? { address, store, keystore } : { address, store };
  output.result(shown, { text: () => `Logged in as ${address}`, quiet: address });
}

/** Finds the private key that the present login has, if its API key is to be renewed. */
async function findKeyOfLogin({ account, flag }: Invocation): Promise<Chosen | undefined> {
  const login = flag("new") ? undefined : await account.login();
  if (!login) return undefined;
  const outside = await account.findOutsideLogin();
  if (outside) {
    // A keystore stays part of the login, regardless of what signs; another account's signer is refused below.
    const isSame = login.keystore !== undefined && (await (await toSigner(outside)).getAddress()) === login.address;
    if (!isSame) return undefined;
  }
  const found = await account.findInLogin().catch((error: unknown) => {
    // A keyring that lost the login is no reason not to log in again.
    if (error instanceof UsageError && error.code === "LOGIN_DAMAGED") return undefined;
    throw error;
  });
  return found && { found, keystore: login.keystore };
}

/** Chooses the password that seals what is kept, if anything is sealed. */
async function choosePassword(
  { account, flag, isDryRun, signal }: Invocation,
  hasKeyring: boolean,
  isRenewed: boolean,
): Promise<string | undefined> {
  if ((hasKeyring && !flag("new")) || isDryRun) return undefined;
  if (isRenewed) return account.loginPassword();
  return account.environmentPassword ?? askNewPassword("New password for this login", NO_PASSWORD, signal);
}

async function chooseSigner(invocation: Invocation, password: string | undefined): Promise<Chosen> {
  const { account, flag, load, signal, isDryRun } = invocation;
  if (flag("new")) {
    if (isDryRun) throw new UsageError("--new creates an account, and --dry-run does not");
    const previous = await account.login();
    if (previous) throw loggedIn(previous);
    const { createWallet } = await load();
    const { address, encryptedWallet } = await createWallet(password ?? "", { signal });
    const keystore = await writePrivateFile(`keystore-${address}.json`, encryptedWallet);
    return { found: { source: "login", privateKey: await openKeystore(keystore, password ?? "") }, keystore };
  }
  const found = await account.findOutsideLogin();
  if (found) return { found };
  const typed = await askSecret("Private key of the account", NO_KEY, signal);
  return { found: { source: "stdin", privateKey: checkPrivateKey(typed, "What you typed") } };
}

/** The other login may hold the only copy of a private key. */
function loggedIn({ address }: StoredLogin): UsageError {
  return new UsageError(`${address} is logged in`, { code: "LOGGED_IN", hint: "First: keeplight logout" });
}
