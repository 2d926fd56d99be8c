/** Attacks with a test of their own, in `hostile-data.test.ts`, as rows of THREAT-MODEL.md. */
export const hostileDataRows: readonly { name: string; outcome: string; noticed?: string; limit?: string }[] = [
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
];
