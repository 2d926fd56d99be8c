import type { AttackRow } from "../attack-case.ts";

/** Attacks on the list of a drive, with a test of their own, in `drive.test.ts`, as rows of THREAT-MODEL.md. */
export const driveRows: readonly AttackRow[] = [
  {
    name: "an old version of a drive's list under its name",
    outcome: "the listing is read as well: the newest version is found, and the name leads to it again",
  },
  {
    name: "an old version of a drive's list under its name, and the newest hidden from the listing",
    outcome: "a device that has seen it keeps it, and stores it once more, from 15 minutes on after it was stored",
    noticed: "drive: reported",
    limit: "drive of a new device, which starts from an older version",
  },
  {
    name: "all versions of a drive's list hidden from the listing",
    outcome: "a device that has seen it stores it once more; a new device lists the files, without their names",
    noticed: "drive: reported",
    limit: "drive of a new device",
  },
  {
    name: "a file that poses as a version of a drive's list",
    outcome: "it is not sealed by the drive's key: nothing of it is read",
    noticed: "drive: reported",
  },
  {
    name: "a version of a stranger's drive in the account's listing",
    outcome: "it is not sealed by the drive's key: nothing of it is read",
    noticed: "drive: reported",
  },
  {
    name: "a version of another drive of the same account under this drive's name",
    outcome: "each version is bound to its drive: it is read as one of the other drive, or not at all",
    noticed: "drive: reported",
  },
  {
    name: "flipped bits in a version of a drive's list",
    outcome: "its content id is verified before it is opened: the device stays with what it has seen",
    noticed: "drive: reported",
  },
  {
    name: "a drive's key that a stranger made and shared with the account",
    outcome: "only a key that the account owns, by the key nodes, is used",
    noticed: "drive: reported",
  },
  {
    name: "the key nodes name another owner of a drive's key",
    outcome: "a device that knows the drive goes on; a new device starts another drive, and both are merged later",
    noticed: "drive: reported",
    limit: "drive of a new device",
  },
  {
    name: "a random name of the listing that leads to another file",
    outcome: "only a content id that was computed when the file was sent gets its name",
  },
  {
    name: "flipped bits in the version that a drive's newest list builds on",
    outcome:
      "it is verified: a device that has seen it goes on, a new one shows the list before it, and nothing of a part",
    noticed: "drive: reported",
  },
  {
    name: "a message about shared files that names another account as its sender",
    outcome: "its signature is checked: nothing of it is kept",
    noticed: "drive: `INVALID_MESSAGE`",
  },
  {
    name: "a link with another key for a file that was received",
    outcome: "it is listed apart, without a sender; what was received before opens as before",
  },
  {
    name: "a link that can be ended whose name or end was changed",
    outcome: "its check is of all that it says: nothing of it is used",
    noticed: "openLink: `INVALID_LINK`",
    limit: "who has the secret of a link can make another one for its file",
  },
  {
    name: "a link that was ended, has ended, or needs a password, in 100 attempts of a former recipient and a stranger",
    outcome: "the key nodes refuse the link's account; a password is guessed on the attacker's own machine only",
    noticed: "decrypt: `NODE_REFUSED`",
  },
];
