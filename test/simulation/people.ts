import type { Journal, Signer } from "../../src/index.ts";
import { type Client, startClient } from "./client.ts";
import type { Kit } from "./kit.ts";
import { createMemoryJournal, type MemoryJournal } from "./memory-journal.ts";
import { quickSign } from "./quick-auth.ts";
import type { Random } from "./random.ts";
import type { SimulatedNetwork } from "./simulated-network.ts";
import { hold, pause } from "./virtual-time.ts";

/** An account, with the process that acts for it now and what survives its processes. */
export interface Person {
  name: string;
  /** In lower case. */
  address: string;
  apiKey: string;
  disk: MemoryJournal;
  client: Client;
  journal: Journal;
  /** What its process passes to every call. */
  owner: { signer: Signer; endpoints: Client["endpoints"] };
}

/** How a call ended. */
export type Ended<T> = { value: T } | { error: unknown } | { isKilled: true };

const NAMES = ["alice", "bob", "carol", "dave"];

/** What a call of a process that was killed meanwhile, by another call, returns is nobody's concern. */
function endOf<T>({ death }: Client, ended: Ended<T>): Ended<T> {
  return death.aborted ? { isKilled: true } : ended;
}

/** People, and what happens to their processes. */
export interface People {
  all: readonly Person[];
  /** Runs a call in a person's process, which may be killed meanwhile; then another process is started. */
  run<T>(person: Person, killRate: number, call: () => Promise<T>): Promise<Ended<T>>;
  /** Starts another process for a person. */
  restart(person: Person): Promise<void>;
}

export async function createPeople(
  kit: Kit,
  network: SimulatedNetwork,
  random: Random,
  trace: (line: string) => void,
): Promise<People> {
  async function startProcess(name: string, number: number, address: string, disk: MemoryJournal) {
    const client = startClient(`${name}-${number}`, disk, network.send);
    // Each process has a signer of its own.
    const signer = { getAddress: () => address, signMessage: async (message: string) => quickSign(address, message) };
    // Held, as it loads modules.
    const journal = await hold(() => kit.openJournal({ folder: client.endpoints.api }));
    return { client, journal, owner: { signer, endpoints: client.endpoints } };
  }

  const all: Person[] = [];
  for (const [at, name] of NAMES.entries()) {
    const address = `0x${String(at + 1).repeat(40)}`;
    const disk = createMemoryJournal(random);
    const apiKey = network.services.network.auth.apiKeys.create(address);
    all.push({ name, address, apiKey, disk, ...(await startProcess(name, 1, address, disk)) });
  }

  async function restart(person: Person): Promise<void> {
    const { name, address, disk, client } = person;
    const number = Number(client.name.split("-")[1]) + 1;
    client.kill();
    Object.assign(person, await startProcess(name, number, address, disk));
  }

  return {
    all,
    restart,
    async run(person, killRate, call) {
      const { client } = person;
      const ended = call().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (!random.chance(killRate)) return endOf(client, await ended);
      const killAfter = random.below(random.pick([50, 300, 2_000, 10_000]));
      const killed = pause(killAfter).then(() => ({ isKilled: true }) as const);
      const first = await Promise.race([ended, killed]);
      if (!("isKilled" in first) || client.death.aborted) return endOf(client, first);
      trace(`${client.name} is killed`);
      await restart(person);
      return first;
    },
  };
}
