import { argv } from "node:process";

/** Returns the command line of this process, as a shell takes it. No secret is an argument. */
export function typeAgain(): string {
  return ["keeplight", ...argv.slice(2).map(quote)].join(" ");
}

function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
