import { normalizeAddress } from "./accounts.ts";
import type { Attack, AttackOf, HostileService, RecordClaims } from "./attack.ts";
import {
  type Checks,
  checkKeys,
  createActiveList,
  isListOf,
  isNode,
  isRecordOf,
  isString,
  isWhole,
  kindOf,
  oneOf,
  optional,
  required,
} from "./check-options.ts";
import { toContentKey } from "./content/store.ts";

/** What a service is about to do, for which attacks are looked up. */
export interface Occasion {
  cid?: string;
  /** Key node 1 to 5. */
  node?: number;
  /** Index of a gateway. */
  gateway?: number;
  service?: HostileService;
}

export type AttackBook = ReturnType<typeof createAttackBook>;

export function createAttackBook(initial: readonly Attack[]) {
  const track = (attack: Attack) => ({ attack, firstResponses: new Map<string, unknown>() });
  const { listTracked, ...list } = createActiveList(initial, track, checkAttack, "attack");

  function findTracked(kind: Attack["kind"], occasion: Occasion) {
    return listTracked().findLast(({ attack }) => attack.kind === kind && hits(attack, occasion));
  }

  return {
    ...list,
    /** Returns the latest attack of this kind on the file and node. */
    find: <Kind extends Attack["kind"]>(kind: Kind, occasion: Occasion = {}) =>
      findTracked(kind, occasion)?.attack as AttackOf<Kind> | undefined,
    /** Returns what `respond` does or, if the service replays, what it did first for the same request. */
    async replay<Body>(occasion: Occasion, request: string, respond: () => Body | Promise<Body>): Promise<Body> {
      const { firstResponses } = findTracked("replay", occasion) ?? {};
      if (!firstResponses) return respond();
      if (!firstResponses.has(request)) firstResponses.set(request, await respond());
      return firstResponses.get(request) as Body;
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

const isAddress = (value: unknown) => normalizeAddress(value) !== undefined;
const cid = optional((value) => isString(value) && value !== "", "a content id");
const isNodeList = isListOf(isNode, 1);
const NODES = "a list of nodes from 1 to 5";
const nodes = required(isNodeList, NODES);
const gateways = optional(isListOf(isWhole(0), 1), "a list of gateways from 0");
const addresses = isListOf(isAddress);
const fn = required((value) => typeof value === "function", "a function");
const service = oneOf(["api", "keyNodes"] satisfies HostileService[]);
const claimNames: Record<keyof RecordClaims, true> = {
  cid: true,
  fileName: true,
  mimeType: true,
  fileSizeInBytes: true,
  encryption: true,
};

/** Throws `INVALID_OPTION` for an attack that would have no effect, or another one than intended. */
export const checkAttack = kindOf({
  "return-shards": { cid, shards: checkShards },
  admit: { cid, nodes, addresses: required(addresses, "a list of addresses") },
  "ignore-changes": { cid, nodes },
  seize: { cid, nodes, owner: required(isAddress, "an address") },
  "misreport-access": {
    cid,
    owner: optional(isAddress, "an address"),
    sharedTo: optional(addresses, "a list of addresses"),
  },
  replay: { cid, service, nodes: optional(isNodeList, NODES) },
  "relay-message": { service, onSignature: fn },
  "keep-tokens": { nodes, onToken: fn },
  "tamper-content": { cid, gateways, change: fn },
  "refuse-blocks": { cid, gateways },
  "tamper-blocks": { cid, gateways, change: fn },
  "tamper-record": {
    cid,
    claims: (path, claims) => claims === null || checkKeys(path, claims, Object.keys(claimNames)),
  },
  "misreport-upload": { change: fn },
} satisfies { [Kind in Attack["kind"]]: Checks<Omit<AttackOf<Kind>, "kind">> });

function checkShards(path: string, shards: unknown): void {
  required(isRecordOf(isRecordOf(isString)), "an object of shards by node")(path, shards);
  checkKeys(path, shards, ["1", "2", "3", "4", "5"]);
}
