import { toContentKey } from "../content/cids.ts";
import type { Attack, AttackOf, HostileService } from "./attack.ts";
import { checkAttack } from "./check-attack.ts";

/** What a service is about to do, for which attacks are looked up. */
interface Occasion {
  cid?: string;
  /** Key node 1 to 5. */
  node?: number;
  /** Index of a gateway. */
  gateway?: number;
  service?: HostileService;
}

/** The active attacks. */
export interface AttackBook {
  /**
   * Adds an attack and returns a function that removes it.
   *
   * @throws DevnetError `INVALID_OPTION`
   */
  add(attack: Attack): () => void;
  /** Removes all attacks. */
  clear(): void;
  /** Returns the latest attack of this kind on the file and node. */
  find<Kind extends Attack["kind"]>(kind: Kind, occasion?: Occasion): AttackOf<Kind> | undefined;
  /** Returns what `respond` does or, if the service replays, what it did first for the same request. */
  replay<Body>(occasion: Occasion, request: string, respond: () => Body | Promise<Body>): Promise<Body>;
}

/** Creates a book with the attacks `initial`. */
export function createAttackBook(initial: readonly Attack[]): AttackBook {
  let active = [...initial];
  const firstResponses = new WeakMap<Attack, Map<string, unknown>>();

  function find<Kind extends Attack["kind"]>(kind: Kind, occasion: Occasion = {}): AttackOf<Kind> | undefined {
    const isMatch = (attack: Attack): attack is AttackOf<Kind> => attack.kind === kind && hits(attack, occasion);
    return active.findLast(isMatch);
  }

  return {
    add(attack) {
      checkAttack("attack", attack);
      // A copy, so that the same attack can be added twice.
      const entry = { ...attack };
      active.push(entry);
      return () => {
        active = active.filter((other) => other !== entry);
      };
    },
    clear() {
      active = [];
    },
    find,
    async replay(occasion, request, respond) {
      const attack = find("replay", occasion);
      if (!attack) return respond();
      const responses = firstResponses.get(attack) ?? new Map<string, unknown>();
      firstResponses.set(attack, responses);
      if (!responses.has(request)) responses.set(request, await respond());
      return responses.get(request) as Awaited<ReturnType<typeof respond>>;
    },
  };
}

function hits(attack: Attack, { cid, node, gateway, service }: Occasion): boolean {
  if ("cid" in attack && attack.cid !== undefined && (cid === undefined || !isSameContent(attack.cid, cid)))
    return false;
  if ("service" in attack && attack.service !== service) return false;
  if (attack.kind === "return-shards") return node !== undefined && attack.shards[node] !== undefined;
  if ("gateways" in attack && attack.gateways && (gateway === undefined || !attack.gateways.includes(gateway)))
    return false;
  if (!("nodes" in attack) || attack.nodes === undefined) return true;
  return node !== undefined && attack.nodes.includes(node);
}

function isSameContent(one: string, other: string): boolean {
  return (toContentKey(one) ?? one) === (toContentKey(other) ?? other);
}
