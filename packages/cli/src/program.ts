import { createRequire } from "node:module";
import type { Command, CommanderError, Option } from "commander";
import { EXIT } from "./frame/failure.ts";
import { describeFamily, formatArgument, formatCommandHelp, formatProgramHelp, HELP_FOOTER } from "./generate/help.ts";
import { cleanLines } from "./output/format.ts";
import { packageJson } from "./package-json.ts";
import { groups } from "./table/index.ts";
import { type CommandSpec, listOptions, type OptionSpec } from "./table/spec.ts";

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

type Values = string | string[] | undefined;

function createProgram(): Command {
  const program = new commander.Command("keeplight")
    .description(packageJson.description)
    .version(packageJson.version, "-V, --version")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText("after", HELP_FOOTER)
    .configureOutput(output)
    .exitOverride();
  for (const { commands } of groups) {
    for (const spec of commands) addCommand(program, spec);
  }
  program.configureHelp({ formatHelp: (_, { helpWidth }) => formatProgramHelp(helpWidth) });
  return program;
}

function addCommand(program: Command, spec: CommandSpec): void {
  const words = spec.name.split(" ");
  const name = words.pop() ?? "";
  let parent = program;
  for (const word of words) {
    const known = parent.commands.find((command) => command.name() === word);
    parent = known ?? parent.command(word).description(describeFamily(word)).exitOverride();
  }
  const command = parent.command(name).summary(spec.summary).exitOverride();
  for (const argument of spec.arguments ?? []) {
    command.addArgument(new commander.Argument(formatArgument(argument), argument.summary));
  }
  for (const option of listOptions(spec)) command.addOption(toOption(option));
  command.configureHelp({ formatHelp: (_, { helpWidth }) => formatCommandHelp(spec, helpWidth) });
  command.action(async (...given: unknown[]) => {
    const values = (spec.arguments ?? []).map((argument, at) => [argument.name, given[at] as Values] as const);
    const { runCommand } = await import("./frame/run-command.ts");
    await runCommand(spec, { arguments: Object.fromEntries(values), options: command.opts() });
  });
}

function toOption({ flags, summary, repeats }: OptionSpec): Option {
  const option = new commander.Option(flags, summary);
  // Not variadic: that would take the arguments that follow, too.
  return repeats ? option.argParser((value: string, previous: string[] = []) => [...previous, value]) : option;
}
