// What recovery loads later, in one module: bundlers split what several such modules share from what a page loads at once.
export { formatLink, readLink } from "./link-format.ts";
export { formatPages, readPages } from "./page-format.ts";
export { readKit } from "./read-kit.ts";
export { writeKit } from "./write-kit.ts";
