import { useMutation, useQuery } from "@tanstack/react-query";
import { connect, createConfig, getWalletClient, injected } from "@wagmi/core";
import { getBytes, JsonRpcProvider, Wallet } from "ethers";
import { createWalletClient, custom, defineChain, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, inject, test } from "vitest";
import { createApiKey, createKit, type KitDefaults } from "../../../src/index.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { useKitQueries, usePayment, useUploadEncrypted } from "../src/index.ts";
import { createPageWallet, requestChain } from "./page-wallet.ts";
import { renderHook, watchConsole } from "./rig.tsx";

const { endpoints, network } = inject("devnet");
const rpcUrls = { default: { http: [network.rpc] as const } };
const nativeCurrency = { name: network.symbol, symbol: network.symbol, decimals: network.decimals };
const chain = defineChain({ id: network.chain_id, name: "devnet", nativeCurrency, rpcUrls });

type Key = `0x${string}`;

/** Creates an account that can pay: no other test pays from it. */
async function createFundedKey(): Promise<Key> {
  const { address, privateKey } = Wallet.createRandom();
  await requestChain("anvil_setBalance", address, `0x${(10n ** 18n).toString(16)}`);
  return privateKey as Key;
}

/** A wallet of the page that also signs messages. */
function createSigningWallet(key: Key) {
  const wallet = new Wallet(key);
  const { provider } = createPageWallet(key);
  const request = async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
    method === "personal_sign"
      ? wallet.signMessage(getBytes(String(params[0])))
      : provider.request({ method, params: [...params] });
  return { request, on: () => undefined, removeListener: () => undefined };
}

/** What apps have of each library once somebody is connected. */
const signers: Readonly<Record<string, (key: Key) => unknown>> = {
  "a wallet of ethers": (key) => new Wallet(key, new JsonRpcProvider(network.rpc)),
  "an account of viem": (key) => privateKeyToAccount(key),
  "a client of viem with a local account": (key) =>
    createWalletClient({ account: privateKeyToAccount(key), chain, transport: http() }),
  "a client of viem with an account of a wallet": (key) =>
    createWalletClient({
      account: privateKeyToAccount(key).address,
      chain,
      transport: custom(createSigningWallet(key)),
    }),
  "a client of wagmi": async (key) => {
    const provider = createSigningWallet(key);
    const connector = injected({ target: () => ({ id: "page", name: "Page", provider: provider as never }) });
    const config = createConfig({ chains: [chain], transports: { [chain.id]: http() }, connectors: [connector] });
    const [connected] = config.connectors;
    if (!connected) throw new Error("wagmi has no connector");
    await connect(config, { connector: connected });
    return getWalletClient(config);
  },
};

test.each(Object.entries(signers))("%s signs in, uploads, shares and pays", async (_, create) => {
  const complaints = watchConsole();
  const key = await createFundedKey();
  const { address } = new Wallet(key);
  const signer = (await create(key)) as NonNullable<KitDefaults["signer"]>;
  const apiKey = await createApiKey({ signer, endpoints });
  const account = { endpoints, apiKey, signer, pauseMs: 0, retryMs: 0 };

  const upload = await renderHook(() => useUploadEncrypted(), account);
  upload.now.upload([new File(["private"], "letter.txt")]);
  await eventually(() => expect(upload.now.total.count.done).toBe(1));
  const [entry] = upload.now.uploads;
  const cid = entry?.state.status === "done" ? entry.state.files[0].Hash : "";

  const friend = Wallet.createRandom();
  const sharing = await renderHook(() => {
    const queries = useKitQueries();
    return { access: useQuery(queries.access(cid)), share: useMutation(queries.share()) };
  }, account);
  expect(await sharing.now.share.mutateAsync({ cid, shareTo: friend.address })).toMatchObject({
    nodes: [1, 2, 3, 4, 5],
  });
  await eventually(() =>
    expect(sharing.now.access.data).toMatchObject({ owner: address.toLowerCase(), sharedTo: [expect.anything()] }),
  );
  const opened = await createKit({ endpoints, signer: friend, pauseMs: 0 }).decrypt(cid);
  expect(new TextDecoder().decode(opened)).toBe("private");

  const paying = await renderHook(() => usePayment(), account);
  const options = { network, token: "native", amount: 1_000n, signer, pollMs: 20 } as Parameters<
    typeof paying.now.pay
  >[0];
  expect(await paying.now.pay(options)).toMatchObject({ from: address.toLowerCase(), amount: 1_000n });
  expect(complaints).toEqual([]);
});
