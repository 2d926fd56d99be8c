// @ts-check

/** The packages that are published, each after those that it imports. */
export const packages = [
  { name: "keeplight", folder: "." },
  ...["devnet", "bulk", "react", "server", "kavach", "lighthouse-sdk", "cli", "codemod"].map((name) => ({
    name: `@keeplight/${name}`,
    folder: `packages/${name}`,
  })),
];
