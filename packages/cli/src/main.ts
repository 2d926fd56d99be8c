#!/usr/bin/env node
// Importing these from node:process would create standard input and load the network, too.
const { argv } = process;
const args = argv.slice(2);

if (!(await printHelp())) {
  tolerateClosedReader(process.stdout);
  tolerateClosedReader(process.stderr);
  await runOther();
}

/** Prints help, or the version, without what parses arguments; returns whether they were requested. */
async function printHelp(): Promise<boolean> {
  const [first = ""] = args;
  const isVersion = args.length === 1 && (first === "--version" || first === "-V");
  const isHelp = first === "help" || ["--help", "-h"].includes(args.at(-1) ?? "");
  if (!isVersion && !isHelp) return false;
  const { stdout } = process;
  tolerateClosedReader(stdout);
  if (isVersion) {
    const { packageJson } = await import("./package-json.ts");
    stdout.write(`${packageJson.version}\n`);
    return true;
  }
  const { findHelp } = await import("./generate/help.ts");
  const words = first === "help" ? args.slice(1) : args.slice(0, -1);
  const text = findHelp(words, stdout.isTTY ? stdout.columns : undefined);
  if (text === undefined) return false;
  stdout.write(text);
  return true;
}

async function runOther(): Promise<void> {
  if (args[0] === "complete" && args[1] === "--") {
    const { formatSuggestions, suggest } = await import("./generate/suggest.ts");
    process.stdout.write(`${formatSuggestions(suggest(args.slice(2)))}\n`);
  } else if (args[0] === "manual" && args[1] === "schema") {
    const { createEventsSchema } = await import("./generate/events-schema.ts");
    process.stdout.write(`${JSON.stringify(createEventsSchema(), null, 2)}\n`);
  } else if (args[0] === "manual" && (args[1] === "man" || args[1] === "markdown")) {
    // For the build of the package.
    const { createManual } = await import("./generate/manual.ts");
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
