const ID_BYTES = 16;

/** Creates a random id: 32 hex digits. */
export function createId(): string {
  return toHexDigits(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}

/** Derives the id that belongs to a name: of SHA-256, as many hex digits as a random one has. */
export async function deriveId(name: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return toHexDigits(new Uint8Array(digest, 0, ID_BYTES));
}

function toHexDigits(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
