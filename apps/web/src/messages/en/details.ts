import { formatCount } from "../format.ts";

const item = { one: "item", other: "items" };

/** Texts of the facts that are shown beside the list of files. */
export const details = {
  title: "Details",
  empty: "Select a file to see its details.",
  selected: (count: number) => `${formatCount(count, item)} selected`,
  totalSize: "Total size",
  people: "Can view",
  anyone: "Anyone with the CID",
  onlyYou: "Only you",
  you: "You",
  ownFolder: "Open the folder to share it.",
  notListed: "Couldn’t check",
  more: (count: number) => `and ${count} more`,
  links: (count: number) => formatCount(count, { one: "link", other: "links" }),
  noKey: "Not encrypted",
  noFact: "–",
  open: "Open",
  move: "Move…",
};
