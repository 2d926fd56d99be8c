// @ts-check
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Interface } from "ethers";
import solc from "solc";

// Compiles contracts/*.sol. As a program, it writes the contracts of the devnet and the code of the transfer probe:
//   node scripts/contracts.mjs

const packages = new URL("../../", import.meta.resolve("@openzeppelin/contracts/package.json"));
const contractsUrl = new URL("../contracts/", import.meta.url);

/** The file of each contract, relative to the repository. */
const artifactFiles = {
  PaymentContract: "packages/devnet/src/chain/artifacts/payment-contract.json",
  PlainToken: "packages/devnet/src/chain/artifacts/plain-token.json",
  Eip3009Token: "packages/devnet/src/chain/artifacts/eip3009-token.json",
  UsdtLikeToken: "packages/devnet/src/chain/artifacts/usdt-like-token.json",
  FeeToken: "packages/devnet/src/chain/artifacts/fee-token.json",
  NoTransferToken: "packages/devnet/src/chain/artifacts/no-transfer-token.json",
  RefusingToken: "packages/devnet/src/chain/artifacts/refusing-token.json",
  // of the devnet's tests
  ContractAccount: "packages/devnet/test/contract-account.json",
  // of the web app's tests
  EnsRegistry: "apps/web/test/ens/registry.json",
  EnsResolver: "apps/web/test/ens/resolver.json",
  UniversalResolver: "apps/web/test/ens/universal-resolver.json",
};

const settings = {
  optimizer: { enabled: true, runs: 200 },
  // The oldest version that the compiler supports. The contracts do not use its additions, which need a base fee.
  evmVersion: "london",
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
};

/** @typedef {{ abi: import("ethers").JsonFragment[], evm: { bytecode: { object: string }, deployedBytecode: { object: string } } }} Compiled */

/** @returns {Record<string, Compiled>} all contracts of the folder, by name */
function compileAll() {
  const names = readdirSync(contractsUrl).filter((name) => name.endsWith(".sol"));
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(new URL(name, contractsUrl), "utf8") }]),
  );
  const input = JSON.stringify({ language: "Solidity", sources, settings });
  /** @param {string} path of a package's file */
  const read = (path) => ({ contents: readFileSync(new URL(path, packages), "utf8") });
  const { errors = [], contracts } = JSON.parse(solc.compile(input, { import: read }));
  if (errors.length > 0) {
    throw new Error(
      errors.map((/** @type {{ formattedMessage: string }} */ error) => error.formattedMessage).join("\n"),
    );
  }
  return Object.assign({}, ...names.map((name) => contracts[name]));
}

/**
 * Returns the generated files, by their path in the repository: JSON with `abi` (a list of signatures) and `bytecode`, and
 * the code of the transfer probe.
 *
 * @returns {Record<string, string>}
 */
export function createArtifacts() {
  const compiled = compileAll();
  /** @type {Record<string, string>} */
  const files = {};
  for (const [name, path] of Object.entries(artifactFiles)) {
    const { abi, evm } = compiled[name] ?? throwMissing(name);
    const signatures = new Interface(abi).format();
    files[path] = `${JSON.stringify({ abi: signatures, bytecode: `0x${evm.bytecode.object}` }, undefined, 2)}\n`;
  }
  const probe = (compiled["TransferProbe"] ?? throwMissing("TransferProbe")).evm.deployedBytecode.object;
  const lines = probe.match(/.{1,104}/g) ?? [];
  files["src/payment/chain/transfer-probe.ts"] = [
    "// Made from contracts/transfer-probe.sol by scripts/contracts.mjs; not to be edited.",
    "",
    "/** Code that replaces the payment contract's in a simulated call and returns how much of a token would arrive there. */",
    "export const TRANSFER_PROBE_CODE =",
    ...lines.map((line, at) => `  "${at === 0 ? "0x" : ""}${line}"${at === lines.length - 1 ? ";" : " +"}`),
    "",
  ].join("\n");
  return files;
}

/**
 * @param {string} name
 * @returns {never}
 */
function throwMissing(name) {
  throw new Error(`There is no contract ${name}`);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  for (const [path, text] of Object.entries(createArtifacts())) {
    writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
  }
}
