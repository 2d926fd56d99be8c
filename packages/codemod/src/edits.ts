import type MagicString from "magic-string";

/** Changes of a text that are made together or not at all. Positions are those of the original text. */
export class Edits {
  readonly #changes: ((text: MagicString) => unknown)[] = [];

  remove(start: number, end: number): void {
    if (end > start) this.#changes.push((text) => text.remove(start, end));
  }

  replace(start: number, end: number, by: string): void {
    this.#changes.push((text) => text.update(start, end, by));
  }

  /** Inserts a text that stays with what follows it. */
  before(at: number, inserted: string): void {
    this.#changes.push((text) => text.prependRight(at, inserted));
  }

  /** Inserts a text that stays with what precedes it. */
  after(at: number, inserted: string): void {
    this.#changes.push((text) => text.appendLeft(at, inserted));
  }

  move(start: number, end: number, to: number): void {
    this.#changes.push((text) => text.move(start, end, to));
  }

  apply(text: MagicString): void {
    for (const change of this.#changes) change(text);
  }
}
