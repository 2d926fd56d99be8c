import { accessCommands } from "./access.ts";
import { accountCommands } from "./account.ts";
import { backupCommands } from "./backup.ts";
import { bulkCommands } from "./bulk.ts";
import { fileCommands } from "./files.ts";
import { networkCommands } from "./network.ts";
import type { Command } from "./spec.ts";

/** Every command, in groups, in the order of the help. */
export const groups: readonly { title: string; commands: readonly Command[] }[] = [
  { title: "Account", commands: accountCommands },
  { title: "Files", commands: fileCommands },
  { title: "Backups", commands: backupCommands },
  { title: "Datasets", commands: bulkCommands },
  { title: "Who may open files", commands: accessCommands },
  { title: "Network", commands: networkCommands },
];

export const allCommands: readonly Command[] = groups.flatMap(({ commands }) => commands);
