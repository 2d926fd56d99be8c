import type { CommandSpec } from "./types.ts";

/** Commands for whole datasets. */
export const bulkCommands: readonly CommandSpec[] = [
  {
    name: "bulk plan",
    summary: "list a dataset, and what sending it costs",
    details:
      "Writes a manifest of all files into the folder of the plan, and sends nothing. A plan that was interrupted is continued by the same command.",
    arguments: [
      { name: "source", summary: "folder; with --manifest the folder its paths are below", completes: "folder" },
    ],
    options: [
      {
        flags: "--to <folder>",
        summary: "folder of the plan; by default the source's with .plan",
        completes: "folder",
      },
      { flags: "-e, --encrypt", summary: "encrypt the files, and save the keys on the key nodes" },
      {
        flags: "--manifest <file>",
        summary: "take the files from JSON lines: path, size, mtime, sha256",
        completes: "file",
      },
      { flags: "--name <name>", summary: "name of the folders that are stored" },
      { flags: "--network <name>", summary: "chain to compute the price for" },
      { flags: "--token <token>", summary: "what to pay with", completes: ["native", "usdc", "usdt", "dai"] },
    ],
    examples: [
      ["keeplight bulk plan /data/photos", "lists the folder into /data/photos.plan"],
      ["keeplight bulk plan /data --manifest files.jsonl --to plan -e", "plans the files of a list, encrypted"],
    ],
    result: {
      id: "of the plan",
      folder: "of the plan",
      files: "how many files it has",
      bytes: "of all files",
      batches: "how many requests the upload node receives",
      keyNodeRequests: "how many requests the key nodes receive",
      derivationMs: "how long this machine derives keys, in milliseconds",
      price: "`amount` in the token's smallest unit, `token`, `decimals`, `usd`",
    },
    load: () => import("../commands/bulk-plan.ts"),
  },
];
