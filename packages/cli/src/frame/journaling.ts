import { join } from "node:path";
import type { Journal, OpenOperation } from "keeplight";
import { makeStateFolder } from "../settings/folders.ts";
import type { JournaledWork } from "./invocation.ts";
import type { Package } from "./package.ts";

/** The journal of all commands of this user, and the entry of the one that runs. */
export interface CommandJournal {
  open(work: JournaledWork): Promise<Journal>;
  /**
   * Returns the command that continues what this run has left in the journal, if it has left anything. Another command
   * that started an upload meanwhile makes that ambiguous: it is then the one that continues all of them.
   */
  findResume(): Promise<string | undefined>;
}

/** Opens the journal, in its folder of the state, without starting anything. */
export async function openCommandJournal(kit: Package): Promise<Journal> {
  return kit.openJournal({ folder: join(await makeStateFolder(), "journal") });
}

/** Creates the journal of one run; the folder is made when a command needs it. */
export function createCommandJournal(load: () => Promise<Package>): CommandJournal {
  let used: { journal: Journal; work: JournaledWork; before: ReadonlySet<string> } | undefined;
  return {
    async open(work) {
      const journal = await openCommandJournal(await load());
      used = { journal, work, before: new Set((await journal.list()).map(({ id }) => id)) };
      return journal;
    },
    async findResume() {
      if (!used) return undefined;
      const { journal, work, before } = used;
      const open = await journal.list().catch(() => []);
      const isAbout = ({ names, cids }: OpenOperation) =>
        work.subject === undefined || cids.includes(work.subject) || names.includes(work.subject);
      const canResume = ({ cids }: OpenOperation) => !work.isReadOnce || cids.length > 0;
      const own = open.filter(
        (each) => each.kind === work.kind && !before.has(each.id) && isAbout(each) && canResume(each),
      );
      if (own.length === 0) return undefined;
      return own.length === 1 ? `keeplight resume ${own[0]?.id}` : "keeplight resume";
    },
  };
}
