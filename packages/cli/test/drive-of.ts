import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { Wallet } from "ethers";
import { openJournal } from "../../../src/index.ts";
import { type Drive, openDrive } from "../../drive/src/index.ts";
import type { Person } from "./rig.ts";

/** Opens the drive of a person on another device, which knows of it what the network has. */
export async function openDriveOf({ privateKey, apiKey, endpoints, cwd }: Person): Promise<Drive> {
  const journal = await openJournal({ folder: await mkdtemp(join(cwd, "..", "device-")) });
  return openDrive({ signer: new Wallet(privateKey), apiKey, endpoints, pauseMs: 0, journal });
}
