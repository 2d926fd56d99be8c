// One module to load for recovery kits, their pages and share links; what only age or paper requires is loaded by these.

export { formatLink, readLink } from "./link-format.ts";
export { formatPages, readPages } from "./page-format.ts";
export { readKit } from "./read-kit.ts";
export { writeKit } from "./write-kit.ts";
