import { KeeplightError } from "./base.ts";
import { invalidOption } from "./input.ts";
import { printable } from "./printable.ts";

/**
 * A recovery kit was decrypted, and is not one.
 *
 * @param file - name of the file that is part of the kit
 * @param line - its place in the file, from 1
 */
export function invalidKit(file: string, problem: string, line?: number): KeeplightError {
  const where = line === undefined ? file : `${file}, line ${line}`;
  return new KeeplightError("INVALID_KIT", `Not a recovery kit: ${where}: ${problem}`, {
    details: { file: printable(file), ...(line === undefined ? {} : { line }) },
  });
}

/** @param cause - why the entry could not be written */
export function recoveryNotWritten(cause: unknown): KeeplightError {
  const message = "The files and their keys are saved, but not the entry in the recovery kit";
  return new KeeplightError("RECOVERY_NOT_WRITTEN", message, { cause });
}

/** A kit's file that cannot be decrypted: another identity, a wrong passphrase, or damage. */
export function cannotOpenKit(file: string): KeeplightError {
  return new KeeplightError(
    "CANNOT_DECRYPT",
    `Could not open ${file}: wrong identity or passphrase, or it is damaged`,
    {
      details: { file: printable(file) },
    },
  );
}

/** The kit was made before the file was, or without it. */
export function notInKit(cid: string): KeeplightError {
  return new KeeplightError("NOT_IN_KIT", "The recovery kit does not hold the key of this file", { details: { cid } });
}

/** The key is not the one that the commitment was made for, or it belongs to another file. */
export function commitmentMismatch(cid: string): KeeplightError {
  return new KeeplightError("COMMITMENT_MISMATCH", `The key is not the committed key of ${cid}`, { details: { cid } });
}

/** A part of a file does not reveal a wrong key, so it takes another proof. */
export function keyNotProved(cid: string, cause?: unknown): KeeplightError {
  const message = `The key of ${cid} is not proved: pass \`commitment\`, or \`authenticate: true\` to read the whole file once`;
  return new KeeplightError("KEY_NOT_PROVED", message, { details: { cid }, cause });
}

/** @param problem - which part of the link is wrong; the link itself holds a key, and is never shown */
export function invalidLink(problem: string): KeeplightError {
  return new KeeplightError("INVALID_LINK", `Not a share link: ${problem}`);
}

/** Says what is wrong with words or parts without showing them. */
export function invalidRecoveryWords(problem: string): KeeplightError {
  return new KeeplightError("INVALID_KEY", `Not a recovery identity: ${problem}`);
}

/** A malformed identity is not shown: it may differ from the right one in a character. */
export function invalidIdentity(): KeeplightError {
  return invalidOption("identity", "an age identity (AGE-SECRET-KEY-1…)");
}
