/** The number `digits · 10^shift`. */
export interface Decimal {
  digits: bigint;
  shift: number;
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, shift: a.shift + b.shift };
}

/** Parses a decimal above 0, without loss. */
export function parseDecimal(decimal: string): Decimal {
  const [mantissa = "", exponent = "0"] = decimal.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), shift: Number(exponent) - fraction.length };
}

/** 10^exponent; 1 for a negative exponent. */
export function raiseTen(exponent: number): bigint {
  return 10n ** BigInt(Math.max(exponent, 0));
}

/** Formats a number as a decimal string without trailing zeros. */
export function formatDecimal({ digits, shift }: Decimal): string {
  const places = Math.max(-shift, 0);
  const text = String(digits * raiseTen(shift)).padStart(places + 1, "0");
  const point = text.length - places;
  const fraction = text.slice(point).replace(/0+$/, "");
  return `${text.slice(0, point)}${fraction && `.${fraction}`}`;
}
