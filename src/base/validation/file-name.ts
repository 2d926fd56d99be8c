import { printable } from "../errors/base.ts";

// What the platforms' file systems make of names. Linux and macOS write every name without a slash, apart from `.` and `..`;
// Windows reads some as devices, streams, drives or paths, and drops dots and spaces at the end.

const MAX_CHARACTERS = 255;

/** Names of devices, which Windows opens regardless of an extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;

/** Separators and wildcards, and the colon, which starts the name of a stream; dots and spaces at the end. */
const NOT_ON_WINDOWS = /[<>:"|?*\\]|[. ]$/;

/** `.` and `..`, and what Windows makes these of. */
const DOTS_ONLY = /^[. ]+$/;

/** Marks that turn the direction of all text up to their end, so that `a\u202egpj.exe` reads `aexe.jpg`. */
const TURNS_TEXT = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether a path, names separated by `/`, leads out of its folder on some platform. */
export function isEscape(path: string): boolean {
  return /^(\\|[a-z]:)/i.test(path) || path.split(/[\\/]/).some((name) => DOTS_ONLY.test(name));
}

/** Whether a path reads as another one. Single left-to-right and right-to-left marks, as honest names have, do not do that. */
export function isDisguised(path: string): boolean {
  return TURNS_TEXT.test(path);
}

/** Whether Windows cannot write a path, names separated by `/`, or writes something else. */
export function isUnportable(path: string): boolean {
  return path.split("/").some((name) => NOT_ON_WINDOWS.test(name) || DEVICE.test(name));
}

/**
 * Whether a stranger may suggest the name for a file that is saved by itself: every platform can write it, it is shown as it
 * is, and it is not hidden, as what `.bashrc` configures would be.
 */
export function isSafeName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.trim() !== "" &&
    name.length <= MAX_CHARACTERS &&
    printable(name) === name &&
    !name.startsWith(".") &&
    !name.includes("/") &&
    !isUnportable(name)
  );
}
