import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, expectTypeOf, it } from "vitest";
import { explainConditions } from "../../packages/conditions/src/explain.ts";
import type { SetAccessConditionsOptions } from "../../src/keys/access/set-access-conditions.ts";
import type {
  CoreumCondition,
  EvmCondition,
  RadixCondition,
  SolanaCondition,
} from "../../src/keys/conditions/chains.ts";
import {
  type AccessCondition,
  type ChainTypeOption,
  type ConditionOf,
  checkConditions,
} from "../../src/keys/conditions/check-conditions.ts";
import { type Comparator, type SolidityType, solidityTypes } from "../../src/keys/conditions/fields.ts";
import { coreumSamples, radixSamples, samples, solanaSamples } from "./samples.ts";

const { token, custom, native } = samples;
const owner = { address: "0x", authToken: "jwt:" };

it("types are what the schemas accept", () => {
  expectTypeOf<EvmCondition["returnValueTest"]["comparator"]>().toEqualTypeOf<Comparator>();
  expectTypeOf<Comparator>().toEqualTypeOf<"==" | ">=" | "<=" | "!=" | ">" | "<">();
  expectTypeOf<ConditionOf<undefined>>().toEqualTypeOf<EvmCondition>();
  expectTypeOf<ConditionOf<"">>().toEqualTypeOf<EvmCondition>();
  expectTypeOf<ConditionOf<null>>().toEqualTypeOf<EvmCondition>();
  expectTypeOf<ConditionOf<"evm">>().toEqualTypeOf<EvmCondition>();
  expectTypeOf<ConditionOf<"solana">>().toEqualTypeOf<SolanaCondition>();
  expectTypeOf<ConditionOf<"COREUM">>().toEqualTypeOf<CoreumCondition>();
  expectTypeOf<ConditionOf<"RADIX">>().toEqualTypeOf<RadixCondition>();
  expectTypeOf<AccessCondition>().toEqualTypeOf<EvmCondition | SolanaCondition | CoreumCondition | RadixCondition>();
  expectTypeOf<"Solana">().not.toExtend<ChainTypeOption>();
  expectTypeOf<"uint256[]">().toExtend<SolidityType>();
  expectTypeOf<"uint56">().not.toExtend<SolidityType>();
  expectTypeOf<"uint256[][]">().not.toExtend<SolidityType>();
  expect(solidityTypes).toHaveLength(64);
});

it("invalid EVM conditions do not compile, and are refused", () => {
  const impossible: EvmCondition[] = [
    // @ts-expect-error no such contract type
    { ...token, standardContractType: "ERC777" },
    // @ts-expect-error no contract type at all
    { ...token, standardContractType: undefined },
    // @ts-expect-error a token condition needs an address
    { ...token, contractAddress: undefined },
    // @ts-expect-error a token condition needs parameters
    { ...token, parameters: undefined },
    // @ts-expect-error types are for Custom only
    { ...token, outputType: "bool" },
    // @ts-expect-error a Custom condition needs its types
    { ...token, standardContractType: "Custom" },
    // @ts-expect-error no such Solidity type
    { ...custom, outputType: "string" },
    // @ts-expect-error no such Solidity type
    { ...custom, inputArrayType: ["uint"] },
    // @ts-expect-error without a type there are two methods
    { ...native, method: "balanceOf" },
    // @ts-expect-error no such comparator
    { ...token, returnValueTest: { comparator: "===", value: 1 } },
    // @ts-expect-error booleans are strings
    { ...token, returnValueTest: { comparator: "==", value: true } },
    // @ts-expect-error JSON has no bigint
    { ...token, returnValueTest: { comparator: "==", value: 1n } },
    // @ts-expect-error an id is a number
    { ...token, id: "1" },
    // @ts-expect-error for Solana
    { ...native, pdaInterface: {} },
  ];
  for (const condition of impossible) expect(() => checkConditions([condition], "", "EVM")).toThrow(/conditions\[0\]/);
});

it("invalid conditions of other chains do not compile, and are refused", () => {
  const solana: SolanaCondition[] = [
    // @ts-expect-error no such chain
    { ...solanaSamples.token, chain: "Polygon" },
    // @ts-expect-error a token has one method
    { ...solanaSamples.token, method: "getBalance" },
    // @ts-expect-error without a token there are other methods
    { ...solanaSamples.native, method: "getTokenAccountsByOwner" },
    // @ts-expect-error the interface has to be there
    { ...solanaSamples.native, pdaInterface: undefined },
  ];
  const coreum: CoreumCondition[] = [
    // @ts-expect-error no such chain
    { ...coreumSamples.native, chain: "Coreum" },
    // @ts-expect-error no resource on Coreum
    { ...coreumSamples.native, resourceAddress: "resource" },
  ];
  const radix: RadixCondition[] = [
    // @ts-expect-error a resource has to be there
    { ...radixSamples.resource, resourceAddress: undefined },
    // @ts-expect-error no such chain
    { ...radixSamples.resource, chain: "Radix_Testnet" },
  ];
  for (const [chainType, list] of Object.entries({ solana, coreum, radix })) {
    for (const condition of list) expect(() => checkConditions([condition], "", chainType)).toThrow(/conditions\[0\]/);
  }
});

it("names compile in upper and lower case", () => {
  const conditions: EvmCondition[] = [
    { ...token, id: 1, standardContractType: "erc721" },
    { ...custom, id: 2, standardContractType: "CUSTOM" },
    { ...native, id: 3, standardContractType: null },
  ];
  expect(checkConditions(conditions, "[1] or [2] or [3]", "evm").conditions).toHaveLength(3);
});

it("conditions must match their chain type", () => {
  const set: SetAccessConditionsOptions[] = [
    { ...owner, conditions: [token, custom], aggregator: "[1] and [2]" },
    { ...owner, chainType: "evm", conditions: [token] },
    { ...owner, chainType: null, decryptionType: "access_conditions", conditions: [token] },
    { ...owner, chainType: "SOLANA", conditions: [solanaSamples.token] },
    { ...owner, chainType: "radix", conditions: [radixSamples.resource] },
    // @ts-expect-error EVM is the default
    { ...owner, conditions: [solanaSamples.token] },
    // @ts-expect-error not a Solana condition
    { ...owner, chainType: "SOLANA", conditions: [token] },
    // @ts-expect-error no such chain type
    { ...owner, chainType: "COSMOS", conditions: [token] },
    // @ts-expect-error no such decryption type
    { ...owner, conditions: [token], decryptionType: "NOBODY" },
  ];
  expect(set).toHaveLength(9);
  // @ts-expect-error EVM is the default
  expect(() => explainConditions([solanaSamples.token])).toThrow("standardContractType must be ERC20");
  // @ts-expect-error not a Coreum condition
  expect(() => explainConditions([token], "", { chainType: "COREUM" })).toThrow("chain must be Coreum_Devnet");
});

it("the error for an EVM list of widened strings names EVM's own fields", () => {
  const program = [
    'import { kavachSetAccessConditions, uploadEncrypted } from "keeplight";',
    "declare const signer: { getAddress(): string; signMessage(message: string): Promise<string> };",
    `const conditions = [${JSON.stringify({ ...token, parameters: [":userAddress"] })}];`,
    'export const set = kavachSetAccessConditions("", { signer, conditions });',
    'export const upload = uploadEncrypted("", { apiKey: "", signer, conditions });',
  ].join("\n");
  const messages = compile(program);
  expect(messages).toHaveLength(2);
  for (const message of messages) {
    expect(message).toContain("Types of property 'standardContractType' are incompatible");
    expect(message).toMatch(/Type 'string' is not assignable to type 'AnyCase<[^>]*"ERC20"/);
    expect(message).not.toMatch(/resourceAddress|pdaInterface|denom/);
  }
}, 300_000);

/** Returns the compiler errors of a program that uses this package. */
function compile(program: string): string[] {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const path = join(root, "test", "program.ts");
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => name === path || fileExists(name);
  host.readFile = (name) => (name === path ? program : readFile(name));
  const compiled = ts.createProgram([path], options, host);
  const source = compiled.getSourceFile(path);
  return compiled
    .getSemanticDiagnostics(source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
