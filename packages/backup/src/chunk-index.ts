import type { PackDirectory, PackedChunk } from "./pack-format.ts";

/** Where a chunk is. */
export interface ChunkPlace extends Omit<PackedChunk, "id"> {
  /** Content id of the pack. */
  pack: string;
}

const NUMBERS = 5;
const FIRST_ROWS = 1_024;

/** Where all chunks of a repository are: some hundred bytes of memory for each. */
export class ChunkIndex {
  readonly #rows = new Map<string, number>();
  readonly #packs: string[] = [];
  #numbers = new Float64Array(FIRST_ROWS * NUMBERS);

  /** Adds the chunks of a pack, unless other packs have them. */
  add(pack: string, { chunks }: PackDirectory): void {
    const at = this.#packs.push(pack) - 1;
    for (const { id, number, at: position, sealed, size } of chunks) {
      if (this.#rows.has(id)) continue;
      const row = this.#rows.size;
      if ((row + 1) * NUMBERS > this.#numbers.length) this.#grow();
      this.#numbers.set([at, number, position, sealed, size], row * NUMBERS);
      this.#rows.set(id, row);
    }
  }

  /** How many chunks there are. */
  get size(): number {
    return this.#rows.size;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  find(id: string): ChunkPlace | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const numbers = this.#numbers.subarray(row * NUMBERS, (row + 1) * NUMBERS);
    const [pack = 0, number = 0, at = 0, sealed = 0, size = 0] = numbers;
    return { pack: this.#packs[pack] ?? "", number, at, sealed, size };
  }

  #grow(): void {
    const numbers = new Float64Array(this.#numbers.length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
