import { formatCount } from "../format.ts";

const item = { one: "item", other: "items" };
const file = { one: "file", other: "files" };

/** Texts of the folder screen. */
export const folder = {
  places: "Folders above",
  count: (count: number) => formatCount(count, item),
  loading: "Loading…",
  soFar: (count: number) => `${formatCount(count, item)} so far…`,
  emptyTitle: "This folder is empty",
  emptyHint: "Nothing was stored in it.",
  noFolderTitle: "This is not a folder",
  noFolderHint: "What is stored here is a single file, or not readable.",
  showFile: "Show the file",
  cid: "CID",
  name: "Name",
  size: "Size",
  actions: "Actions",
  unreadable: "Link or special file",
  isFolder: "Folder",
  copyLink: "Copy link",
  link: "link",
  download: "Download as ZIP",
  downloading: "Downloading the folder",
  listing: (count: number) => `Listing ${formatCount(count, file)}…`,
  cancelDownload: "Cancel the download",
  downloadCancelled: (name: string) => `Download of ${name} cancelled`,
  saved: (name: string, skipped: number) =>
    skipped === 0
      ? `Saved ${name}`
      : `Saved ${name}, without ${formatCount(skipped, item)} that can’t be read as files`,
  share: "Share",
  shareTitle: (count: number) => `Share this folder (${formatCount(count, file)})`,
  addressHint: "This address will be able to open the folder, and each file in it.",
  notShared: "Nobody else can open this folder yet.",
  outdated: (count: number) =>
    `The folder has changed since you shared it with ${formatCount(count, { one: "person", other: "people" })}. They can open what was in it then.`,
  shareChanges: "Share the changes",
  sharedBefore:
    "Only encrypted files can be shared, and this folder has others, or none. You can revoke what you shared before.",
  notEncrypted: (name: string) => ({
    title: `“${name}” isn’t encrypted`,
    advice: "Everyone can open it. Move it out of the folder to share the rest.",
  }),
  changing: (percent: string) => `Updating the key nodes… ${percent}`,
  changingLabel: "Updating the key nodes",
  remaining: (count: number) => `${formatCount(count, file)} not updated yet.`,
  retryRemaining: "Retry the rest",
  notThere: { title: "Not in this folder", advice: "Check the link, or open the folder above." },
  tooLarge: (size: string, limit: string) => ({
    title: "The folder is too large for this browser",
    advice: `It’s ${size}; this browser can save archives of up to ${limit}. Use Chrome or Edge, or save its files one by one.`,
  }),
  tooMany: (limit: number) => ({
    title: "Too many files for one archive",
    advice: `An archive holds up to ${formatCount(limit, file)}. Download its subfolders one by one.`,
  }),
  wrongSize: {
    title: "A file isn’t as large as its folder says",
    advice: "No archive was saved. Open the files one by one.",
  },
  tooDeep: {
    title: "The folder is nested too deeply",
    advice: "Open one of its subfolders, and download that.",
  },
};
