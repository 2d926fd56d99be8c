import { isKeeplightError } from "../../src/base/errors/base.ts";
import { isUnfinished } from "../../src/base/errors/unfinished.ts";
import type { Source, UploadEncryptedOptions, UploadedFile } from "../../src/index.ts";
import type { Kit } from "./kit.ts";
import {
  type Change,
  completeChange,
  type Expected,
  isCarriedOut,
  listNewOwners,
  type ModelFile,
  startChange,
} from "./model.ts";
import type { Ended, People, Person } from "./people.ts";
import type { Random } from "./random.ts";
import type { SimulatedNetwork } from "./simulated-network.ts";
import { pause } from "./virtual-time.ts";

/** What people do, and what should be true since. */
export interface Actions {
  /** All files that were reported to a client as stored. */
  files: readonly ModelFile[];
  /** What every uploaded name contains. */
  contents: ReadonlyMap<string, Uint8Array>;
  /** Uploads the first files. */
  prepare(): Promise<void>;
  /** Lets somebody do something. */
  act(): Promise<void>;
  /** Resumes what is open, for everyone; the network is healthy. */
  finish(): Promise<void>;
}

interface ActionsOptions {
  kit: Kit;
  network: SimulatedNetwork;
  people: People;
  random: Random;
  /** Draws how each call paces the nodes; without it they are called one after another. */
  drawPacing: (() => "sequential" | "parallel") | undefined;
  faultyNodes: readonly number[];
  killRate: number;
  trace: (line: string) => void;
  violations: string[];
}

const MAX_BYTES = 3_000;

export function createActions(options: ActionsOptions): Actions {
  const { kit, network, people, random, drawPacing, faultyNodes, killRate, trace, violations } = options;
  const { nodes } = network.services;
  const files: ModelFile[] = [];
  const contents = new Map<string, Uint8Array>();
  /** Whom each uploaded name is shared to. */
  const sharedTo = new Map<string, string>();
  /** Files that somebody is working on. */
  const busy = new Set<ModelFile>();

  /** How patient one call is. */
  function drawPatience() {
    return {
      pacing: drawPacing?.(),
      pauseMs: random.pick([0, 20, 1_000]),
      retryMs: random.pick([0, 1_000]),
      attempts: random.pick([1, 3]),
    };
  }

  /** Everything that a person has uploaded, to be read again. */
  function sourceOf(names: Iterable<string>): Source {
    return Array.from(names, (name) => {
      const bytes = contents.get(name) ?? new Uint8Array(0);
      async function* read() {
        const half = bytes.length >> 1;
        yield bytes.subarray(0, half);
        yield bytes.subarray(half);
      }
      return { name, size: bytes.length, stream: { [Symbol.asyncIterator]: read } };
    });
  }

  function describe<T>(person: Person, what: string, ended: Ended<T>): void {
    if (!("error" in ended)) {
      trace(`${person.client.name} ${what}: ${"value" in ended ? "done" : "killed"}`);
      return;
    }
    const { error } = ended;
    const known = isKeeplightError(error) ? `${error.code} ${JSON.stringify(error.details["failures"] ?? "")}` : "";
    trace(`${person.client.name} ${what}: failed, ${known || error}`);
    if (!known) violations.push(`${what} failed with a foreign error: ${error instanceof Error ? error.stack : error}`);
  }

  function addFiles(person: Person, stored: readonly UploadedFile[]): void {
    for (const { Name, Hash } of stored) {
      // Two calls may have resumed one upload.
      if (files.some(({ cid }) => cid === Hash)) continue;
      const shareTo = sharedTo.get(Name);
      const access = new Map<string, Expected>(shareTo === undefined ? [] : [[shareTo, "in"]]);
      const file = { cid: Hash, name: Name, bytes: contents.get(Name) ?? new Uint8Array(0), owner: person.address };
      files.push({ ...file, access, condition: 0, pending: [], latest: new Map() });
    }
  }

  async function upload(person: Person, rate: number): Promise<void> {
    const names = Array.from({ length: 1 + random.below(3) }, (_, at) => `${person.name}-${contents.size + at}.bin`);
    for (const name of names) contents.set(name, random.fill(new Uint8Array(random.below(MAX_BYTES))));
    const shareTo = random.chance(0.3) ? random.pick(people.all).address : undefined;
    for (const name of names) if (shareTo !== undefined) sharedTo.set(name, shareTo);
    const call: UploadEncryptedOptions = {
      ...person.owner,
      ...drawPatience(),
      apiKey: person.apiKey,
      journal: person.journal,
      // With fewer than all nodes, a key may be saved on no more nodes than are needed, of which none may be bad.
      saveOn: faultyNodes.length === 0 ? random.pick(["all", "enough"] as const) : "all",
      shareTo,
    };
    const ended = await people.run(person, rate, () => kit.uploadEncrypted(sourceOf(names), call));
    describe(person, `uploads ${names}`, ended);
    if ("value" in ended) addFiles(person, ended.value);
  }

  function drawChange(person: Person, file: ModelFile): Change {
    const others = people.all.map(({ address }) => address).filter((address) => address !== person.address);
    const to = random.pick(others);
    const shared = [...file.access].flatMap(([address, expected]) => (expected === "out" ? [] : [address]));
    switch (random.below(8)) {
      case 0:
      case 1:
        return { kind: "share", to };
      case 2:
      case 3:
      case 4:
        return { kind: "revoke", to: shared.length > 0 ? random.pick(shared) : to };
      case 5:
        return { kind: "conditions", value: 1 + random.below(1_000) };
      case 6:
        // What is still open could not be completed afterwards.
        if (file.pending.length === 0) return { kind: "transfer", to, resets: random.chance(0.7) };
        return { kind: "revoke", to };
      default:
        return { kind: "repair" };
    }
  }

  async function call(person: Person, { cid }: ModelFile, change: Change): Promise<unknown> {
    const options = { ...person.owner, ...drawPatience(), journal: person.journal };
    switch (change.kind) {
      case "share":
        return kit.kavachShare(cid, { ...options, shareTo: change.to });
      case "revoke":
        return kit.kavachRevoke(cid, { ...options, revokeTo: change.to });
      case "conditions":
        return kit.kavachSetAccessConditions(cid, { ...options, conditions: [createCondition(change.value)] });
      case "transfer":
        return kit.kavachTransferOwnership(cid, { ...options, newOwner: change.to, resetSharedTo: change.resets });
      case "repair":
        return kit.kavachRepair(cid, options);
    }
  }

  async function changeFile(person: Person, file: ModelFile): Promise<void> {
    const change = drawChange(person, file);
    const what = `${change.kind} ${file.cid} ${JSON.stringify(change)}`;
    trace(`${person.client.name} starts ${what}`);
    startChange(file, change);
    const { client } = person;
    let ended = await people.run(person, killRate, () => call(person, file, change));
    describe(person, what, ended);
    checkReport(file, change, ended);
    for (let retries = random.below(3); retries > 0 && "error" in ended; retries--) {
      const { error } = ended;
      if (!isUnfinished(error)) break;
      ended = await people.run(person, killRate, () => error.resume({}));
      describe(person, `resumes ${what}`, ended);
      checkReport(file, change, ended);
    }
    if ("value" in ended) return completeChange(file, change);
    const entry = await findEntry(person, file, change);
    if (entry !== undefined) file.pending = [...file.pending, { change, entry, client }];
    else if ("error" in ended && isUnfinished(ended.error)) {
      violations.push(`${change.kind} of ${file.cid} is unfinished, and is not in the journal`);
    } else if ("isKilled" in ended && honest().every((node) => isCarriedOut(nodeFiles(node), file.cid, change))) {
      // It was killed after its last node.
      completeChange(file, change);
    }
  }

  /** A file is not changed while it changes hands, nor before a change of an earlier process is resumed. */
  const mayChange = (file: ModelFile) =>
    file.pending.every(({ change, client }) => change.kind !== "transfer" && client === findOwner(file).client);

  const findOwner = (file: ModelFile) => people.all.find(({ address }) => address === file.owner) as Person;

  /** Finds the entry of a change that was made just now; older ones of the same file may be open, too. */
  async function findEntry(person: Person, file: ModelFile, change: Change): Promise<string | undefined> {
    const open = await person.journal.list();
    const isNew = (id: string) => file.pending.every(({ entry }) => entry !== id);
    return open.find(({ id, kind, cids }) => kind === change.kind && cids.includes(file.cid) && isNew(id))?.id;
  }

  /** A call that has succeeded is carried out by every honest node; a failed one names those that have not. */
  function checkReport(file: ModelFile, change: Change, ended: Ended<unknown>): void {
    if ("isKilled" in ended || change.kind === "repair") return;
    const undone = honest().filter((node) => !isCarriedOut(nodeFiles(node), file.cid, change));
    if ("value" in ended) {
      if (undone.length > 0) violations.push(`${change.kind} of ${file.cid} succeeded, but not on nodes ${undone}`);
      return;
    }
    const { error } = ended;
    if (!isUnfinished(error)) return;
    const failures = (error.details["failures"] ?? []) as { node: number }[];
    const nodesDone = (error.details["nodesDone"] ?? []) as number[];
    const falselyDone = undone.filter((node) => nodesDone.includes(node));
    if (falselyDone.length > 0) violations.push(`${change.kind} of ${file.cid} reports nodes ${falselyDone} as done`);
    // A sign-in that fails ends the whole call.
    if (String(error.details["url"]).includes("/api/message/") || error.code === "INVALID_SIGNATURE") return;
    const unnamed = undone.filter((node) => !failures.some((failure) => failure.node === node));
    if (unnamed.length > 0)
      violations.push(`${change.kind} of ${file.cid} does not name nodes ${unnamed} in its error`);
  }

  const honest = () => [1, 2, 3, 4, 5].filter((node) => !faultyNodes.includes(node));
  const nodeFiles = (node: number) => nodes[node - 1] as (typeof nodes)[number];

  /** Opens a file: its bytes are right or the call fails, and it fails for somebody who may not open it. */
  async function open(person: Person, file: ModelFile): Promise<void> {
    const isOut = () =>
      !busy.has(file) &&
      file.pending.length === 0 &&
      file.owner !== person.address &&
      (file.access.get(person.address) ?? "out") === "out";
    const wasOut = isOut();
    const ended = await people.run(person, 0, () => kit.decrypt(file.cid, { ...person.owner, ...drawPatience() }));
    describe(person, `opens ${file.cid}`, ended);
    if (!("value" in ended)) return;
    if (wasOut && isOut()) violations.push(`${person.name} opened ${file.cid} without permission`);
    if (Buffer.compare(ended.value, file.bytes) !== 0) violations.push(`${file.cid} was opened with other bytes`);
  }

  /** Resumes what a person's journal has open. */
  async function resume(person: Person, rate: number): Promise<void> {
    const source = sourceOf([...contents.keys()].filter((name) => name.startsWith(person.name)));
    const options = () => ({ ...person.owner, ...drawPatience(), apiKey: person.apiKey, source });
    const ended = await people.run(person, rate, () => person.journal.resumeAll(options()));
    describe(person, "resumes", ended);
    if (!("value" in ended)) return;
    for (const report of ended.value) {
      if ("error" in report) describe(person, `resumes ${report.id}`, report);
      else if (report.kind === "upload") addFiles(person, report.result);
      else trace(`${person.client.name} resumed ${report.kind}`);
    }
    await settleChanges(person);
  }

  /** Completes the changes whose entries are no longer open, and gives up those that only bad nodes prevent. */
  async function settleChanges(person: Person): Promise<void> {
    const open = await person.journal.list();
    for (const file of files) {
      if (file.owner !== person.address) continue;
      const isOpen = ({ entry }: { entry: string }) => open.some(({ id }) => id === entry);
      const completed = file.pending.filter((one) => !isOpen(one));
      file.pending = file.pending.filter(isOpen);
      for (const { change } of completed) if (!isUndone(file, change)) completeChange(file, change);
    }
  }

  /** A transfer that only lying nodes have confirmed looks as if it had been undone: it is given up. */
  function isUndone({ cid }: ModelFile, change: Change): boolean {
    const isNowhere = honest().every((node) => !isCarriedOut(nodeFiles(node), cid, change));
    return change.kind === "transfer" && isNowhere && faultyNodes.length > 0;
  }

  /** Repairs a file of which nodes have lost their shards, by its present owner. */
  async function repair({ cid, owner, pending }: ModelFile): Promise<void> {
    if (nodes.every((node) => node.get(cid))) return;
    const owners = [owner, ...listNewOwners(pending)];
    for (const person of people.all.filter(({ address }) => owners.includes(address))) {
      const ended = await people.run(person, 0, () => kit.kavachRepair(cid, { ...person.owner, pauseMs: 0 }));
      describe(person, `repairs ${cid}`, ended);
    }
  }

  return {
    files,
    contents,
    async prepare() {
      const person = random.pick(people.all);
      await upload(person, 0);
    },
    async act() {
      const free = files.filter((file) => !busy.has(file));
      const changeable = free.filter(mayChange);
      const isChange = changeable.length > 0 && random.chance(0.7);
      const file = isChange ? random.pick(changeable) : undefined;
      const person = file ? findOwner(file) : random.pick(people.all);
      if (random.chance(0.5) && (await person.journal.list()).length > 0) await resume(person, killRate);
      // A resumed transfer may have given it to somebody else.
      if (file && !busy.has(file) && file.owner === person.address && mayChange(file)) {
        busy.add(file);
        await changeFile(person, file);
        busy.delete(file);
      } else if (free.length > 0 && random.chance(0.5)) {
        await open(person, random.pick(free));
      } else {
        await upload(person, killRate);
      }
    },
    async finish() {
      for (const person of people.all) await people.restart(person);
      for (let round = 0; round < 5; round++) {
        for (const person of people.all) await resume(person, 0);
        // Nodes that have no shard refuse changes.
        for (const file of files) await repair(file);
        await pause(1_000);
      }
    },
  };
}

function createCondition(value: number) {
  return {
    id: 1,
    chain: "Polygon",
    standardContractType: "ERC721",
    contractAddress: "0x1a7e9b3c5d7f9b1c3e5a7c9e1b3d5f7a9c1e3b5d",
    method: "balanceOf",
    parameters: [":userAddress"],
    returnValueTest: { comparator: ">=", value },
  } as const;
}
