import { normalizeAddress } from "../auth/addresses.ts";
import { checkKeys, checkOneOf, checkOptional, isRecordOf, isWhole } from "../check-options.ts";
import type { Attack, HostileService, RecordClaims } from "./attack.ts";

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
