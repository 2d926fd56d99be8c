import type { CommandSpec } from "./types.ts";

/** Commands for the source code of programs. */
export const programCommands: readonly CommandSpec[] = [
  {
    name: "migrate",
    summary: "rewrite programs that call @lighthouse-web3/sdk and kavach",
    details:
      "Calls become keeplight's where that is certain to work; the others stay as they are and call keeplight/compat, and each is listed with its place and the reason (exit code 2). Rewrites .js, .jsx, .mjs, .cjs, .ts, .tsx, .mts and .cts, but nothing in node_modules, dist, build and hidden folders; pass all folders of a program at once. Changes files only in a clean git work tree, unless --force is set.",
    arguments: [
      {
        name: "path",
        summary: "files and folders; default the working folder",
        optional: true,
        variadic: true,
        completes: "file",
      },
    ],
    options: [{ flags: "--force", summary: "change files although git could not undo it" }],
    writes: "the programs",
    examples: [
      ["npx keeplight migrate --dry-run", "prints a patch, and what would be left to do by hand"],
      ["npx keeplight migrate src scripts", "rewrites the programs in two folders"],
    ],
    item: {
      file: "path from the working folder",
      changed: "whether it was written",
      migrated: "how many calls are keeplight's now",
      left: "what is left to do by hand: `line`, `column`, `what`, `reason`",
      "diff?": "with `--dry-run`: a patch, if there are changes",
    },
    result: {
      files: "how many programs were looked at",
      changed: "how many were written",
      migrated: "how many calls are keeplight's now",
      left: "how many places are left to do by hand",
      "install?": "the command that installs what the programs require now, if they changed",
    },
    load: () => import("../commands/migrate.ts"),
  },
];
