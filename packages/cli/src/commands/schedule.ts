import { createHash } from "node:crypto";
import { basename, resolve } from "node:path";
import { argv, execPath } from "node:process";
import { UsageError } from "../frame/failure.ts";
import type { Invocation } from "../frame/invocation.ts";
import { getEndpoint, getRegion, isBucket, toRoot } from "../steps/bucket.ts";

/** How often: by systemd's calendar, and by cron, at a minute of each user's own. */
const PERIODS = {
  hour: { calendar: "hourly", cron: (minute: number) => `${minute} * * * *` },
  day: { calendar: "daily", cron: (minute: number) => `${minute} 3 * * *` },
  week: { calendar: "weekly", cron: (minute: number) => `${minute} 3 * * 1` },
};

/** Prints what runs a backup regularly; installs nothing. */
export async function schedule(invocation: Invocation): Promise<void> {
  const { argument, option, options, output, account } = invocation;
  const every = option("every") ?? "day";
  const period = Object.entries(PERIODS).find(([name]) => name === every)?.[1];
  if (!period) throw new UsageError(`--every takes ${Object.keys(PERIODS).join(", ")}`);
  const folder = toRoot(argument("folder"));
  const { profile } = account;
  const repeated = ["include", "exclude", "tag"].flatMap((name) =>
    options(name).flatMap((value) => [`--${name}`, value]),
  );
  // Another profile may be chosen later.
  const isLoggedIn = account.secrets.apiKey === undefined && (await account.login()) !== undefined;
  const own = isLoggedIn ? ["--profile", profile.name] : [];
  for (const [flag, value] of [
    ["--storage", option("storage")],
    ["--s3-endpoint", isBucket(folder) ? getEndpoint(invocation) : option("s3Endpoint")],
    ["--region", isBucket(folder) ? getRegion(invocation) : option("region")],
  ] as const)
    if (value !== undefined) repeated.push(flag, value);
  const command = [execPath, resolve(argv[1] ?? ""), "backup", folder, ...repeated, ...own, "--quiet"];
  if (command.some((word) => /\p{Cc}/u.test(word)))
    throw new UsageError("No schedule can have a line break, or another control character, in a name");
  if (command.some((word) => /\\%/.test(word))) throw new UsageError("No crontab can have \\% in a name");
  const id = createHash("sha256").update(command.join("\0")).digest("hex").slice(0, 8);
  const unit = `keeplight-${basename(folder).replace(/[^\w.-]+/g, "_")}-${id}`;
  const service = `[Unit]
Description=Backup by keeplight (${unit})
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=${command.map(toSystemd).join(" ")}
`;
  const timer = `[Unit]
Description=Backup by keeplight, every ${every} (${unit})

[Timer]
OnCalendar=${period.calendar}
RandomizedDelaySec=30min
Persistent=true

[Install]
WantedBy=timers.target
`;
  const cron = `${period.cron(toMinute(folder))} ${command.map(toCron).join(" ")}`;
  const text = `# ~/.config/systemd/user/${unit}.service
${service}
# ~/.config/systemd/user/${unit}.timer
${timer}
# systemctl --user enable --now ${unit}.timer

# Or, without systemd, a line for crontab -e:
${cron}`;
  output.result({ unit, service, timer, cron }, text, cron, "verbatim");
  if (/[\\/]_npx[\\/]/.test(command[1] ?? ""))
    output.warn("npx may remove this program: install it with npm i -g @keeplight/cli, and print the schedule again");
  if (isBucket(folder)) output.note("It reads the bucket with the credentials of this user's AWS configuration.");
  output.note("It runs without a person: the login has to open without a password, such as by the keyring.");
}

/** Quotes a word of `ExecStart` (systemd.service(5)): specifiers and variables are text. */
function toSystemd(word: string): string {
  return `"${word.replace(/["\\]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
}

/** Quotes a word for the shell, and what crontab(5) would end the command at. */
function toCron(word: string): string {
  const quoted = /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return quoted.replaceAll("%", "\\%");
}

/** A minute that differs between folders, so that not all machines of the world back up at once. */
function toMinute(folder: string): number {
  let sum = 0;
  for (const letter of folder) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 60;
  return sum;
}
