/** A field of the configuration that does not hold what it should. */
export interface ConfigProblem {
  /** Its path: `networks.devnet.tokens.usdc.decimals`. */
  field: string;
  /** What it should hold, with its article. */
  expected: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown, field: string) => ConfigProblem | undefined;

/**
 * Finds the first field that does not hold what it should. Values are never repeated: URLs may contain API keys.
 *
 * @param config - fields of the configuration file
 */
export function findConfigProblem(config: Fields): ConfigProblem | undefined {
  return checkFields(config, "", {
    keystore: optional(matches("a path", isText)),
    pauseMs: optional(matches("a number of milliseconds from 0 on", isFrom(0))),
    networks: optional(each("an object of networks by name", network)),
    rpc: optional(each("an object of http or https URLs by the name of the chain", url)),
  });
}

const network: Check = (row, field) =>
  isRecord(row)
    ? checkFields(row, field, {
        symbol: matches("the symbol of the chain's coin", isText),
        decimals,
        rpc: url,
        moreRpcs: optional(urls),
        scan: matches("a string, which may be empty", (value) => typeof value === "string"),
        chain_id: matches("a whole number from 1 on", isWhole(1)),
        confirmations: optional(matches("a whole number from 1 on", isWhole(1))),
        contract: address,
        tokens,
        opStack: optional(matches("true or false", (value) => typeof value === "boolean")),
      })
    : { field, expected: "an object, such as a row of keeplight's `networks`" };

const tokens: Check = (value, field) =>
  isRecord(value)
    ? checkFields(value, field, { usdc: optional(token), usdt: optional(token), dai: optional(token) })
    : { field, expected: "an object of usdc, usdt and dai, each of which may be left out" };

const token: Check = (value, field) =>
  isRecord(value)
    ? checkFields(value, field, { address, decimals })
    : { field, expected: "an object with address and decimals" };

const urls: Check = (value, field) =>
  Array.isArray(value)
    ? firstOf(value.map((one, at) => url(one, `${field}.${at}`)))
    : { field, expected: "a list of http or https URLs" };

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isFrom = (minimum: number) => (value: unknown) => typeof value === "number" && value >= minimum;
const isWhole =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
const isAddress = (value: unknown): boolean => typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
const isUrl = (value: unknown): boolean =>
  typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value);

const url = matches("an http or https URL", isUrl);
const address = matches("an EVM address", isAddress);
const decimals = matches("a whole number from 0 to 77", isWhole(0, 77));

function matches(expected: string, isValid: (value: unknown) => boolean): Check {
  return (value, field) => (isValid(value) ? undefined : { field, expected });
}

function optional(check: Check): Check {
  return (value, field) => (value === undefined ? undefined : check(value, field));
}

function each(expected: string, check: Check): Check {
  return (value, field) =>
    isRecord(value)
      ? firstOf(Object.entries(value).map(([name, one]) => check(one, `${field}.${name}`)))
      : { field, expected };
}

function checkFields(values: Fields, parent: string, checks: Readonly<Record<string, Check>>) {
  const prefix = parent === "" ? "" : `${parent}.`;
  return firstOf(Object.entries(checks).map(([name, check]) => check(values[name], `${prefix}${name}`)));
}

function firstOf(problems: readonly (ConfigProblem | undefined)[]): ConfigProblem | undefined {
  return problems.find((problem) => problem !== undefined);
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
