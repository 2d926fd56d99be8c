/**
 * The complete workflow of two people on a local network. Run it with `npm run demo`; it exits with code 0 only if every
 * check passes. KEEPLIGHT_DEMO_MIB sets the size of the largest file.
 */
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet } from "@keeplight/devnet";
import { Wallet } from "ethers";
import { createApiKey, createKit, isKeeplightError, type KeyReport, payWithToken, type UploadedFile } from "keeplight";
import { createProgressBar } from "./support/progress-bar.ts";
import { check, finish, print, step } from "./support/story.ts";

const MIB = 1024 * 1024;
/** Size of the largest file. */
const FILM_MIB = Number(process.env["KEEPLIGHT_DEMO_MIB"] ?? 200);
const folder = await mkdtemp(join(tmpdir(), "keeplight-demo-"));
const network = await startDevnet({ chain: true }).catch((error: unknown) => {
  // The chain requires anvil, which is not available on every machine; everything else works without it.
  if (isKeeplightError(error) && error.code === "UNSUPPORTED") return startDevnet();
  throw error;
});
process.once("SIGINT", () => void cleanUp().finally(() => process.exit(130)));

try {
  step("A local network");
  print("The devnet runs what the real network runs: an API host, an upload node, a gateway and five key nodes.");
  for (const [service, url] of Object.entries(network.endpoints)) print(`  ${service.padEnd(9)} ${url}`);

  step("Two people");
  const alice = new Wallet(network.accounts[0]?.privateKey ?? Wallet.createRandom().privateKey);
  const bob = Wallet.createRandom();
  print(`Alice is ${alice.address}`);
  print(`Bob   is ${bob.address}`);
  const apiKey = await createApiKey({ signer: alice, endpoints: network.endpoints });
  print("Alice signs a message with her wallet and gets an API key for uploads.");
  // Public key nodes require a second between two calls; the devnet does not.
  const common = { endpoints: network.endpoints, pauseMs: 200, retryMs: 200 };
  const asAlice = createKit({ ...common, apiKey, signer: alice });
  const asBob = createKit({ ...common, signer: bob });

  step(`A folder with a ${FILM_MIB} MiB file in it`);
  const source = join(folder, "holiday");
  const original = await createFolder(source);
  for (const [path, hash] of original) print(`  ${path.padEnd(18)} sha256 ${hash.slice(0, 16)}…`);

  if (network.chain) {
    step("What it costs, and paying for it");
    const { price } = await asAlice.getQuote(source, { network: network.chain.network, token: "usdc" });
    print(`${price?.amount} millionths of a usdc, which is ${price?.usd} USD; Alice pays it on a local chain.`);
    const before = await asAlice.getBalance();
    const { hash, amount } = await payWithToken({
      network: network.chain.network,
      token: "usdc",
      amount: price?.amount ?? 0n,
      privateKey: alice.privateKey,
      pollMs: 50,
      onProgress: ({ phase, state, hash }) => state === "confirmed" && print(`  ${phase}: transaction ${hash}`),
    });
    check(`transaction ${hash.slice(0, 18)}… paid what was quoted`, amount === price?.amount);
    const { dataLimit } = await asAlice.getBalance();
    check("Alice may store more than before", dataLimit > before.dataLimit);
  } else {
    print("(anvil is not installed on this machine: the payment step is skipped.)");
  }

  step("Uploaded without encryption");
  const plainBar = createProgressBar("plain");
  const [root] = await asAlice.upload(source, { onProgress: plainBar.update });
  plainBar.stop();
  const url = `${network.endpoints.gateway}/ipfs/${root.Hash}`;
  print(`Anyone can read it: ${url}`);
  check("the gateway serves the folder", (await fetch(`${url}/readme.md`)).ok);

  step("Encrypted on this machine, then uploaded");
  print("Every file gets its own key. The key is split into five shards, one for each key node;");
  print("any three shards recover it, two reveal nothing.");
  const encryptedBar = createProgressBar("encrypted");
  const encrypted = await asAlice.uploadEncrypted(source, { onProgress: encryptedBar.update });
  encryptedBar.stop();
  for (const { Name, Hash } of encrypted) print(`  ${Name.padEnd(18)} ${Hash}`);
  check("every file is stored under its own CID", new Set(encrypted.map(({ Hash }) => Hash)).size === 3);
  const film = findFile(encrypted, "film.bin");
  const note = findFile(encrypted, "notes-day-1.txt");

  step("Bob has no access");
  check("the key nodes refuse Bob", (await getRefusal(() => asBob.decrypt(film.Hash))) === "Access Denied");

  step("Alice shares two of the files with Bob");
  for (const { Hash } of [film, note]) await asAlice.kavachShare(Hash, { shareTo: bob.address });
  print("All five key nodes have stored it.");

  step("Two of the five key nodes go down");
  network.stopNode(2);
  network.stopNode(4);
  print("Nodes 2 and 4 no longer respond. Three are left, and three are enough.");

  step("Bob recovers the keys and decrypts");
  for (const [file, path] of [
    [film, "film.bin"],
    [note, "notes/day-1.txt"],
  ] as const) {
    const to = join(folder, `bob-${file.Name}`);
    const bar = createProgressBar(file.Name);
    let report: KeyReport | undefined;
    await asBob.decrypt(file.Hash, {
      to,
      onProgress: bar.update,
      onKeyRecovered: (recovered) => {
        report = recovered;
      },
    });
    bar.stop();
    print(`nodes that returned shards: ${report?.nodes.join(", ")}`);
    check(`${file.Name} is exactly what Alice encrypted`, (await hashFile(to)) === original.get(path));
  }

  step("The nodes restart, and Alice revokes");
  network.startNode(2);
  network.startNode(4);
  await asAlice.kavachRevoke(film.Hash, { revokeTo: bob.address });
  check("the key nodes refuse Bob again", (await getRefusal(() => asBob.decrypt(film.Hash))) === "Access Denied");
  check(
    "Alice still has access",
    (await hashBytes(await asAlice.decrypt(note.Hash))) === original.get("notes/day-1.txt"),
  );
} finally {
  await cleanUp();
}
finish();

async function cleanUp(): Promise<void> {
  await network.close();
  await rm(folder, { recursive: true, force: true });
}

/** Creates the folder to upload and returns the hash of each of its files by path. */
async function createFolder(path: string): Promise<Map<string, string>> {
  await mkdir(join(path, "notes"), { recursive: true });
  await writeFile(join(path, "readme.md"), "# Holiday\n\nWhat we saw.\n");
  await writeFile(join(path, "notes", "day-1.txt"), "It rained. We stayed in and read.\n");
  const film = await open(join(path, "film.bin"), "w");
  for (let written = 0; written < FILM_MIB; written += 4) await film.write(randomBytes(4 * MIB));
  await film.close();
  const hashes = new Map<string, string>();
  for (const file of ["film.bin", "notes/day-1.txt", "readme.md"]) hashes.set(file, await hashFile(join(path, file)));
  return hashes;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

function hashBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function findFile(files: readonly UploadedFile[], name: string): UploadedFile {
  const file = files.find(({ Name }) => Name === name);
  if (!file) throw new Error(`the response has no ${name}`);
  return file;
}

/** Returns the network's message if it refuses the attempt, or `undefined`. */
async function getRefusal(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (isKeeplightError(error)) return error.message;
    throw error;
  }
}
