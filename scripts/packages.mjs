// @ts-check

/** The packages that are published, each after those that it imports. */
export const packages = [
  { name: "keeplight", folder: "." },
  ...[
    "devnet",
    "backup",
    "bulk",
    "conditions",
    "media",
    "pay-per-upload",
    "proof",
    "recovery",
    "s3",
    "drive",
    "react",
    "server",
    "uppy",
    "kavach",
    "lighthouse-sdk",
    "cli",
    "codemod",
  ].map((name) => ({
    name: `@keeplight/${name}`,
    folder: `packages/${name}`,
  })),
];

/**
 * Returns the name that npm gives to a package's tarball.
 *
 * @param {string} name
 * @param {string} version
 */
export const tarballName = (name, version) => `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
