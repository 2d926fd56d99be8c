/** Texts of asking for access by a link, and of what its recipient sees. */
export const requests = {
  ask: "Ask for access",
  askLead: "Send this link to the owner yourself, for example in a messenger. Nothing is sent for you.",
  note: "Note (optional)",
  noteHint: "For example, who you are. Up to 200 characters.",
  linkHolds: "The link holds the CID, your address and your note, but no key.",
  linkTitle: "Request for access",
  link: "link",
  copyLink: "Copy link",
  send: "Send…",
  title: "Someone asks for access",
  lead: "Nothing is shared until you press Share.",
  who: "Who asks",
  compareKnown: (name: string) =>
    `Anyone can write a link like this, with any address. Ask ${name} another way whether it’s from them.`,
  compareUnknown:
    "Anyone can write a link like this, with any address. Compare the whole address with what the person sent you another way.",
  theirNote: "Note in the link",
  what: "What they ask for",
  isOlder: "The link is for an older version. Sharing it doesn’t share the current one.",
  folderNow:
    "You’d share the folder as it is now, with every file in it. If it has changed since they got their link, send them the new one.",
  networkName:
    "It’s in none of your folders, so this name is only what the network says. See what it is before you share it.",
  openFirst: "Open it",
  hasAccess: (who: string) =>
    `A key node lists ${who} with access already. Send them the link again; if it still doesn’t open for them, share once more.`,
  openPeople: "Show who has access",
  share: "Share…",
  trashed: "It’s in the trash. Restore it before you share it.",
  openTrash: "Open trash",
  isPublic: "It isn’t encrypted: anyone who knows its CID can open it, without asking.",
  notOwnTitle: "Not a file of this account",
  notOwnHint:
    "It belongs to somebody else, or was deleted, so you can’t share it here. If you have another account, sign in with that one and open the link again.",
  ownTitle: "Your request for access",
  ownHint: "The file’s owner has to open this link. Send it to them.",
  showFile: "Show the file",
  damaged: {
    title: "This request can’t be read",
    advice: "The link is damaged. Ask the person who sent it to copy all of it again.",
  },
  connectHeadline: "Someone asks you for access.",
  connectHint: "Connect the wallet that owns the file to see who asks. Nothing is shared until you say so.",
};
