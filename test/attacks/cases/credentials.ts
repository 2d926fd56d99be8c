import type { AttackRow } from "../attack-case.ts";

const relayed = "nothing is signed: a signature of one service's message signs in to that service only";

/** Attacks on the credentials of an account, each with a test of its own in `credentials.test.ts`. */
export const credentialRows: readonly AttackRow[] = [
  {
    name: "the key nodes' message from a hostile API host, to create an API key",
    outcome: relayed,
    noticed: "create API key: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the key nodes' message from a hostile API host, to create a one-time token",
    outcome: relayed,
    noticed: "create one-time token: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the key nodes' message from a hostile API host, to sign elsewhere",
    outcome: "the message is not returned",
    noticed: "get auth message: `UNEXPECTED_MESSAGE`; get one-time message: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the key nodes' message from a hostile API host, to log in on the command line",
    outcome: relayed,
    noticed: "keeplight login: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the API host's message from hostile key nodes, in every call of an account",
    outcome: relayed,
    noticed: "every call: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the API host's message from hostile key nodes, to sign elsewhere",
    outcome: "the message is not returned",
    noticed: "get auth message of the key nodes: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the API host's message from hostile key nodes, to a command",
    outcome: relayed,
    noticed: "keeplight decrypt: `UNEXPECTED_MESSAGE`; keeplight share: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "one key node that uses the tokens of its requests at the other nodes",
    outcome:
      "it opens every file that its callers may open, and shares those that they own: all five nodes accept one token, and each request carries it; reads query three nodes, or the four that must agree, and more only after a failure",
    limit: "every path",
  },
];

/** The same in the web app, in `web-app.full.ts`. */
export const webAppRows: readonly AttackRow[] = [
  {
    name: "the key nodes' message from a hostile API host, to sign in to the web app",
    outcome: relayed,
    noticed: "web app, sign in: `UNEXPECTED_MESSAGE`",
  },
  {
    name: "the API host's message from hostile key nodes, to sign in to the web app",
    outcome: relayed,
    noticed: "web app, sign in: `UNEXPECTED_MESSAGE`",
  },
];
