import {
  addFile,
  type Change,
  createFolder,
  erase,
  move,
  rename,
  requireEntry,
  restore,
  trash,
} from "../src/changes.ts";
import { mergeStates } from "../src/merge.ts";
import { type DriveState, emptyState, type Stamp, TOP } from "../src/state.ts";
import { buildTree, type DriveEntry, type Tree } from "../src/tree.ts";
import { createRandom, randomCid, stampAt } from "./random-states.ts";

/** A drive on one device. The id of an entry is the name that it was created with. */
export function createDrive(state: DriveState = emptyState, device = "device") {
  const random = createRandom(device.charCodeAt(0));
  let time = 0;
  const drive = {
    get state() {
      return state;
    },
    get tree() {
      return buildTree(state);
    },
    stamp: () => stampAt(++time, device),
    apply(decide: (tree: Tree, stamp: Stamp, state: DriveState) => Change) {
      state = mergeStates(state, decide(buildTree(state), drive.stamp(), state));
    },
    get(id: string): DriveEntry {
      return requireEntry(buildTree(state), { id } as DriveEntry);
    },
    folder(id: string, parent = TOP, name = id) {
      drive.apply((tree, stamp) => createFolder(tree, parent, name, id, stamp));
    },
    /** Returns the content id. */
    file(id: string, parent = TOP, name = id): string {
      const cid = randomCid(random);
      drive.apply((_, stamp, now) => addFile(now, { id, cid, place: { parent, name }, file: { size: 5 } }, stamp));
      return cid;
    },
    version(id: string): string {
      const cid = randomCid(random);
      drive.apply((_, stamp, now) => addFile(now, { id, cid, file: { size: 6 } }, stamp));
      return cid;
    },
    move: (id: string, parent: string) =>
      drive.apply((tree, stamp, now) => move(tree, now, [drive.get(id)], parent, stamp)),
    rename: (id: string, name: string) => drive.apply((tree, stamp) => rename(tree, drive.get(id), name, stamp)),
    trash: (id: string) => drive.apply((_, stamp) => trash(drive.get(id), stamp)),
    restore: (id: string) => drive.apply((tree, stamp, now) => restore(tree, now, [drive.get(id)], stamp)),
    erase: (id: string) => drive.apply((tree, _, now) => erase(tree, now, drive.get(id))),
    paths: () =>
      [...buildTree(state).all()]
        .filter(({ trashed }) => !trashed)
        .map(({ path }) => path)
        .sort(),
  };
  return drive;
}
