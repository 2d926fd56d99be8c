import { makeRecoveryKit, openRecoveryKit, openShareLink } from "../../packages/recovery/src/index.ts";
import {
  decrypt,
  download,
  getFileInfo,
  isKeeplightError,
  kavachGetAccessConditions,
  kavachInspect,
  kavachRecoverKey,
  kavachRecoverShards,
  kavachRepair,
  kavachRevoke,
  kavachShare,
  kavachTransferOwnership,
  openEncrypted,
  openFile,
  upload,
  uploadEncrypted,
} from "../../src/index.ts";
import { canOpen, listAll, type Rig } from "./rig.ts";

/**
 * How a path ends under an attack: `right`: as without it; `reported`: the result says that something is wrong;
 * `deceived`: the result is wrong and nothing shows it; otherwise the code of the error.
 */
export type Outcome = "right" | "reported" | "deceived" | (string & {});

const judge = (isRight: boolean): Outcome => (isRight ? "right" : "deceived");
const isText = (bytes: Uint8Array, text: string) => new TextDecoder().decode(bytes) === text;
const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

/** Every way to read or share a file, in an order in which none disturbs the next. */
const paths = {
  async decrypt({ people, target }) {
    return judge(isText(await decrypt(target.cid, people.owner), target.text));
  },
  async "decrypt, strict"({ people, target }) {
    return judge(isText(await decrypt(target.cid, { ...people.owner, strict: true }), target.text));
  },
  async "decrypt, commitment"({ people, target: { cid, commitment, text } }) {
    return judge(isText(await decrypt(cid, { ...people.owner, commitment }), text));
  },
  async "decrypt by a stranger"(rig) {
    return judge(!(await canOpen(rig, "stranger")));
  },
  async "recover key"({ people, target: { cid, masterKey } }) {
    const { shards } = await kavachRecoverShards(cid, { ...people.owner, count: 5 });
    const recovered = await kavachRecoverKey(shards, { strict: true });
    if (recovered.masterKey === masterKey && recovered.faultyShards.length > 0) return "reported";
    return judge(recovered.masterKey === masterKey);
  },
  async inspect({ people, target: { cid } }) {
    const { healthy, access } = await kavachInspect(cid, people.owner);
    if (!healthy) return "reported";
    return judge(isTrueAccess(people, access));
  },
  async "get access"({ people, target: { cid } }) {
    return judge(isTrueAccess(people, await kavachGetAccessConditions(cid, { endpoints: people.owner.endpoints })));
  },
  async "file info"({ people: { owner }, target: { cid, name, encrypted } }) {
    const info = await getFileInfo(cid, { endpoints: owner.endpoints });
    const isRight = info.cid === cid && info.fileName === name && info.mimeType === "text/plain" && info.encryption;
    return judge(isRight === true && info.fileSizeInBytes === String(encrypted.length));
  },
  async list(rig) {
    const { cid, name } = rig.target;
    const found = (await listAll(rig)).filter((row) => row.fileName === name || row.cid === cid);
    return judge(found.length === 1 && found[0]?.cid === cid && found[0].fileName === name && !!found[0].encryption);
  },
  async download({ people, target: { cid, encrypted } }) {
    return judge(isSame(await download(cid, { endpoints: people.owner.endpoints }), encrypted));
  },
  async "open file"({ people, target: { cid, encrypted } }) {
    const file = await openFile(cid, { endpoints: people.owner.endpoints });
    return judge(isSame(await file.read(0, file.size), encrypted));
  },
  async "open encrypted"({ people, target: { cid, text } }) {
    const file = await openEncrypted(cid, people.owner);
    return judge(isText(await file.read(0, file.size), text));
  },
  async "open encrypted, commitment"({ people, target: { cid, commitment, text } }) {
    const file = await openEncrypted(cid, { ...people.owner, commitment });
    return judge(isText(await file.read(0, file.size), text));
  },
  async "share link"({ people: { owner }, target: { link, text } }) {
    const { cid, key } = await openShareLink(link);
    return judge(isText(await decrypt(cid, { key, endpoints: owner.endpoints }), text));
  },
  async "share link, strict"({ people: { owner }, target: { link, text } }) {
    const { cid, key } = await openShareLink(link);
    return judge(isText(await decrypt(cid, { key, endpoints: owner.endpoints, strict: true }), text));
  },
  async "recovery kit, strict"({ people: { owner }, identity, target: { cid, kit, text } }) {
    const opened = await openRecoveryKit(kit, { identity });
    return judge(isText(await decrypt(cid, { key: opened.keys(cid), endpoints: owner.endpoints, strict: true }), text));
  },
  async "make recovery kit"(rig) {
    const { people, identity, recipient, target } = rig;
    const { cid, name, masterKey } = target;
    const files = (await listAll(rig)).filter((row) => row.cid === cid || row.fileName === name);
    const { kit, failures } = await makeRecoveryKit(files, { ...people.owner, recipients: recipient });
    if (failures[0]) return failures[0].code;
    const opened = await openRecoveryKit(kit, { identity });
    if (opened.entries.length === 0) return "deceived";
    return judge(opened.entries[0]?.cid === cid && opened.keys(cid).join() === masterKey);
  },
  async share(rig) {
    const { people, target } = rig;
    await kavachShare(target.cid, { ...people.owner, shareTo: people.newcomer.signer.address });
    return judge(await canOpen(rig, "newcomer"));
  },
  async revoke(rig) {
    const { people, target } = rig;
    await kavachRevoke(target.cid, { ...people.owner, revokeTo: people.friend.signer.address });
    return judge(!(await canOpen(rig, "friend")));
  },
  async repair(rig) {
    const { nodes } = await kavachRepair(rig.target.cid, rig.people.owner);
    if (nodes.some(({ done }) => done === "refused" || done === "failed")) return "reported";
    return judge(await canOpen(rig, "owner"));
  },
  async transfer(rig) {
    const { people, target } = rig;
    await kavachTransferOwnership(target.cid, { ...people.owner, newOwner: people.heir.signer.address });
    return judge((await canOpen(rig, "heir")) && !(await canOpen(rig, "owner")));
  },
} satisfies Record<string, (rig: Rig) => Promise<Outcome>>;

/** Ways to store two files, as their own content shows: only for attacks on them. */
const uploadPaths = {
  async upload({ people: { owner }, apiKey }) {
    return judge(await areStored(owner.endpoints, (files) => upload(files, { apiKey, endpoints: owner.endpoints })));
  },
  async "upload, verifyCid"({ people: { owner }, apiKey }) {
    const options = { apiKey, endpoints: owner.endpoints, verifyCid: true };
    return judge(await areStored(owner.endpoints, (files) => upload(files, options)));
  },
  async "upload encrypted"({ devnet, people: { owner }, apiKey }) {
    const files = await uploadEncrypted(createFiles(), { ...owner, apiKey });
    devnet.attacks.clear();
    for (const { Hash, Name } of files) {
      const opened = await decrypt(Hash, owner).catch(() => new Uint8Array());
      if (!isText(opened, `content of ${Name}`)) return "deceived";
    }
    return "right";
  },
} satisfies Record<string, (rig: Rig) => Promise<Outcome>>;

export type Path = keyof typeof paths | keyof typeof uploadPaths;

/** Runs every path and returns the outcomes that differ from `right`. */
export async function runPaths(rig: Rig, uploads: boolean): Promise<Partial<Record<Path, Outcome>>> {
  const outcomes: Partial<Record<Path, Outcome>> = {};
  for (const [name, run] of Object.entries(uploads ? { ...paths, ...uploadPaths } : paths)) {
    const outcome = await observe(run(rig));
    if (outcome !== "right") outcomes[name as Path] = outcome;
  }
  return outcomes;
}

async function observe(path: Promise<Outcome>): Promise<Outcome> {
  try {
    return await path;
  } catch (error) {
    if (isKeeplightError(error)) return error.code;
    throw error;
  }
}

function isTrueAccess({ owner, friend }: Rig["people"], access: { owner: string; sharedTo: string[] } | undefined) {
  const lower = (addresses: readonly string[]) => addresses.map((address) => address.toLowerCase()).join();
  const found = lower([access?.owner ?? "", ...(access?.sharedTo ?? [])]);
  return found === lower([owner.signer.address, friend.signer.address]);
}

const createFiles = () => ["one.txt", "two.txt"].map((name) => new File([`content of ${name}`], name));

async function areStored(
  endpoints: Rig["devnet"]["endpoints"],
  send: (files: File[]) => Promise<readonly { Name: string; Hash: string }[]>,
): Promise<boolean> {
  for (const { Name, Hash } of await send(createFiles())) {
    if (!isText(await download(Hash, { endpoints }), `content of ${Name}`)) return false;
  }
  return true;
}
