/** Converts an amount in whole units to base units; `undefined` if it is no such amount. */
export function toBaseUnits(amount: string, decimals: number): string | undefined {
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  if (whole === "" || fraction.length > decimals) return undefined;
  return String(BigInt(whole + fraction.padEnd(decimals, "0")));
}

/** Converts an amount in base units to whole units: `1500000` with 6 decimals is `1.5`. */
export function toWholeUnits(base: string, decimals: number): string {
  if (!/^\d+$/.test(base)) return base;
  const digits = base.padStart(decimals + 1, "0");
  const at = digits.length - decimals;
  const fraction = digits.slice(at).replace(/0+$/, "");
  const whole = digits.slice(0, at).replace(/^0+(?=\d)/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
