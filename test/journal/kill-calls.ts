import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../packages/devnet/src/index.ts";
import { kavachGetAccessConditions, kavachInspect, openJournal } from "../../src/index.ts";
import { as, saveKey } from "../kavach/saved-keys.ts";
import { account } from "../support/devnet-wire.ts";
import { BUSY_TIMEOUT_MS, type ChildEnd, forkChild, type killedCalls, type Pace, runAndKill } from "./child.ts";

type KilledCall = (typeof killedCalls)[number];

/** What was found after an owner call was killed and resumed. */
export interface KilledCallOutcome extends ChildEnd {
  isResumed: boolean;
  /** Errors of resuming. */
  errors: unknown[];
  /** Open operations at the end. */
  left: number;
  /** Whether all five nodes have carried out the call. */
  isMade: boolean;
  /** Whether none of them has. */
  isUndone: boolean;
}

/** Starts an owner call in a child process, kills that, resumes the call in this process, and queries the nodes. */
export async function killCall(
  devnet: Devnet,
  script: string,
  { kind, pace, killAfterMs }: { kind: KilledCall; pace: Pace; killAfterMs: number },
): Promise<KilledCallOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "keeplight-kill-"));
  try {
    const friend = account(devnet, 1).address;
    const { cid } = await saveKey(devnet, {
      ...(kind === "revoke" ? { shareTo: [friend] } : {}),
      ...(kind === "repair" ? { lost: [2, 4] } : {}),
    });
    const journal = join(folder, "journal");
    const work = { kind, cid, friend };
    const { privateKey } = account(devnet, 0);
    const job = { journal, work, apiKey: "", privateKey, endpoints: devnet.endpoints, pace };
    const end = await runAndKill(forkChild(script), job, killAfterMs);
    const opened = await openJournal({ folder: journal });
    const reports = await opened.resumeAll({ ...as(devnet, 0), timeoutMs: BUSY_TIMEOUT_MS });
    const states = await listStates(devnet, kind, cid);
    return {
      ...end,
      isResumed: reports.length > 0,
      errors: reports.flatMap((report) => ("error" in report ? [report.error] : [])),
      left: (await opened.list()).length,
      isMade: states.every(Boolean),
      isUndone: !states.some(Boolean),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether each node has carried out the call. */
async function listStates(devnet: Devnet, kind: KilledCall, cid: string): Promise<boolean[]> {
  if (kind === "conditions") {
    const { conditions } = await kavachGetAccessConditions(cid, { endpoints: devnet.endpoints });
    return [conditions.length > 0];
  }
  const { nodes } = await kavachInspect(cid, as(devnet, kind === "repair" ? 0 : 1));
  const holds = nodes.map(({ state }) => state === "holds");
  // Nodes 2 and 4 had lost their shards.
  if (kind === "repair") return holds.filter((_, at) => at === 1 || at === 3);
  return kind === "revoke" ? holds.map((has) => !has) : holds;
}
