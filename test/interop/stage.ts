import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Wallet } from "ethers";
import { afterAll, beforeAll } from "vitest";
import { type Account, type Devnet, type DevnetOptions, startDevnet } from "../../packages/devnet/src/index.ts";
import { account, getApiKey } from "../support/devnet-wire.ts";
import { type Incumbent, startIncumbent } from "./incumbent.ts";

/** A devnet, the incumbent pointed at it, two people, and a folder of files. */
export interface Stage {
  devnet: Devnet;
  incumbent: Incumbent;
  owner: Account;
  friend: Account;
  apiKey: string;
  /** Folder with `a.txt` and `inner/b.bin`; beside it `single.bin`. */
  folder: string;
  single: string;
  contents: { "a.txt": Buffer; "inner/b.bin": Buffer; "single.bin": Buffer };
}

/** Starts the stage for all tests of a file. */
export function setStage(options: DevnetOptions = {}): () => Stage {
  let stage: Stage | undefined;
  let dir = "";
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "interop-"));
    const contents = {
      "a.txt": Buffer.from("Grüße aus dem Ordner\n"),
      "inner/b.bin": Buffer.alloc(300_000, 7),
      "single.bin": Buffer.alloc(1_000_000, 9),
    };
    const folder = join(dir, "folder");
    await mkdir(join(folder, "inner"), { recursive: true });
    await writeFile(join(folder, "a.txt"), contents["a.txt"]);
    await writeFile(join(folder, "inner/b.bin"), contents["inner/b.bin"]);
    const single = join(dir, "single.bin");
    await writeFile(single, contents["single.bin"]);
    const devnet = await startDevnet(options);
    const [owner, friend] = [account(devnet, 0), account(devnet, 1)];
    const incumbent = await startIncumbent(devnet.endpoints);
    const apiKey = await getApiKey(devnet, owner);
    stage = { devnet, incumbent, owner, friend, apiKey, folder, single, contents };
  });
  afterAll(async () => {
    await stage?.incumbent.stop();
    await stage?.devnet.close();
    await rm(dir, { recursive: true, force: true });
  });
  return () => {
    if (!stage) throw new Error("the stage exists only while tests run");
    return stage;
  };
}

/** Fetches and signs the key nodes' message with the incumbent. The signature is valid for one operation. */
export async function signThroughIncumbent(incumbent: Incumbent, { address, privateKey }: Account): Promise<string> {
  const { data } = await incumbent.call<{ data: { message: string } }>("getAuthMessage", address);
  return new Wallet(privateKey).signMessage(data.message);
}

/** Fetches a JWT with the incumbent. */
export async function getJwtThroughIncumbent(incumbent: Incumbent, someone: Account): Promise<string> {
  const signature = await signThroughIncumbent(incumbent, someone);
  const { JWT } = await incumbent.call<{ JWT: string }>("kavach.getJWT", someone.address, signature);
  return JWT;
}

/** Recovers a file's key and decrypts the file, both with the incumbent. */
export async function openWithIncumbent(incumbent: Incumbent, someone: Account, cid: string): Promise<Buffer> {
  const signature = await signThroughIncumbent(incumbent, someone);
  const { data } = await incumbent.call<{ data: { key: string } }>(
    "fetchEncryptionKey",
    cid,
    someone.address,
    signature,
  );
  return Buffer.from(await incumbent.call<ArrayBuffer>("decryptFile", cid, data.key));
}
