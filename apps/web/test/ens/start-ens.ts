import { ContractFactory, Interface, type InterfaceAbi, JsonRpcProvider, NonceManager, namehash, Wallet } from "ethers";
import type { Devnet } from "../../../../packages/devnet/src/index.ts";
import type { EnsNetwork } from "../../src/network.ts";
import registryArtifact from "./registry.json" with { type: "json" };
import resolverArtifact from "./resolver.json" with { type: "json" };
import universalArtifact from "./universal-resolver.json" with { type: "json" };

/** ENS on the devnet's chain. */
export interface RunningEns {
  network: EnsNetwork;
  /** Makes a name lead to an address. */
  setName(name: string, address: string): Promise<void>;
  close(): void;
}

/** A name whose resolver sends callers to a server. */
export const OFFCHAIN = "offchain.eth";

/** Deploys ENS, by the last account of the devnet. */
export async function startEns({ chain, accounts }: Devnet): Promise<RunningEns> {
  if (!chain) throw new Error("ENS names are on a chain, and the devnet has none");
  const provider = new JsonRpcProvider(chain.rpc, chain.chainId, { staticNetwork: true, cacheTimeout: -1 });
  const owner = new NonceManager(new Wallet(accounts.at(-1)?.privateKey ?? "", provider));
  const deploy = async ({ abi, bytecode }: { abi: InterfaceAbi; bytecode: string }, ...args: unknown[]) => {
    const deployed = await new ContractFactory(abi, bytecode, owner).deploy(...args);
    await deployed.waitForDeployment();
    return deployed.getAddress();
  };
  const send = async (abi: InterfaceAbi, to: string, call: string, ...args: unknown[]) => {
    const sent = await owner.sendTransaction({ to, data: new Interface(abi).encodeFunctionData(call, args) });
    await sent.wait();
  };
  const registry = await deploy(registryArtifact);
  const resolver = await deploy(resolverArtifact, namehash(OFFCHAIN));
  const universal = await deploy(universalArtifact, registry);
  const own = (name: string) => send(registryArtifact.abi, registry, "setResolver", namehash(name), resolver);
  await own(OFFCHAIN);
  return {
    network: { rpc: chain.rpc, chainId: chain.chainId, resolver: universal },
    async setName(name, address) {
      await own(name);
      await send(resolverArtifact.abi, resolver, "setAddr", namehash(name), address);
    },
    close: () => provider.destroy(),
  };
}
