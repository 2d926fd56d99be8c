import { KeeplightError } from "./base.ts";

export function invalidCid(): KeeplightError {
  return new KeeplightError("INVALID_CID", "Invalid CID");
}

export function invalidAddress(): KeeplightError {
  return new KeeplightError("INVALID_ADDRESS", "Invalid public Key");
}

export function invalidOption(option: string, expected: string): KeeplightError {
  return new KeeplightError("INVALID_OPTION", `Invalid option ${option}: expected ${expected}`, {
    details: { option },
  });
}

export function invalidSource(problem: string, details: Record<string, unknown> = {}): KeeplightError {
  return new KeeplightError("INVALID_SOURCE", `Invalid source: ${problem}`, { details });
}

/** @param first - the earlier name, which the upload node reads as identical */
export function duplicateName(name: string, first: string): KeeplightError {
  return new KeeplightError("DUPLICATE_NAME", `Duplicate file name found: ${name}`, { details: { name, first } });
}

export function missingApiKey(): KeeplightError {
  return new KeeplightError("MISSING_API_KEY", "No API key: pass { apiKey }, or bind one with createKit({ apiKey })");
}

/** @param proof - what the call takes, beside an address, in a signer's place */
export function missingOwner(proof: "authToken" | "signedMessage" | "signature" = "authToken"): KeeplightError {
  return new KeeplightError("MISSING_OWNER", `No owner: pass { signer }, or { address, ${proof} }`);
}

export function notAJwt(): KeeplightError {
  return new KeeplightError("NOT_A_JWT", "auth_token must be a JWT");
}

export function fileTooLarge(name: string, size: number, limit: number): KeeplightError {
  return new KeeplightError(
    "FILE_TOO_LARGE",
    `File too large to encrypt: ${name} has ${size} bytes, the limit is ${limit}`,
    {
      details: { name, size, limit },
    },
  );
}

export function unsupported(what: string): KeeplightError {
  return new KeeplightError("UNSUPPORTED", `Not possible in this runtime: ${what}`);
}
