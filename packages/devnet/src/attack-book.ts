import { normalizeAddress } from "./accounts.ts";
import type { Attack, AttackOf, HostileService, RecordClaims } from "./attack.ts";
import { checkKeys, checkOneOf, checkOptional, isRecordOf, isWhole } from "./check-options.ts";
import { toContentKey } from "./content/store.ts";

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

type FieldsOf<Kind> = Exclude<keyof Extract<Attack, { kind: Kind }>, "kind">;

/** The fields of each kind of attack, besides `kind`. */
const attackFields: { [Kind in Attack["kind"]]: readonly FieldsOf<Kind>[] } = {
  "return-shards": ["cid", "shards"],
  admit: ["cid", "nodes", "addresses"],
  "ignore-changes": ["cid", "nodes"],
  seize: ["cid", "nodes", "owner"],
  "misreport-access": ["cid", "owner", "sharedTo"],
  replay: ["cid", "service", "nodes"],
  "relay-message": ["service", "onSignature"],
  "keep-tokens": ["nodes", "onToken"],
  "tamper-content": ["cid", "gateways", "change"],
  "refuse-blocks": ["cid", "gateways"],
  "tamper-blocks": ["cid", "gateways", "change"],
  "tamper-record": ["cid", "claims"],
  "misreport-upload": ["change"],
};

const claimNames = Object.keys({
  cid: true,
  fileName: true,
  mimeType: true,
  fileSizeInBytes: true,
  encryption: true,
} satisfies Record<keyof RecordClaims, true>);

const hostileServices: readonly HostileService[] = ["api", "keyNodes"];

/**
 * Refuses an attack that would have no effect, or another one than intended.
 *
 * @param path of the attack in the options, for the message.
 * @throws DevnetError `INVALID_OPTION` for an unknown field or kind, or a value of the wrong type.
 */
export function checkAttack(path: string, attack: Attack): void {
  checkKeys(path, attack, ["kind", ...Object.values(attackFields).flat()]);
  checkOneOf(`${path}.kind`, attack.kind, Object.keys(attackFields));
  const fields: readonly string[] = attackFields[attack.kind];
  checkKeys(path, attack, ["kind", ...fields]);
  if ("cid" in attack) {
    checkOptional(`${path}.cid`, attack.cid, typeof attack.cid === "string" && attack.cid !== "", "a content id");
  }
  if (fields.includes("nodes")) checkNodes(`${path}.nodes`, attack as { kind: string; nodes?: unknown });
  if ("gateways" in attack) checkGateways(`${path}.gateways`, attack.gateways);
  checkOwnFields(path, attack);
}

function checkGateways(path: string, gateways: unknown): void {
  const isList = Array.isArray(gateways) && gateways.length > 0 && gateways.every((gateway) => isWhole(gateway, 0));
  checkOptional(path, gateways, isList, "a list of gateways from 0");
}

function checkNodes(path: string, { kind, nodes }: { kind: string; nodes?: unknown }): void {
  const isList = Array.isArray(nodes) && nodes.length > 0 && nodes.every((node) => isWhole(node, 1, 5));
  checkOptional(path, kind === "replay" ? nodes : (nodes ?? null), isList, "a list of nodes from 1 to 5");
}

function checkOwnFields(path: string, attack: Attack): void {
  switch (attack.kind) {
    case "return-shards":
      checkShards(`${path}.shards`, attack.shards);
      break;
    case "admit":
      checkAddresses(`${path}.addresses`, attack.addresses ?? null);
      break;
    case "seize":
      checkOptional(`${path}.owner`, attack.owner ?? null, isAddress(attack.owner), "an address");
      break;
    case "misreport-access":
      checkOptional(`${path}.owner`, attack.owner, isAddress(attack.owner), "an address");
      checkAddresses(`${path}.sharedTo`, attack.sharedTo);
      break;
    case "replay":
      checkOneOf(`${path}.service`, attack.service, hostileServices);
      break;
    case "relay-message":
      checkOneOf(`${path}.service`, attack.service, hostileServices);
      checkFunction(`${path}.onSignature`, attack.onSignature);
      break;
    case "keep-tokens":
      checkFunction(`${path}.onToken`, attack.onToken);
      break;
    case "tamper-record":
      if (attack.claims !== null) checkKeys(`${path}.claims`, attack.claims, claimNames);
      break;
    case "tamper-content":
    case "tamper-blocks":
    case "misreport-upload":
      checkFunction(`${path}.change`, attack.change);
      break;
  }
}

function checkFunction(path: string, value: unknown): void {
  checkOptional(path, value ?? null, typeof value === "function", "a function");
}

function checkShards(path: string, shards: unknown): void {
  const isShard = (shard: unknown) => isRecordOf(shard, (part) => typeof part === "string");
  checkOptional(path, shards ?? null, isRecordOf(shards, isShard), "an object of shards by node");
  checkKeys(path, shards, ["1", "2", "3", "4", "5"]);
}

function checkAddresses(path: string, addresses: unknown): void {
  checkOptional(path, addresses, Array.isArray(addresses) && addresses.every(isAddress), "a list of addresses");
}

function isAddress(value: unknown): boolean {
  return normalizeAddress(value) !== undefined;
}
