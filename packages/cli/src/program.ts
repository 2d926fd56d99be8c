import { createRequire } from "node:module";
import type { Command as CommanderCommand, CommanderError } from "commander";
import { EXIT } from "./frame/failure.ts";
import { describeFamily, formatCommandHelp, formatProgramHelp, HELP_FOOTER } from "./generate/help.ts";
import { cleanLines } from "./output/format.ts";
import { packageJson } from "./package-json.ts";
import { allCommands } from "./table/index.ts";
import { type Command, listOptions } from "./table/spec.ts";

// Required, as it is CommonJS: an import would have its names parsed first, which takes as long as loading it.
const commander = createRequire(import.meta.url)("commander") as typeof import("commander");

export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof commander.CommanderError)) throw error;
    process.exitCode = error.exitCode;
    if (error.exitCode !== EXIT.done && args.includes("--json")) await reportUsage(error);
  }
}

/** Hides the value of an option that does not exist: it may be a secret that somebody tried to pass. */
function hideValue(message: string): string {
  const isShort = /unknown option '-[^-]/.test(message);
  return message.replace(isShort ? /(unknown option '-.).+(?=')/su : /(unknown option '--[^=']*=).*(?=')/s, "$1…");
}

const output = { outputError: (text: string, write: (text: string) => void) => write(cleanLines(hideValue(text))) };

/** Reports a mistake in the arguments as an event, too. */
async function reportUsage({ message }: CommanderError): Promise<void> {
  const { createJsonOutput, openLines } = await import("./output/output.ts");
  const shown = hideValue(message).replace(/^error: /, "");
  createJsonOutput("", openLines()).fail({ code: "USAGE", message: shown, details: {}, exitCode: EXIT.failed });
}

function createProgram(): CommanderCommand {
  const program = new commander.Command("keeplight")
    .description(packageJson.description)
    .version(packageJson.version, "-V, --version")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText("after", HELP_FOOTER)
    .configureOutput(output)
    .exitOverride();
  for (const command of allCommands) addCommand(program, command);
  return program.configureHelp({ formatHelp: (_, { helpWidth }) => formatProgramHelp(helpWidth) });
}

function addCommand(program: CommanderCommand, known: Command): void {
  const words = known.name.split(" ");
  const name = words.pop() ?? "";
  let parent = program;
  for (const word of words) {
    const family = parent.commands.find((command) => command.name() === word);
    parent = family ?? parent.command(word).description(describeFamily(word)).exitOverride();
  }
  const command = parent.command(name).summary(known.summary).exitOverride();
  for (const [typed, summary] of Object.entries(known.arguments ?? {})) command.argument(typed, summary);
  for (const { flags, summary, repeats } of listOptions(known)) {
    // Not variadic: that would take the arguments that follow, too.
    if (repeats) command.option(flags, summary, (value: string, previous: string[] = []) => [...previous, value]);
    else command.option(flags, summary);
  }
  command.configureHelp({ formatHelp: (_, { helpWidth }) => formatCommandHelp(known, helpWidth) });
  command.action(async () => {
    const values = command.processedArgs.map((value, at) => [command.registeredArguments[at]?.name(), value]);
    const { runCommand } = await import("./frame/run-command.ts");
    await runCommand(known, { arguments: Object.fromEntries(values), options: command.opts() });
  });
}
