import type { AttackRow } from "../attack-case.ts";

/** Attacks with a test of their own, in `hostile-data.test.ts`, as rows of THREAT-MODEL.md. */
export const hostileDataRows: readonly AttackRow[] = [
  {
    name: "a wrong key, name and size added to a recovery kit",
    outcome: "the kit returns both keys, and the file's tag decides; names and sizes of a kit are unverified",
    limit: "names and sizes of the kit",
  },
  {
    name: "files added to a recovery kit that cannot be opened",
    outcome: "everything else of the kit opens; `unread` lists the files",
    noticed: "open recovery kit: reported",
  },
  {
    name: "a small response that expands to gigabytes of memory",
    outcome: "each call reads as much as its response may have, and counts values before they are created",
    noticed:
      "balance: `RESPONSE_TOO_LARGE`; list: `INVALID_JSON`; recover key: `NODES_FAILED`; JSON-RPC: `INVALID_JSON`",
  },
  {
    name: "a folder of seven blocks that lists more entries than memory holds",
    outcome: "a name, or a part of a folder, that is there twice is refused",
    noticed: "list folder: `INVALID_RESPONSE`",
  },
  {
    name: "a listing without an end",
    outcome: "the call ends after `maxRows` rows, 100,000 by default, all of which it has yielded",
    noticed: "list: `TOO_MANY_ROWS`; list folder: `TOO_MANY_ROWS`",
  },
  {
    name: "blocks that come once they are given up, after other bytes",
    outcome: "bytes that nothing proved as they came are not joined to a rest that blocks prove",
    noticed: "download: `NETWORK`",
  },
  {
    name: "the proof of another file",
    outcome: "its paths hold; that the piece is the file, and that the deal exists, is what the network says",
    limit: "verified storage proof",
  },
];
