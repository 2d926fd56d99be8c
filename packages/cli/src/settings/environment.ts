import { env } from "node:process";

/** Secrets that the environment may hold. */
const SECRETS = {
  apiKey: "KEEPLIGHT_API_KEY",
  privateKey: "KEEPLIGHT_PRIVATE_KEY",
  password: "KEEPLIGHT_PASSWORD",
  identity: "KEEPLIGHT_IDENTITY",
} as const;

export type EnvironmentSecrets = { readonly [Name in keyof typeof SECRETS]: string | undefined };

/** Takes the secrets out of the environment, so that no child process inherits them. */
export function takeSecrets(): EnvironmentSecrets {
  const taken: Partial<Record<keyof typeof SECRETS, string | undefined>> = {};
  for (const [name, variable] of Object.entries(SECRETS)) {
    taken[name as keyof typeof SECRETS] = env[variable] || undefined;
    delete env[variable];
  }
  return taken as EnvironmentSecrets;
}
