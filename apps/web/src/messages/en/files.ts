import { formatCount } from "../format.ts";

const file = { one: "file", other: "files" };
const item = { one: "item", other: "items" };

/** Texts of the files screen. */
export const files = {
  title: "Files",
  add: "Add files",
  addFolder: "Add folder",
  drop: "Drop files or folders here",
  dropTouch: "Add files or folders",
  encryptedHint: "Encrypted on your device. Only you and people you share with can open them.",
  publicHint: "Not encrypted. Anyone with the CID can read them.",
  uploadAs: "Upload as",
  encrypted: "Encrypted",
  isPublic: "Public",
  tooLarge: (needed: string, left: string) => `Not enough storage: ${needed} needed, ${left} left.`,
  emptyFolders: (names: readonly string[]) =>
    names.length === 1
      ? `“${names[0]}” is empty: there is nothing to upload.`
      : `${names.length} folders are empty: there is nothing to upload.`,
  unreadable: (names: readonly string[]) =>
    names.length === 1
      ? `“${names[0]}” can’t be read, so it wasn’t added.`
      : `${names.length} items can’t be read, so they weren’t added.`,
  buyStorage: "Buy storage",
  yours: "Your files",
  count: (count: number) => formatCount(count, file),
  itemCount: (count: number) => formatCount(count, item),
  soFar: " so far…",
  emptyTitle: "No files yet",
  emptyHint: "Drop a file above to get started.",
  emptyHintTouch: "Add a file above to get started.",
  noMatchTitle: "No matching files",
  noMatchHint: "Try a different name or CID.",
  search: "Search",
  searchLabel: "Search your files",
  show: "Show",
  filters: {
    all: "All files",
    encrypted: "Encrypted",
    public: "Public",
    image: "Images",
    media: "Video & audio",
    document: "Documents",
  },
  sortBy: "Sort by",
  sortings: {
    newest: "Newest first",
    oldest: "Oldest first",
    name: "Name, A to Z",
    "name-descending": "Name, Z to A",
    largest: "Largest first",
    smallest: "Smallest first",
  },
  name: "Name",
  access: "Access",
  size: "Size",
  added: "Added",
  cid: "CID",
  actions: "Actions",
  selectAll: "Select all files",
  select: (name: string) => `Select ${name}`,
  cidOf: (name: string) => `CID of ${name}`,
  viewOnGateway: (name: string) => `View ${name} on gateway`,
  delete: (name: string) => `Delete ${name}`,
  unfinished: "Upload not finished",
  sharedWith: (address: string) => `Shared with ${address}`,
  sharedWithCount: (count: number) => `Shared with ${formatCount(count, { one: "person", other: "people" })}`,
  storedAs: (status: string) => `Stored · ${status}`,
  selection: "Selected files",
  selected: (count: number) => `${formatCount(count, file)} selected`,
  cids: "CIDs",
  copyCids: "Copy CIDs",
  deleteSelected: "Delete…",
  clearSelection: "Clear selection",
  deleteFolderTitle: "Delete this folder?",
  deleteItemsTitle: (count: number) => `Delete ${formatCount(count, item)}?`,
  deleteItemsAction: (count: number) => `Delete ${formatCount(count, item)}`,
  deleteFolderHint: (count: number) => `With ${formatCount(count, file)} in it.`,
  deleteListing: "Listing what is in it…",
  deleteEntryHint: (count: number) =>
    count === 1
      ? "It can’t be verified which files are in this folder. Only its entry is deleted; the files stay."
      : `It can’t be verified which files are in ${count} of the folders. Only their entries are deleted; the files stay.`,
  deleteEntryAction: "Delete only the entry",
  deleteTitle: (count: number) => (count === 1 ? "Delete this file?" : `Delete ${formatCount(count, file)}?`),
  deleteAction: (count: number) => (count === 1 ? "Delete" : `Delete ${formatCount(count, file)}`),
  deleteMore: (count: number) => `and ${formatCount(count, { one: "more", other: "more" })}`,
  deleteHint: (size: string, count: number) => `${size}${count === 1 ? "" : " in all"}. This can’t be undone.`,
  deleted: (name: string) => `Deleted ${name}`,
  deletedCount: (count: number) => `Deleted ${formatCount(count, file)}`,
  deletedPart: (count: number, all: number) => `Deleted ${count} of ${formatCount(all, file)}.`,
  unnamed: "the file",
};
