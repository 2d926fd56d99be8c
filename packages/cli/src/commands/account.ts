import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { formatBytes } from "../output/format.ts";
import { type Facts, formatFacts } from "../output/table.ts";
import { type FoundSigner, toSigner } from "../secrets/account.ts";
import { forgetChoice, listProfiles } from "../secrets/profiles.ts";
import { askNewPassword, askSecret } from "../secrets/prompt.ts";
import { checkPrivateKey, openKeystore, readKeystoreAddress } from "../secrets/signers.ts";
import {
  type LoginSecrets,
  openKeyring,
  readLogin,
  removeLogin,
  type StoredLogin,
  sealSecret,
  toApiKeyEntry,
  writeLogin,
} from "../secrets/stored-login.ts";
import { writePrivateFile } from "../settings.ts";
import { openAccountKit, requireConsent } from "../steps/authority.ts";

const NO_PASSWORD = "Set KEEPLIGHT_PASSWORD, use a terminal, or install @napi-rs/keyring.";
const NO_KEY = "Set KEEPLIGHT_SIGNER_COMMAND, KEEPLIGHT_PRIVATE_KEY or KEEPLIGHT_KEYSTORE, or use a terminal.";

const NO_KEYRING = "Is @napi-rs/keyring installed beside @keeplight/cli, and the keyring unlocked?";

/** What signs, for people. */
const SIGNS: Readonly<Record<FoundSigner["source"], string>> = {
  stdin: "standard input",
  command: "KEEPLIGHT_SIGNER_COMMAND",
  environment: "KEEPLIGHT_PRIVATE_KEY",
  keystore: "the keystore",
  login: "the login",
};

/** A signer, and the keystore that has its private key. */
interface Chosen {
  found: FoundSigner;
  keystore?: string | undefined;
}

export async function login(invocation: Invocation): Promise<void> {
  const { load, call, output, flag, isDryRun, account } = invocation;
  const kit = await load();
  // Before an API key is created that could not be kept.
  const keyring = flag("keyring") ? await openKeyring() : undefined;
  const renewed = await findKeyOfLogin(invocation);
  const previous = await account.login();
  // The keyring asks for none, but a keystore that a login in it uses does.
  const hasPassword = renewed !== undefined && (previous?.store === "sealed" || renewed.keystore !== undefined);
  const password = await choosePassword(invocation, keyring !== undefined, hasPassword);
  const { found, keystore } = renewed ?? (await chooseSigner(invocation, password));
  const signer = await toSigner(found);
  const address = await signer.getAddress();
  const store = keyring ? "keyring" : "sealed";
  if (isDryRun) return output.result({ address, store }, `Would log in as ${address}; nothing was sent`, address);
  if (previous && previous.address !== address) throw loggedIn(previous);
  const apiKey = await kit.createApiKey({ ...call, signer });
  const { source } = found;
  const privateKey = isKept(found, account.profile) && keystore === undefined ? found.privateKey : undefined;
  const secrets: LoginSecrets = { apiKey, privateKey };
  const signsElsewhere = keystore === undefined && privateKey === undefined ? true : undefined;
  const login: StoredLogin = { version: 1, address, store, keystore, signsElsewhere };
  const { name } = account.profile;
  if (keyring) {
    await keyring.set(toApiKeyEntry(name), apiKey);
    if (privateKey) await keyring.set(`private-key ${address}`, privateKey);
    await writeLogin(name, login);
  } else {
    await writeLogin(name, { ...login, sealed: await sealSecret(kit, JSON.stringify(secrets), password ?? "") });
    if (previous?.store === "keyring") await leaveKeyring(invocation, address, privateKey !== undefined);
  }
  if (signsElsewhere) output.note(`The login keeps the API key only: ${SIGNS[source]} goes on signing.`);
  if (keystore && !renewed) {
    output.warn(`Make a copy of ${keystore}: it is the only key to what this account encrypts.`);
  }
  if (account.secrets.apiKey) output.warn("KEEPLIGHT_API_KEY is set, and takes precedence over this login.");
  output.result({ address, store, keystore }, `Logged in as ${address}`, address);
}

/** Whether a login keeps a key: what signs by itself the next time need not be kept, unless it belongs to a profile. */
function isKept({ source }: FoundSigner, { isNamed }: Invocation["account"]["profile"]): boolean {
  return source === "stdin" || source === "login" || (source === "environment" && isNamed);
}

/** Finds the private key that the present login has, if its API key is to be renewed. */
async function findKeyOfLogin({ account, flag }: Invocation): Promise<Chosen | undefined> {
  const login = flag("new") ? undefined : await account.login();
  if (!login) return undefined;
  const outside = await account.findOutsideLogin();
  if (outside) {
    // A key stays part of the login, regardless of what signs; another account's signer is refused below.
    const losesKey = login.keystore !== undefined || (!login.signsElsewhere && !isKept(outside, account.profile));
    const isSame = losesKey && (await (await toSigner(outside)).getAddress()) === login.address;
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
  hasPassword: boolean,
): Promise<string | undefined> {
  if ((hasKeyring && !flag("new")) || isDryRun) return undefined;
  if (hasPassword) return account.loginPassword();
  return account.secrets.password ?? askNewPassword("New password for this login", NO_PASSWORD, signal);
}

/** Removes from the keyring what a password seals now. */
async function leaveKeyring({ account, output }: Invocation, address: string, isKeySealed: boolean): Promise<void> {
  const { name } = account.profile;
  const names = (await listProfiles()).filter((each) => each !== name);
  const others = await Promise.all(names.map((each) => readLogin(each).catch(() => undefined)));
  const isUsed = others.some((other) => other?.store === "keyring" && other.address === address);
  if (isUsed) output.note(`The keyring keeps the private key of ${address}: another profile uses it.`);
  const keyring = await openKeyring();
  const entries = [toApiKeyEntry(name), ...(isKeySealed && !isUsed ? [`private-key ${address}`] : [])];
  for (const entry of entries) {
    // It need not be there.
    await keyring?.remove(entry).catch(() => undefined);
    const isLeft = !keyring || (await keyring.get(entry).catch(() => "")) !== undefined;
    if (isLeft) output.warn(`The keyring still has the entry ${entry}, which could not be removed`);
  }
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
  const hint = "First: keeplight logout. Or log in beside it: keeplight login --profile <name>";
  return new UsageError(`${address} is logged in`, "LOGGED_IN", hint);
}

/** Asks for no password. */
export async function whoami(invocation: Invocation): Promise<void> {
  const { load, account, output, settings } = invocation;
  const { defaultEndpoints } = await load();
  const signer = (await account.getSource()) ?? null;
  const address = await findAddress(invocation, signer);
  const login = account.secrets.apiKey ? undefined : await account.login();
  const apiKey = account.secrets.apiKey ? "environment" : login ? "login" : null;
  if (login && address && login.address.toLowerCase() !== address.toLowerCase()) {
    output.warn(`The login is of ${login.address}: its API key is not used with the key of ${address}`);
  }
  const endpoints = Object.entries({ ...defaultEndpoints, ...settings.endpoints }).map(
    ([name, urls]) => [name, formatUrls(urls)] as const,
  );
  const facts = formatFacts([
    ["Profile", account.profile.name],
    ["Account", address ?? login?.address ?? "unknown"],
    ["Signs by", signer ?? "nothing: keeplight login"],
    ["API key", apiKey ?? "none: keeplight login"],
    ...endpoints,
  ]);
  const { name: profile } = account.profile;
  output.result({ profile, address, signer, apiKey, endpoints: Object.fromEntries(endpoints) }, facts, address ?? "");
}

async function findAddress({ account, settings }: Invocation, signer: string | null): Promise<string | null> {
  if (signer === null) return null;
  if (signer === "login") return (await account.login())?.address ?? null;
  if (signer === "keystore") return readKeystoreAddress(settings.keystore ?? "");
  return (await account.signer()).getAddress();
}

/** Formats base URLs. Without a proxy's user and password, which end at the last `@` before the path: others may be in them. */
function formatUrls(urls: string | readonly string[]): string {
  const shown = [urls].flat().map((url) => String(url).replace(/\/\/[^/]*@/, "//…@"));
  return shown.join(",");
}

export async function logout(invocation: Invocation): Promise<void> {
  const { output, account, flag, isDryRun } = invocation;
  const login = await account.login();
  if (!login) return output.result({ address: null, keyForgotten: false }, "Nobody is logged in.");
  const { address, store, keystore, signsElsewhere } = login;
  // A sealed login without a keystore holds the only copy of a key that was typed.
  const losesKey = flag("forgetKey") || (store === "sealed" && keystore === undefined && !signsElsewhere);
  if (!isDryRun) {
    const question = `Without a copy of its private key, files of ${address} cannot be opened any more. Forget it?`;
    if (losesKey) await requireConsent(invocation, question);
    if (store === "keyring") await forgetInKeyring(invocation, address);
    await removeLogin(account.profile.name);
    await forgetChoice(account.profile.name);
  }
  const done = isDryRun ? "Would log out" : "Logged out";
  output.result({ address, keyForgotten: losesKey && !isDryRun }, `${done} ${address}`);
  if (keystore) output.note(`Its keystore is kept: ${keystore}`);
}

/** Removes what the keyring has of a login. Throws `NO_KEYRING` if a private key cannot be removed that is to be forgotten. */
async function forgetInKeyring({ account, flag, output }: Invocation, address: string): Promise<void> {
  const keyring = await openKeyring();
  const privateKey = `private-key ${address}`;
  if (flag("forgetKey")) {
    // The login need not have one.
    await keyring?.remove(privateKey).catch(() => undefined);
    if (!keyring || (await keyring.get(privateKey)) !== undefined) {
      throw new UsageError("The private key could not be removed from the keyring", "NO_KEYRING", NO_KEYRING);
    }
  }
  if (!keyring) return output.warn(`The keyring still has the API key of ${address}, as it cannot be opened`);
  await keyring.remove(toApiKeyEntry(account.profile.name));
}

export async function balance(invocation: Invocation): Promise<void> {
  const kit = await openAccountKit(invocation);
  const { dataLimit, dataUsed, walrusDataLimit, walrusDataUsed } = await kit.getBalance();
  const dataLeft = dataLimit - dataUsed;
  const describe = (limit: number, used: number, prefix = ""): Facts => [
    [`${prefix}Limit`, formatBytes(limit)],
    [`${prefix}Used`, formatBytes(used)],
    [`${prefix}Left`, formatBytes(limit - used)],
  ];
  const facts = formatFacts([
    ...describe(dataLimit, dataUsed),
    ...(typeof walrusDataLimit === "number" ? describe(walrusDataLimit, walrusDataUsed ?? 0, "Walrus: ") : []),
  ]);
  const result = { dataLimit, dataUsed, dataLeft, walrusDataLimit, walrusDataUsed };
  invocation.output.result(result, facts, String(dataLeft));
}
