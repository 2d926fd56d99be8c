import { checkKeys, checkOneOf, checkOptional, isAtLeast, isRecordOf, isWhole } from "../check-options.ts";
import type { Fault, FaultAction, Service } from "./fault.ts";

const services = Object.keys({
  api: true,
  upload: true,
  gateway: true,
  keyNodes: true,
} satisfies Record<Service, true>);

const faultFields = Object.keys({
  service: true,
  node: true,
  gateway: true,
  method: true,
  path: true,
  after: true,
  times: true,
  action: true,
} satisfies Record<keyof Fault, true>);

type FieldsOf<Kind> = Exclude<keyof Extract<FaultAction, { kind: Kind }>, "kind">;

/** The fields of each kind of action, besides `kind`. */
const actionFields: { [Kind in FaultAction["kind"]]: readonly FieldsOf<Kind>[] } = {
  reset: ["afterBytes"],
  delay: ["ms"],
  hang: [],
  respond: ["status", "json", "text", "headers", "served"],
  cut: ["atByte"],
  "wrong-shard": [],
};

/**
 * Refuses a fault that would have no effect, or another one than intended.
 *
 * @param path of the fault in the options, for the message.
 * @throws DevnetError `INVALID_OPTION` for an unknown field, service or kind, or a value of the wrong type.
 */
export function checkFault(path: string, fault: Fault): void {
  checkKeys(path, fault, faultFields);
  const { service, node, gateway, method, path: pattern, after, times, action } = fault;
  checkOneOf(`${path}.service`, service, services);
  const isKeyNodes = service === "keyNodes";
  checkOptional(`${path}.node`, node, isKeyNodes && isWhole(node, 1, 5), "1 to 5, with the service keyNodes");
  const isGateway = service === "gateway" && isWhole(gateway, 0);
  checkOptional(`${path}.gateway`, gateway, isGateway, "a whole number from 0 up, with the service gateway");
  checkOptional(`${path}.method`, method, typeof method === "string", "a string");
  const matches = typeof pattern === "string" || pattern instanceof RegExp;
  checkOptional(`${path}.path`, pattern, matches, "a string or a regular expression");
  checkOptional(`${path}.after`, after, isWhole(after, 0), "a whole number from 0 up");
  const counted = times === Number.POSITIVE_INFINITY || isWhole(times, 0);
  checkOptional(`${path}.times`, times, counted, "a whole number from 0 up");
  checkAction(`${path}.action`, action);
  checkOptional(
    `${path}.action.kind`,
    action.kind,
    isKeyNodes || action.kind !== "wrong-shard",
    "wrong-shard with keyNodes only",
  );
}

function checkAction(path: string, action: FaultAction): void {
  const kinds = Object.keys(actionFields);
  checkKeys(path, action, ["kind", ...Object.values(actionFields).flat()]);
  checkOneOf(`${path}.kind`, action.kind, kinds);
  checkKeys(path, action, ["kind", ...actionFields[action.kind]]);
  switch (action.kind) {
    case "reset":
      checkOptional(`${path}.afterBytes`, action.afterBytes, isAtLeast(action.afterBytes, 0), BYTES);
      break;
    case "delay":
      checkOptional(`${path}.ms`, action.ms ?? null, isAtLeast(action.ms, 0), "milliseconds, from 0 up");
      break;
    case "cut":
      checkOptional(`${path}.atByte`, action.atByte ?? null, isAtLeast(action.atByte, 0), BYTES);
      break;
    case "respond":
      checkRespond(path, action);
      break;
  }
}

function checkRespond(path: string, { status, text, headers, served }: FaultAction & { kind: "respond" }): void {
  checkOptional(`${path}.status`, status, isWhole(status, 200, 599), "an HTTP status from 200 to 599");
  checkOptional(`${path}.text`, text, typeof text === "string", "a string");
  const strings = isRecordOf(headers, (value) => typeof value === "string");
  checkOptional(`${path}.headers`, headers, strings, "an object of strings");
  checkOptional(`${path}.served`, served, typeof served === "boolean", "true or false");
}

const BYTES = "a number of bytes, from 0 up";
