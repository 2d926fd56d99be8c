import type MagicString from "magic-string";

/** Changes of a text that are made together or not at all. Positions are those of the original text. */
export interface Edits {
  remove(start: number, end: number): void;
  replace(start: number, end: number, text: string): void;
  /** Inserts a text that stays with what follows it. */
  before(at: number, text: string): void;
  /** Inserts a text that stays with what precedes it. */
  after(at: number, text: string): void;
  move(start: number, end: number, to: number): void;
  /** Makes the changes. */
  apply(text: MagicString): void;
}

/** Collects changes without making them. */
export function collectEdits(): Edits {
  const changes: ((text: MagicString) => unknown)[] = [];
  return {
    remove: (start, end) => void (end > start && changes.push((text) => text.remove(start, end))),
    replace: (start, end, to) => void changes.push((text) => text.update(start, end, to)),
    before: (at, inserted) => void changes.push((text) => text.prependRight(at, inserted)),
    after: (at, inserted) => void changes.push((text) => text.appendLeft(at, inserted)),
    move: (start, end, to) => void changes.push((text) => text.move(start, end, to)),
    apply: (text) => {
      for (const change of changes) change(text);
    },
  };
}
