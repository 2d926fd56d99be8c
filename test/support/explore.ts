/** A step from one state to the next. */
export interface Transition<State> {
  name: string;
  state: State;
}

/** What {@link explore} found. */
export interface Exploration<State> {
  /** How many different states were reached. */
  states: number;
  /** What is wrong, and the names of the steps that lead to it: one of the shortest ways. */
  counterexample: { wrong: string; steps: string[] } | undefined;
  /** Some of the states, and the steps that lead to each, chosen by their keys. */
  samples: { state: State; steps: string[] }[];
}

export interface Question<State> {
  start: State;
  /** How many steps at most. */
  depth: number;
  listTransitions: (state: State) => Transition<State>[];
  /** The same for states that have the same future. */
  toKey: (state: State) => string;
  /** Names what must not be. */
  findWrong: (state: State) => string | undefined;
  /** One of so many states is a sample. Default none */
  sampleEvery?: number;
  /** The exploration ends after so many states. Default never */
  maxStates?: number;
  isGoal?: (state: State) => boolean;
}

interface Visit<State> {
  state: State;
  name: string;
  before: Visit<State> | undefined;
}

/** Visits every state that is reachable in up to `depth` steps, breadth first, each once. */
export function explore<State>(question: Question<State>): Exploration<State> {
  const { start, depth, listTransitions, toKey, findWrong, sampleEvery = Number.POSITIVE_INFINITY } = question;
  const seen = new Set([hash(toKey(start))]);
  const samples: Visit<State>[] = [];
  let level: Visit<State>[] = [{ state: start, name: "start", before: undefined }];
  const end = (wrong?: Visit<State> & { wrong: string }): Exploration<State> => ({
    states: seen.size,
    counterexample: wrong && { wrong: wrong.wrong, steps: trace(wrong) },
    samples: samples.map((visit) => ({ state: visit.state, steps: trace(visit) })),
  });
  for (let step = 0; step < depth && level.length > 0; step++) {
    const next: Visit<State>[] = [];
    for (const before of level) {
      for (const { name, state } of listTransitions(before.state)) {
        const key = hash(toKey(state));
        if (seen.has(key)) continue;
        seen.add(key);
        const visit = { state, name, before };
        const wrong = findWrong(state);
        if (wrong !== undefined) return end({ ...visit, wrong });
        if (key % sampleEvery === 0) samples.push(visit);
        if (question.isGoal?.(state)) return end({ ...visit, wrong: "" });
        if (seen.size >= (question.maxStates ?? Number.POSITIVE_INFINITY)) return end();
        next.push(visit);
      }
    }
    level = next;
  }
  return end();
}

function trace<State>(visit: Visit<State>): string[] {
  const steps: string[] = [];
  for (let at: Visit<State> | undefined = visit; at?.before; at = at.before) steps.unshift(at.name);
  return steps;
}

/** 53 bits: two of ten million keys have the same with a probability of less than 1 %. */
function hash(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
