import { Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import type { EvmCondition, Signer } from "../../../src/index.ts";
import {
  createApiKey,
  decrypt,
  kavachGetAccessConditions,
  kavachRecoverShards,
  kavachRevoke,
  kavachSetAccessConditions,
  kavachShare,
  kavachTransferOwnership,
  uploadEncrypted,
  uploadTextEncrypted,
} from "../../../src/index.ts";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";
import { simulateConditions } from "../../conditions/src/index.ts";
import { createSolanaWallet, toBase58 } from "./solana.ts";

const devnet = devnetForTests({ chain: true, evmRpc: { Dead: "http://127.0.0.1:1" } });
const endpoints = () => devnet().endpoints;
const as = (signer: Signer) => ({ signer, endpoints: endpoints(), pauseMs: 0 });
const createSigner = (n: number) => new Wallet(account(devnet(), n).privateKey);
let apiKey = "";
beforeAll(async () => {
  apiKey = await createApiKey({ signer: createSigner(0), endpoints: endpoints() });
});

async function uploadSecret(owner: Signer, text = "a secret"): Promise<string> {
  const [file] = await uploadTextEncrypted(text, { ...as(owner), apiKey });
  return file?.Hash ?? "";
}

const decryptText = async (cid: string, who: Signer) => Buffer.from(await decrypt(cid, as(who))).toString();

function requireTokens(amount: string, change: Partial<EvmCondition> = {}): EvmCondition {
  return {
    id: 1,
    chain: "Polygon",
    standardContractType: "ERC20",
    contractAddress: devnet().chain?.network.tokens.usdc?.address ?? "",
    method: "balanceOf",
    parameters: [":userAddress"],
    returnValueTest: { comparator: ">=", value: amount },
    ...change,
  } as EvmCondition;
}

describe("access conditions", () => {
  test("grant access to those who meet them, and are public", async () => {
    const cid = await uploadSecret(createSigner(0));
    const conditions = [requireTokens("1")];
    const decryptionType = "ACCESS_CONDITIONS" as const;
    await kavachSetAccessConditions(cid, { ...as(createSigner(0)), conditions, decryptionType });
    expect(await decryptText(cid, createSigner(1))).toBe("a secret");
    await expect(decryptText(cid, Wallet.createRandom())).rejects.toThrow("Access Denied");
    const stored = await kavachGetAccessConditions(cid, { endpoints: endpoints() });
    expect(stored).toMatchObject({ owner: account(devnet(), 0).address, conditions, decryptionType, aggregator: "" });
  });

  test("are set by the upload itself, before anyone could get the key otherwise", async () => {
    const owner = createSigner(0);
    const files = [new File(["one"], "one.txt"), new File(["two"], "two.txt")];
    const uploaded = await uploadEncrypted(files, { ...as(owner), apiKey, conditions: [requireTokens("1")] });
    expect(await Promise.all(uploaded.map(({ Hash }) => decryptText(Hash, createSigner(1))))).toEqual(["one", "two"]);
    await expect(decryptText(uploaded[0]?.Hash ?? "", Wallet.createRandom())).rejects.toThrow("Access Denied");
    expect(await decryptText(uploaded[1]?.Hash ?? "", owner)).toBe("two");
  });

  test("that are invalid prevent the upload", async () => {
    const sent = devnet().requests().length;
    const conditions = [requireTokens("1", { chain: "" })];
    const options = { ...as(createSigner(0)), apiKey };
    await expect(uploadEncrypted(new File(["x"], "x"), { ...options, conditions })).rejects.toMatchObject({
      code: "INVALID_CONDITION",
      message: expect.stringMatching(/^Condition validation error: /),
    });
    // Conditions that do not compile are refused at run time too.
    const both = { ...options, conditions: [requireTokens("1")], shareTo: Wallet.createRandom().address };
    await expect(uploadEncrypted(new File(["x"], "x"), both as never)).rejects.toMatchObject({
      code: "INVALID_OPTION",
    });
    expect(devnet().requests().length).toBe(sent);
  });

  test("with values that the caller sends", async () => {
    const cid = await uploadSecret(createSigner(0));
    const conditions = [requireTokens("1", { parameters: [":holder"] })];
    await kavachSetAccessConditions(cid, { ...as(createSigner(0)), conditions, decryptionType: "ACCESS_CONDITIONS" });
    const caller = as(Wallet.createRandom());
    await expect(kavachRecoverShards(cid, caller)).rejects.toThrow("Access Denied");
    const dynamicData = { holder: account(devnet(), 2).address };
    expect((await kavachRecoverShards(cid, { ...caller, dynamicData })).shards).toHaveLength(3);
    await expect(decrypt(cid, caller)).rejects.toThrow("Access Denied");
    expect(Buffer.from(await decrypt(cid, { ...caller, dynamicData })).toString()).toBe("a secret");
  });

  test("evaluate to the result of their simulation", async () => {
    const cid = await uploadSecret(createSigner(0));
    const rpc = devnet().chain?.rpc ?? "";
    const unknown = requireTokens("1", { id: 2, chain: "Dead" });
    const rich = requireTokens("1000000000000");
    const richer = requireTokens("1000000000001", { id: 2 });
    const cases: [EvmCondition[], string | undefined][] = [
      [[rich], undefined],
      [[richer], undefined],
      [[rich, richer], "([1] and [2])"],
      [[rich, richer], "([1] or [2])"],
      [[rich, richer], "[1] and ![2]"],
      [[rich, unknown], "([1] or [2])"],
      [[rich, unknown], "([1] and [2])"],
      [[rich, unknown], "[1] and ![2]"],
      [[requireTokens("1", { contractAddress: account(devnet(), 0).address })], undefined],
      [[requireTokens("0x1", { method: "decimals", parameters: [] })], undefined],
    ];
    const [holder, stranger] = [createSigner(1), Wallet.createRandom()];
    let allowedCount = 0;
    for (const [conditions, aggregator] of cases) {
      const decryptionType = "ACCESS_CONDITIONS";
      await kavachSetAccessConditions(cid, { ...as(createSigner(0)), conditions, aggregator, decryptionType });
      for (const caller of [holder, stranger]) {
        const options = { rpc: { Polygon: rpc, Dead: "http://127.0.0.1:1" } };
        const { allowed } = await simulateConditions(conditions, aggregator, caller.address, options);
        const got = await kavachRecoverShards(cid, as(caller)).then(
          () => true,
          () => false,
        );
        expect([aggregator, conditions, caller === holder, got]).toEqual([
          aggregator,
          conditions,
          caller === holder,
          allowed === true,
        ]);
        allowedCount += Number(got);
      }
    }
    expect(allowedCount).toBeGreaterThan(5);
  });
});

test("ownership is transferred, with or without the recipients", async () => {
  const [owner, heir, friend] = [createSigner(0), createSigner(1), createSigner(2)];
  for (const resetSharedTo of [true, false]) {
    const cid = await uploadSecret(owner);
    await kavachShare(cid, { ...as(owner), shareTo: friend.address });
    await kavachTransferOwnership(cid, { ...as(owner), newOwner: heir.address, resetSharedTo });
    expect(await decryptText(cid, heir)).toBe("a secret");
    await expect(decryptText(cid, owner)).rejects.toThrow("Access Denied");
    if (resetSharedTo) await expect(decryptText(cid, friend)).rejects.toThrow("Access Denied");
    else expect(await decryptText(cid, friend)).toBe("a secret");
  }
});

test("an owner with a Solana wallet can do everything that others can", async () => {
  const { address, sign } = createSolanaWallet();
  const owner: Signer = { getAddress: () => address, signMessage: async (message) => toBase58(sign(message)) };
  const own = await createApiKey({ signer: owner, endpoints: endpoints() });
  const [file] = await uploadTextEncrypted("on Solana", { ...as(owner), apiKey: own });
  const cid = file?.Hash ?? "";
  expect(await decryptText(cid, owner)).toBe("on Solana");
  const friend = createSigner(3);
  await kavachShare(cid, { ...as(owner), shareTo: friend.address });
  expect(await decryptText(cid, friend)).toBe("on Solana");
  await kavachRevoke(cid, { ...as(owner), revokeTo: friend.address });
  await expect(decryptText(cid, friend)).rejects.toThrow("Access Denied");
  await kavachTransferOwnership(cid, { ...as(owner), newOwner: friend.address });
  expect(await decryptText(cid, friend)).toBe("on Solana");
});
