/** Characters that reorder the text around them or cannot be seen: `a\u202egpj.exe` would read `aexe.jpg`. */
const DECEPTIVE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be found
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Replaces what could make a name read as another one. */
export function toSafeName(name: string): string {
  return name.replace(DECEPTIVE, "\ufffd");
}

/** A name from the network: right-to-left letters in it do not move what is around it. */
export function FileName({ children }: { children: string }) {
  return <bdi>{toSafeName(children)}</bdi>;
}
