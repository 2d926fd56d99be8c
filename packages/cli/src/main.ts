#!/usr/bin/env node
// Importing these from node:process would create standard input and load the network, too.
const { argv } = process;
const args = argv.slice(2);

if (args.length === 1 && ["--help", "-h", "help"].includes(args[0] ?? "")) {
  const { formatProgramHelp, HELP_FOOTER } = await import("./generate/program-help.ts");
  const { stdout } = process;
  tolerateClosedReader(stdout);
  stdout.write(`${formatProgramHelp(stdout.isTTY ? stdout.columns : undefined)}${HELP_FOOTER}\n`);
} else {
  tolerateClosedReader(process.stdout);
  tolerateClosedReader(process.stderr);
  await runOther();
}

async function runOther(): Promise<void> {
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
}

/** The reader may end early, as `head` does. On a full disk, for example, what was printed is not complete. */
function tolerateClosedReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = 1;
  });
}

export {};
