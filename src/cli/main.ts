#!/usr/bin/env node
import { argv, stderr, stdout } from "node:process";

const args = argv.slice(2);
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The reader may end early, as `head` does. On a full disk, for example, what was printed is not complete.
    if (error.code !== "EPIPE") process.exitCode = 1;
  });
}
if (args[0] === "complete" && args[1] === "--") {
  const { formatSuggestions, suggest } = await import("./generate/suggest.ts");
  stdout.write(`${formatSuggestions(suggest(args.slice(2)))}\n`);
} else if (args[0] === "manual" && (args[1] === "man" || args[1] === "markdown")) {
  // For the build of the package.
  const { createManual } = await import("./generate/manual-pages.ts");
  stdout.write(createManual(args[1]));
} else {
  const { runProgram } = await import("./program.ts");
  await runProgram(args);
}
