/**
 * Encrypts a file for all holders of a token, without naming anyone:
 * `npx tsx examples/token-gated-file.ts`
 *
 * The devnet has an EVM node of its own, anvil. On the public network the token is USDC on Polygon.
 */
import { explainConditions, simulateConditions } from "@keeplight/conditions";
import { Wallet } from "ethers";
import { createKit, type EvmCondition } from "keeplight";
import { getFailureCode } from "./support/failure.ts";
import { openNetwork } from "./support/network.ts";
import { check, finish, print, step } from "./support/story.ts";

const network = await openNetwork({ signer: true, devnet: { chain: true } });
const owner = createKit({ ...network.options, signer: network.signer });
const chain = network.devnet?.chain;
const token = chain?.network.tokens.usdc?.address ?? "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174";
const rpc = chain?.rpc ?? "https://polygon-rpc.com";

const conditions: EvmCondition[] = [
  {
    id: 1,
    chain: "Polygon",
    standardContractType: "ERC20",
    contractAddress: token,
    method: "balanceOf",
    parameters: [":userAddress"],
    returnValueTest: { comparator: ">=", value: 1_000_000 },
  },
];

try {
  step("The rule");
  print(explainConditions(conditions));

  step("Encrypt and upload under the rule");
  const [file] = await owner.uploadTextEncrypted("For members only.", { name: "members.txt", conditions });
  print(`${file.Name} is ${file.Hash}`);

  // On the devnet any account but the owner's is a member; on the public network there may be none.
  const member = network.devnet?.accounts[1];
  const wallets = [...(member ? [new Wallet(member.privateKey)] : []), Wallet.createRandom()];
  for (const wallet of wallets) {
    step(`Decrypt as ${wallet.address}`);
    // Simulated here, with calls to the chain …
    const { allowed, explanation } = await simulateConditions(conditions, null, wallet.address, { rpc });
    for (const line of explanation.split("\n")) print(line);
    // … and decided by the key nodes, which call the chain themselves.
    const failure = await getFailureCode(() => createKit({ ...network.options, signer: wallet }).decrypt(file.Hash));
    print(failure === undefined ? "allowed" : `refused: ${failure}`);
    check("the key nodes decide as simulated", allowed === (failure === undefined));
  }
} finally {
  await network.close();
}
finish();
