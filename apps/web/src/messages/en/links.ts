/** Texts of links that their maker can end. */
export const links = {
  title: "Share by link",
  lead: "Anyone who has the link can open this file without a wallet, until you end it.",
  endsAfter: "Ends after",
  durations: { day: "1 day", week: "7 days", month: "30 days", never: "No end date" },
  password: "Password (optional)",
  strengths: {
    none: "With a password, the link alone isn’t enough to open the file.",
    short: "Use at least 8 characters.",
    weak: "Easy for a program to guess. Use several words, 16 characters or more.",
    good: "Hard to guess, unless it’s a well-known phrase.",
  },
  create: "Create link",
  created: "Link created. Copy it and send it to the people who should open the file.",
  createdWithPassword:
    "Link created. Send the password another way, for example by phone. It isn’t kept here, so note it down.",
  copyNew: "Copy new link",
  link: (until: string) => `Link · ${until}`,
  linkTo: (name: string) => `link to ${name}`,
  ends: (time: string) => `ends ${time}`,
  noEnd: "no end date",
  over: (time: string) => `expired ${time}, not ended on the key nodes yet`,
  hasPassword: "Password",
  made: "Created",
  end: "End link",
  endOf: (name: string, until: string) => `End link to ${name}, ${until}`,
  endTitle: (name: string) => `End this link to ${name}?`,
  endBody:
    "It won’t open the file for anyone any more. Whoever has opened the file already still knows it, and may have saved it.",
  ended: "Link ended. What was opened stays with those who opened it.",
  noJournal:
    "This browser keeps nothing for this site, for example in a private window, so links that can be ended can’t be created here.",
  noDrive: "Links that can be ended can’t be created now, because your account’s list of them couldn’t be opened.",
  ownTitle: "Links you’ve made",
  ownEmpty: "None yet. Create one on a file’s page, under “People”.",
};
