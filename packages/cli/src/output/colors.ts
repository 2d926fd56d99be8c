import { env } from "node:process";
import { styleText } from "node:util";

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Colours strings for one stream. */
export type Paint = (style: Style, text: string) => string;

/** Returns what colours strings for a stream: nothing unless it is a terminal, and never with `NO_COLOR` or `TERM=dumb`. */
export function createPaint(stream: NodeJS.WriteStream): Paint {
  const isOn = stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return (style, text) => (isOn ? styleText(style, text) : text);
}
