/**
 * Characters that reorder the text around them, have no width, or are drawn as a space: `a\u202egpj.exe` would read `aexe.jpg`.
 * Joiners and selectors stay, and so do the letters of a flag.
 */
const DECEPTIVE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0]|\u034f|(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6})[\u{e0000}-\u{e007f}]/gu;

/** Replaces what could make a name read as another one. */
export function toSafeName(name: string): string {
  return name.replace(DECEPTIVE, "\ufffd");
}

/** A name from the network: right-to-left letters in it do not move what is around it. */
export function FileName({ children }: { children: string }) {
  return <bdi>{toSafeName(children)}</bdi>;
}
