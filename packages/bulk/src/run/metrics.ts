import type { BulkStatus } from "./status.ts";

/**
 * Formats the status of plans for Prometheus (text format 0.0.4), for an endpoint of your own.
 *
 * @example
 * const text = formatBulkMetrics([await getBulkStatus(plan.id, ledger)]);
 */
export function formatBulkMetrics(plans: readonly BulkStatus[]): string {
  const lines: string[] = [];

  function add(name: string, help: string, samples: (status: BulkStatus) => [labels: string, value: number][]): void {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`);
    for (const status of plans) {
      const plan = `plan="${escapeLabel(status.id)}",name="${escapeLabel(status.name)}"`;
      for (const [labels, value] of samples(status)) lines.push(`${name}{${plan}${labels}} ${value}`);
    }
  }

  add("keeplight_bulk_files", "Files of a plan, by status.", ({ counts, setAside }) => [
    ...Object.entries(counts).map(([status, files]): [string, number] => [`,status="${status}"`, files]),
    [',status="set_aside"', setAside],
  ]);
  add("keeplight_bulk_files_done", "Files of a plan that are done.", ({ filesDone }) => [["", filesDone]]);
  add("keeplight_bulk_bytes", "Bytes of a plan.", ({ bytes }) => [["", bytes]]);
  add("keeplight_bulk_bytes_done", "Bytes of files that are done.", ({ bytesDone }) => [["", bytesDone]]);
  add("keeplight_bulk_running", "1 while a plan is worked on.", ({ state }) => [["", state === "running" ? 1 : 0]]);
  return `${lines.join("\n")}\n`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
