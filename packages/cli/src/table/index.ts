import { accessCommands } from "./access.ts";
import { accountCommands } from "./account.ts";
import { backupCommands } from "./backup.ts";
import { bulkCommands } from "./bulk.ts";
import { fileCommands } from "./files.ts";
import { networkCommands } from "./network.ts";
import type { CommandGroup } from "./spec.ts";

/** Every command, in the order of the help. */
export const groups: readonly CommandGroup[] = [
  { title: "Account", commands: accountCommands },
  { title: "Files", commands: fileCommands },
  { title: "Backups", commands: backupCommands },
  { title: "Datasets", commands: bulkCommands },
  { title: "Who may open files", commands: accessCommands },
  { title: "Network", commands: networkCommands },
];
