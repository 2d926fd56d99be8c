import { formatCount } from "../format.ts";

/** Texts of the facts that are shown beside the list of files. */
export const details = {
  title: "Details",
  emptyTitle: "No file selected",
  emptyHint: "Click a row, or reach it by keyboard, to see its details.",
  fileCount: "Files",
  folderCount: "Folders",
  totalSize: "Total size",
  people: "Can view",
  anyone: "Anyone with the CID",
  onlyYou: "Only you",
  you: "You",
  notListed: "Couldn’t check",
  more: (count: number) => `and ${count} more`,
  links: (count: number) => formatCount(count, { one: "link", other: "links" }),
  noFact: "–",
  open: "Open",
  downloadOf: (name: string) => `Download ${name}`,
};
