/** Texts of files that others have shared, and of share links. */
export const shared = {
  title: "Shared with me",
  lead: "Has someone shared a file with you? Paste its link or CID.",
  listed: "Opened on this device",
  emptyTitle: "Nothing here yet",
  emptyHint: "Files that others share with you appear here once you open their link.",
  note: "This list is encrypted, and kept in this browser only.",
  from: "From",
  isPublic: "Public",
  removed: (name: string) => `Removed ${name} from the list`,
  remove: (name: string) => `Remove ${name} from the list`,
  linkOrCid: "Link or CID",
  noCid: "No CID found. CIDs start with “bafy”, “bafk” or “Qm”.",
  openHint: "Encrypted files open if the owner shared with your address.",
  open: "Open",
  cannotOpen: "Can’t open this link",
  byLink: "Shared with you by a link that holds its key. You need no wallet.",
  key: "Key",
  verified: "Verified",
  keepLink:
    "Keep the link. Anyone who has it can open the file. This browser’s history may keep it, too, with its key.",
  ownFiles: "Go to your own files",
};
