/** How long after a letter the next one continues the same text, in milliseconds. */
const PAUSE_MS = 800;

/** Finds names by the letters that they start with, as they are typed. */
export interface TypeAhead {
  /** Whether the last letter was typed a moment ago. A space is then part of the text. */
  isTyping(now: number): boolean;
  /**
   * Returns the index of the next name that starts with what was typed, from the current one on, and from the first one after
   * the last; -1 if there is none. One letter, also repeated, finds the next name after the current one.
   *
   * @param letter - one character
   * @param now - in milliseconds
   */
  type(letter: string, now: number, names: { count: number; current: number; getName(index: number): string }): number;
}

export function createTypeAhead(): TypeAhead {
  let typed = "";
  let last = Number.NEGATIVE_INFINITY;
  const isTyping = (now: number) => now - last < PAUSE_MS;
  return {
    isTyping,
    type(letter, now, { count, current, getName }) {
      typed = (isTyping(now) ? typed : "") + normalize(letter);
      last = now;
      const [first = ""] = typed;
      const isRepeated = [...typed].every((each) => each === first);
      const looked = isRepeated ? first : typed;
      const start = current + (isRepeated ? 1 : 0);
      for (let step = 0; step < count; step++) {
        const at = (start + step) % count;
        if (normalize(getName(at)).startsWith(looked)) return at;
      }
      return -1;
    },
  };
}

const normalize = (text: string) => text.normalize("NFC").toLowerCase();
