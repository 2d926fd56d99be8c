import type { Actions } from "./actions.ts";
import type { Kit } from "./kit.ts";
import type { ModelFile } from "./model.ts";
import { listNewOwners, readCondition } from "./model.ts";
import type { People, Person } from "./people.ts";
import type { SimulatedNetwork } from "./simulated-network.ts";

interface Ending {
  kit: Kit;
  network: SimulatedNetwork;
  people: People;
  faultyNodes: readonly number[];
  actions: Actions;
}

/** Finds what must not be: once the network is healthy and everything that was open is resumed. */
export async function findViolations(ending: Ending): Promise<string[]> {
  const { network } = ending;
  const repeated = network.salts.repeated.map((nonces) => `two transfers have salt and iv ${nonces}`);
  return [
    ...repeated,
    ...(await findLostKeys(ending)),
    ...(await findWrongAccess(ending)),
    ...(await findOpen(ending)),
  ];
}

/** Every file that is stored opens for its owner, with the bytes that were uploaded. */
async function findLostKeys({ kit, network, people, actions }: Ending): Promise<string[]> {
  const lost: string[] = [];
  for (const uploader of people.all) {
    const stored = new Map(
      network.services.network.ledger.list(uploader.address).map(({ cid, fileName }) => [cid, fileName]),
    );
    for (const [cid, fileName] of stored) {
      const file = actions.files.find((one) => one.cid === cid);
      const owners = [file?.owner ?? uploader.address];
      owners.push(...listNewOwners(file?.pending ?? []));
      const expected = actions.contents.get(fileName) ?? new Uint8Array(0);
      const results: unknown[] = [];
      for (const owner of people.all.filter(({ address }) => owners.includes(address))) {
        results.push(await open(kit, owner, cid));
      }
      const isOpened = results.some((result) => result instanceof Uint8Array && Buffer.compare(result, expected) === 0);
      if (!isOpened) lost.push(`${fileName} is stored as ${cid}, and its owner cannot open it: ${results}`);
    }
  }
  return lost;
}

function open(kit: Kit, { owner }: Person, cid: string): Promise<unknown> {
  return kit.decrypt(cid, { ...owner, pauseMs: 0 }).catch((error: unknown) => error);
}

/** Who may open a file can, and who may not cannot. */
async function findWrongAccess({ kit, network, people, faultyNodes, actions }: Ending): Promise<string[]> {
  const wrong: string[] = [];
  const settled = new Map(actions.files.filter(({ pending }) => pending.length === 0).map((file) => [file.cid, file]));
  for (const file of settled.values()) {
    const honest = network.services.nodes.filter((_, at) => !faultyNodes.includes(at + 1));
    // Everyone that a call was about.
    for (const person of people.all.filter(({ address }) => file.access.has(address))) {
      const expected = toExpected(file, person);
      if (expected === "unknown") continue;
      const isOpened = (await open(kit, person, file.cid)) instanceof Uint8Array;
      if (isOpened !== (expected === "in")) {
        wrong.push(`${person.name} is ${expected}, and ${isOpened ? "opens" : "cannot open"} ${file.cid}`);
      }
    }
    const values = honest.map((node) => readCondition(node, file.cid));
    if (file.condition !== undefined && values.some((value) => value !== file.condition)) {
      wrong.push(`the condition of ${file.cid} is ${file.condition}, and nodes have ${values}`);
    }
  }
  return wrong;
}

function toExpected({ owner, access }: ModelFile, { address }: Person) {
  return owner === address ? "in" : (access.get(address) ?? "out");
}

/** Nothing is left open, except for nodes that have lied or lost what they had. */
async function findOpen({ people, network, faultyNodes }: Ending): Promise<string[]> {
  const left: string[] = [];
  const faulty = faultyNodes.map((node) => network.services.nodes[node - 1]);
  for (const { name, address, journal } of people.all) {
    for (const { kind, cids, nodesDone } of await journal.list()) {
      const missing = [1, 2, 3, 4, 5].filter((node) => !nodesDone.includes(node));
      if (missing.length > 0 && missing.every((node) => faultyNodes.includes(node))) continue;
      // A node that confirmed a transfer and did not carry it out says that somebody else owns the file.
      const isDenied = cids.some((cid) => faulty.some((files) => (files?.get(cid)?.owner ?? address) !== address));
      if (kind === "repair" && nodesDone.length === 0 && isDenied) continue;
      left.push(`${name}'s ${kind} of ${cids} is still open, done on nodes ${nodesDone}`);
    }
  }
  return left;
}
