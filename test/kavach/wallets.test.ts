import { type Account, createClient, createWalletClient, custom, type EIP1193Provider, isAddressEqual } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, expect, test } from "vitest";
import { startDevnet } from "../../packages/devnet/src/index.ts";
import {
  createApiKey,
  createKit,
  createOneTimeToken,
  decrypt,
  kavachShare,
  type SignerLike,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { address as friend } from "../support/fixtures.ts";

const devnet = await startDevnet();
afterAll(() => devnet.close());
const { endpoints } = devnet;
const quick = { endpoints, pauseMs: 0, retryMs: 0 };

const createAccount = () => privateKeyToAccount(generatePrivateKey());

/** A wallet as browsers inject it, with the account that its user has chosen; it signs with that one for any address. */
function createWallet(...known: [PrivateKeyAccount, ...PrivateKeyAccount[]]) {
  const requests: string[] = [];
  let chosen: PrivateKeyAccount | undefined = known[0];
  let isConnected = false;
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    requests.push(method);
    if (method === "eth_requestAccounts") isConnected = true;
    if (method.endsWith("ccounts")) return isConnected && chosen ? [chosen.address] : [];
    if (method === "personal_sign" && chosen)
      return chosen.signMessage({ message: { raw: params?.[0] as `0x${string}` } });
    throw new Error(`no ${method}`);
  };
  const provider = { request, on: () => undefined, removeListener: () => undefined } as unknown as EIP1193Provider;
  return {
    provider,
    requests,
    connect: () => {
      isConnected = true;
    },
    choose: (account: PrivateKeyAccount | undefined) => {
      chosen = account;
    },
  };
}

const kinds: [string, (account: PrivateKeyAccount) => SignerLike][] = [
  ["a local account of viem", (account) => account],
  [
    "a WalletClient with a local account",
    (account) => createWalletClient({ account, transport: custom(createWallet(account).provider) }),
  ],
  [
    "a WalletClient with an account of the wallet, as useWalletClient returns it",
    (account) => {
      const { provider, connect } = createWallet(account);
      connect();
      return createWalletClient({ account: account.address, transport: custom(provider) });
    },
  ],
  [
    "a client with an account, as useConnectorClient returns it",
    (account) => {
      const { provider, connect } = createWallet(account);
      connect();
      return createClient({ account: account.address, transport: custom(provider) });
    },
  ],
  [
    "a WalletClient without an account",
    (account) => createWalletClient({ transport: custom(createWallet(account).provider) }),
  ],
  ["a wallet's provider, as connector.getProvider() returns it", (account) => createWallet(account).provider],
];

test.each(kinds)("%s signs in for its account, once for all calls", async (_, create) => {
  const account = createAccount();
  const signMessages: string[] = [];
  const counted: PrivateKeyAccount = {
    ...account,
    signMessage: ({ message }) => {
      signMessages.push(JSON.stringify(message));
      return account.signMessage({ message });
    },
  };
  const signer = create(counted);
  const apiKey = await createApiKey({ signer, endpoints });
  const token = await createOneTimeToken({ signer, endpoints });
  expect(isAddressEqual(token.split("$")[0] as `0x${string}`, account.address)).toBe(true);
  signMessages.length = 0;
  const [{ Hash: cid }] = await uploadTextEncrypted("hello", { apiKey, signer, ...quick });
  await kavachShare(cid, { signer, shareTo: friend, ...quick });
  expect(new TextDecoder().decode(await decrypt(cid, { signer, ...quick }))).toBe("hello");
  expect(signMessages).toHaveLength(1);
});

test("a smart account of viem is called in viem's form, although it has a getAddress()", async () => {
  const account = createAccount();
  const { address, signMessage } = account;
  const smart = { type: "smart", address, getAddress: async () => address, signMessage };
  expect(await createApiKey({ signer: smart, endpoints })).toEqual(expect.any(String));
});

test("a wallet is asked for its accounts in a window only if it shares none yet", async () => {
  const wallet = createWallet(createAccount());
  await createApiKey({ signer: wallet.provider, endpoints });
  await createApiKey({ signer: wallet.provider, endpoints });
  expect(wallet.requests.filter((method) => method === "eth_requestAccounts")).toHaveLength(1);
});

test("a client never signs for another account than its own", async () => {
  const [own, other] = [createAccount(), createAccount()];
  const wallet = createWallet(own, other);
  wallet.connect();
  const signer = createWalletClient({ account: own.address, transport: custom(wallet.provider) });
  wallet.choose(other);
  const error = await failure(createApiKey({ signer, endpoints }));
  expect(error).toMatchObject({
    code: "SIGNATURE_REJECTED",
    cause: { message: `The wallet does not share the account ${own.address}` },
  });
  expect(wallet.requests).not.toContain("personal_sign");
});

test("a kit keeps the account that its wallet shared first; a call without a kit takes the current one", async () => {
  const [first, second] = [createAccount(), createAccount()];
  const wallet = createWallet(first, second);
  const kit = createKit({ signer: wallet.provider, ...quick });
  expect(await kit.createOneTimeToken()).toMatch(new RegExp(first.address, "i"));
  wallet.choose(second);
  expect(await failure(kit.createOneTimeToken())).toMatchObject({ code: "SIGNATURE_REJECTED" });
  expect(await createOneTimeToken({ signer: wallet.provider, endpoints })).toMatch(new RegExp(second.address, "i"));
});

test("a kit whose wallet shared no account at first asks it again", async () => {
  const account = createAccount();
  const wallet = createWallet(account);
  const kit = createKit({ signer: wallet.provider, ...quick });
  wallet.choose(undefined);
  expect(await failure(kit.createOneTimeToken())).toMatchObject({
    code: "SIGNATURE_REJECTED",
    cause: { message: "The wallet shares no account with this page" },
  });
  wallet.choose(account);
  expect(await kit.createOneTimeToken()).toMatch(new RegExp(account.address, "i"));
});

test("an account that names an address but cannot sign is refused", async () => {
  const account = { address: friend, type: "json-rpc" } satisfies Account;
  const error = await failure(createApiKey({ signer: account as unknown as SignerLike, endpoints }));
  expect(error).toMatchObject({ code: "INVALID_OPTION" });
});
