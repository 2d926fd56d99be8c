#!/usr/bin/env node
import { argv } from "node:process";

const args = argv.slice(2);
if (args[0] === "complete" && args[1] === "--") {
  const { formatSuggestions, suggest } = await import("./generate/suggest.ts");
  process.stdout.write(`${formatSuggestions(suggest(args.slice(2)))}\n`);
} else if (args[0] === "manual" && (args[1] === "man" || args[1] === "markdown")) {
  // For the build of the package.
  const { createManual } = await import("./generate/manual-pages.ts");
  process.stdout.write(createManual(args[1]));
} else {
  const { runProgram } = await import("./program.ts");
  await runProgram(args);
}
