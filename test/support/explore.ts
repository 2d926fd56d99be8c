/** A step from one state to the next. */
export interface Transition<State> {
  name: string;
  state: State;
}

/** What {@link explore} found. */
export interface Exploration {
  /** How many different states were reached. */
  states: number;
  /** The names of the steps to the first state that must not be, one of the shortest ways. */
  counterexample: string[] | undefined;
}

/**
 * Visits every state that is reachable in up to `depth` steps, breadth first, each once.
 *
 * @param toKey - the same for states that have the same future
 */
export function explore<State>(
  start: State,
  depth: number,
  listTransitions: (state: State) => Transition<State>[],
  toKey: (state: State) => string,
  isWrong: (state: State) => boolean,
): Exploration {
  interface Visit {
    state: State;
    name: string;
    before: Visit | undefined;
  }
  const trace = (visit: Visit): string[] => [...(visit.before ? trace(visit.before) : []), visit.name];
  const seen = new Set([toKey(start)]);
  let level: Visit[] = [{ state: start, name: "start", before: undefined }];
  for (let step = 0; step < depth && level.length > 0; step++) {
    const next: Visit[] = [];
    for (const before of level) {
      for (const { name, state } of listTransitions(before.state)) {
        const key = toKey(state);
        if (seen.has(key)) continue;
        seen.add(key);
        const visit = { state, name, before };
        if (isWrong(state)) return { states: seen.size, counterexample: trace(visit) };
        next.push(visit);
      }
    }
    level = next;
  }
  return { states: seen.size, counterexample: undefined };
}
