/** Roles of what a visitor uses. */
export type Role = "button" | "dialog" | "heading" | "img" | "link";

/** A file that a visitor picks: its path within the picked folder, or its name. */
export interface PickedBytes {
  path: string;
  type: string;
  bytes: Uint8Array;
  /** How often its bytes repeat; once by default. */
  times?: number;
}

/** A person who uses the app, in a browser of any engine. Every call waits for what it uses. */
export interface Visitor {
  /** Loads a page, also if only the fragment of the URL differs. */
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Signs in with the devnet's first account: by an injected wallet, where the engine's driver can inject one. */
  connectFirstAccount(): Promise<void>;
  click(role: Role, name: string | RegExp): Promise<void>;
  /** Opens a screen of the app, or a tab of a file. */
  goTo(place: "Screens" | "About this file", name: string): Promise<void>;
  /** Types text into a field, key by key, in place of what it has; then Enter if `enter`. */
  type(label: string, text: string, enter?: "enter"): Promise<void>;
  /** Waits for text on the screen. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits for something on the screen. */
  finds(role: Role, name: string | RegExp): Promise<void>;
  /** Waits until something is not on the screen. */
  loses(role: Role, name: string | RegExp): Promise<void>;
  /** Picks files by one of the app's buttons, as the browser's dialog returns them. */
  choose(button: "Add files" | "Add folder", files: readonly PickedBytes[]): Promise<void>;
  /** Clicks a button that copies, and returns what was copied. */
  copy(button: string | RegExp): Promise<string>;
  /** Runs a function in the page. It may use its argument only. */
  run<Result, Argument>(work: (argument: Argument) => Result | Promise<Result>, argument: Argument): Promise<Result>;
  /** Returns the errors of the page and its console so far. */
  listComplaints(): Promise<readonly string[]>;
}

/** A file on its way to the page, where {@link setPicked} makes it. */
type FileForPage = Omit<PickedBytes, "bytes"> & { base64: string };

/** Encodes files for {@link setPicked}. */
export const toFilesForPage = (files: readonly PickedBytes[]): FileForPage[] =>
  files.map(({ bytes, ...rest }) => ({ ...rest, base64: Buffer.from(bytes).toString("base64") }));

/**
 * Runs in the page: gives an `<input>` files, as after a choice in the browser's dialog. By no driver's command, as none
 * can choose a folder in all engines.
 */
export function setPicked(input: Node, files: readonly FileForPage[]): void {
  const picked = files.map(({ path, type, base64, times = 1 }) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const file = new File(Array(times).fill(bytes), path.split("/").at(-1) ?? "", { type });
    if (path.includes("/")) Object.defineProperty(file, "webkitRelativePath", { value: path });
    return file;
  });
  Object.defineProperty(input, "files", { configurable: true, value: picked });
  input.dispatchEvent(new Event("change", { bubbles: true }));
  Reflect.deleteProperty(input, "files");
}
