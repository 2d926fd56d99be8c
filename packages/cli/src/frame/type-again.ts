import { argv } from "node:process";

/** Returns the command line of this process, as a shell takes it. No secret is an argument. */
export function typeAgain(): string {
  return ["keeplight", ...argv.slice(2).map(quote)].join(" ");
}

/** Returns the command that completes an operation, or all of them, with the profile that was named for this run. */
export function resumeCommand(profile: string | undefined, id?: string): string {
  const named = profile === undefined ? [] : ["--profile", profile];
  return ["keeplight", "resume", ...(id === undefined ? [] : [id]), ...named].map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
