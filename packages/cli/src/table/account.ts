import { commandsOf, signing } from "./spec.ts";

export const accountCommands = [
  ...commandsOf(() => import("../commands/account.ts"), {
    login: {
      about:
        "Create an API key and keep it. Signs in with the account of KEEPLIGHT_SIGNER_COMMAND, KEEPLIGHT_PRIVATE_KEY or KEEPLIGHT_KEYSTORE, or with a private key that you type. With --profile it is kept beside others, with the private key that signs, unless a command or a keystore does. Secrets are kept in the keyring of the operating system if @napi-rs/keyring is installed, or else sealed by a password.",
      options: {
        "--new": "create a new account, with a keystore that a password opens",
        "--no-keyring": "seal the secrets by a password instead, and remove those of this login from the keyring",
        ...signing,
      },
      writes: "an API key of the account, and the login of this user",
      examples: {
        "keeplight login": "asks for what is missing",
        "pass show eth-key | keeplight login --private-key-stdin": "signs in with a key from a pipe",
      },
      result: {
        address: "of the account",
        "store?": "`keyring` or `sealed`: where the secrets are kept",
        "keystore?": "path of the keystore of a new account: make a copy of it",
      },
    },
    whoami: {
      about: "Show the account, and where its secrets come from.",
      options: signing,
      examples: { "keeplight whoami": "prints the address that signs" },
      result: {
        profile: "that is used",
        address: "that signs, or `null`",
        signer: "`stdin`, `command`, `environment`, `keystore`, `login`, or `null`",
        apiKey: "`environment`, `login`, or `null`",
        endpoints: "base URLs that are used",
      },
    },
    logout: {
      about:
        "Forget the API key. A private key in the keyring is kept, because it opens your files, unless --forget-key is set; so are keystores.",
      options: { "--forget-key": "remove the private key, too", "-y, --yes": "do not ask before that" },
      writes: "the login of this user",
      examples: { "keeplight logout": "removes the API key from this machine" },
      result: {
        address: "of the account, or `null` if nobody was logged in",
        keyForgotten: "whether a private key was removed",
      },
    },
    balance: {
      about: "Show how much the account may store and has stored.",
      examples: { "keeplight balance": "prints both, and what is left" },
      result: {
        dataLimit: "bytes",
        dataUsed: "bytes",
        dataLeft: "bytes",
        "walrusDataLimit?": "bytes in the storage class `walrus`",
        "walrusDataUsed?": "bytes in it",
      },
    },
  }),
  ...commandsOf(() => import("../commands/profiles.ts"), {
    "profile list": {
      about:
        "List the profiles of this user. Each has the login of one account: login with --profile creates one, logout with --profile removes it.",
      examples: { "keeplight profile list": "prints their accounts, and which one is used" },
      item: {
        name: "of the profile",
        address: "of its account",
        store: "`keyring` or `sealed`: where its secrets are kept",
        signs: "whether it keeps what signs",
        current: "whether it is used",
      },
      result: { count: "how many profiles there are" },
    },
    "profile use": {
      about: "Choose the profile of commands that name none.",
      arguments: { "<name>": "of the profile; default is the one of a login without a profile" },
      writes: "which profile this user has chosen",
      examples: { "keeplight profile use work": "makes it the profile of the next commands" },
      result: { name: "of the profile" },
    },
  }),
];
