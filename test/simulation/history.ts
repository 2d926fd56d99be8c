import { createHash } from "node:crypto";
import { createActions } from "./actions.ts";
import { endClients } from "./client.ts";
import { findViolations } from "./invariants.ts";
import type { Kit } from "./kit.ts";
import { createPeople } from "./people.ts";
import { createRandom, type Random } from "./random.ts";
import { createServices } from "./services.ts";
import { createSimulatedNetwork, type SimulatedNetwork } from "./simulated-network.ts";
import { hold, inVirtualTime, pause } from "./virtual-time.ts";

/** One run of everything, and what was wrong with it. */
export interface History {
  seed: number;
  /** What happened, a line each. */
  trace: readonly string[];
  violations: readonly string[];
}

/** Identifies a history by all that happened in it. */
export function hashTrace({ trace }: History): string {
  return createHash("sha256").update(trace.join("\n")).digest("hex");
}

/** How the key nodes are called in a history: one after another, or in some calls all at once. */
export type HistoryPacing = "sequential" | "mixed";

/** Runs one history. Everything in it follows from its seed and its pacing. */
export async function runHistory(
  kit: Kit,
  seed: number,
  dataDir: string,
  pacing: HistoryPacing = "sequential",
): Promise<History> {
  const trace: string[] = [];
  const violations: string[] = [];
  try {
    const report = (line: string) => void trace.push(line);
    await inVirtualTime(String(seed), () => live({ kit, seed, dataDir, pacing, trace: report, violations }));
  } catch (error) {
    violations.push(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
  } finally {
    endClients();
  }
  return { seed, trace, violations };
}

interface Life {
  kit: Kit;
  seed: number;
  dataDir: string;
  pacing: HistoryPacing;
  trace: (line: string) => void;
  violations: string[];
}

async function live({ kit, seed, dataDir, pacing, trace, violations }: Life): Promise<void> {
  const random = createRandom(`${seed} history`);
  const faultyNodes = drawNodes(random, random.pick([0, 0, 1, 2]));
  const climate = {
    faultRate: random.pick([0, 0.03, 0.1, 0.25]),
    faultyNodes,
    misbehaviourRate: random.pick([0.2, 0.6, 1]),
  };
  const services = await hold(() => createServices(dataDir, random));
  const network = createSimulatedNetwork(services, createRandom(`${seed} network`), trace);
  trace(`seed ${seed}: ${JSON.stringify(climate)}`);
  const people = await createPeople(kit, network, random, trace);
  const killRate = random.pick([0, 0.2, 0.5]);
  // Of its own, so that it changes nothing else in the history of a seed.
  const pacings = createRandom(`${seed} pacing`);
  const drawPacing = pacing === "mixed" ? () => pacings.pick(["sequential", "parallel"] as const) : undefined;
  const actions = createActions({ kit, network, people, random, drawPacing, faultyNodes, killRate, trace, violations });

  await actions.prepare();
  network.climate = climate;
  const turmoil = new AbortController();
  void disturb(network, random, trace, turmoil.signal);
  const steps = 3 + random.below(10);
  for (let step = 0; step < steps; step++) {
    if (random.chance(0.2)) await Promise.all([actions.act(), actions.act()]);
    else await actions.act();
    if (random.chance(0.3)) await pause(random.below(60_000));
  }

  turmoil.abort();
  trace("the network is healthy again");
  network.heal();
  await actions.finish();
  trace("checks");
  violations.push(...(await findViolations({ kit, network, people, faultyNodes, actions })));
}

/** Stops and restarts nodes, and makes a bad one lose its files, until the network is to be healthy. */
async function disturb(
  { stopped, services, climate: { faultRate, faultyNodes } }: SimulatedNetwork,
  random: Random,
  trace: (line: string) => void,
  end: AbortSignal,
): Promise<void> {
  const [bad] = faultyNodes;
  while (faultRate > 0 && !end.aborted) {
    await pause(random.below(40_000));
    if (end.aborted) return;
    const node = 1 + random.below(5);
    stopped.add(node);
    trace(`node ${node} stops`);
    await pause(random.below(15_000));
    stopped.delete(node);
    trace(`node ${node} starts again`);
    const files = bad === undefined ? undefined : services.nodes[bad - 1];
    if (!files || !random.chance(0.2) || end.aborted) continue;
    trace(`node ${bad} loses its files`);
    for (const cid of files.list()) files.lose(cid);
  }
}

function drawNodes(random: Random, count: number): number[] {
  const all = [1, 2, 3, 4, 5];
  return Array.from({ length: count }, () => all.splice(random.below(all.length), 1)[0] as number);
}
