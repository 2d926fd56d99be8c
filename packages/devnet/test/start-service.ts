import { startDevnet } from "../src/index.ts";

// A separate process that runs a devnet until it is killed, or standard input ends, with the options in its first argument;
// prints where it is, or why it was refused.
process.stdin.on("end", () => process.exit()).resume();
try {
  const { endpoints, control, accounts } = await startDevnet(JSON.parse(process.argv[2] ?? "{}"));
  console.log(JSON.stringify({ endpoints, control, accounts }));
} catch (error) {
  const { code, message } = error as Error & { code?: string };
  process.stdout.write(JSON.stringify({ code, message }), () => process.exit(1));
}
