/**
 * Encrypts a file for whoever holds a token; nobody is named:
 * `npx tsx examples/token-gated-file.ts`
 *
 * The devnet has an EVM node of its own, anvil. On the public network the token is USDC on Polygon.
 */
import { Wallet } from "ethers";
import { createKit, type EvmCondition, explainConditions, simulateConditions } from "keeplight";
import { failureOf } from "./support/failure.ts";
import { openNetwork } from "./support/network.ts";
import { check, finish, say, step } from "./support/story.ts";

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
  say(explainConditions(conditions));

  step("Encrypt and upload under the rule");
  const [file] = await owner.uploadTextEncrypted("For members only.", { name: "members.txt", conditions });
  say(`${file.Name} is ${file.Hash}`);

  // On the devnet every account but the owner's will do for a member; elsewhere there may be none.
  const member = network.devnet?.accounts[1];
  const people = [...(member ? [new Wallet(member.privateKey)] : []), Wallet.createRandom()];
  for (const wallet of people) {
    step(`Somebody tries: ${wallet.address}`);
    // What the chain says of them, asked from here …
    const { allowed, explanation } = await simulateConditions(conditions, null, wallet.address, { rpc });
    for (const line of explanation.split("\n")) say(line);
    // … and what the key nodes do, which ask it themselves.
    const failure = await failureOf(() => createKit({ ...network.options, signer: wallet }).decrypt(file.Hash));
    say(failure === undefined ? "and gets in" : `and is refused: ${failure}`);
    check("the key nodes decide as the chain says", allowed === (failure === undefined));
  }
} finally {
  await network.close();
}
finish();
