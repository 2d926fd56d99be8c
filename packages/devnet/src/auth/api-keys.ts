import { randomBytes } from "node:crypto";

/** API keys and their owners. */
export interface ApiKeys {
  create(address: string): string;
  owner(key: string): string | undefined;
}

/** Creates an empty set of API keys. */
export function createApiKeys(): ApiKeys {
  const owners = new Map<string, string>();
  return {
    create(address) {
      const key = `${randomBytes(4).toString("hex")}.${randomBytes(16).toString("hex")}`;
      owners.set(key, address);
      return key;
    },
    owner: (key) => owners.get(key),
  };
}
