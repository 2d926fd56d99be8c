export type { FileProblem, FileStatus, PlanState } from "./ledger/ledger.ts";
export type { BulkLedger } from "./ledger/open-ledger.ts";
export { openBulkLedger } from "./ledger/open-ledger.ts";
export { type PayBulkOptions, payBulk } from "./pay-bulk.ts";
export type {
  BulkCost,
  BulkDisk,
  BulkFile,
  BulkListing,
  BulkOrigin,
  BulkPlan,
  BulkSource,
  BulkStore,
  SkippedPath,
  SkippedPaths,
} from "./plan/plan.ts";
export { type PlanBulkOptions, planBulk, readBulkPlan } from "./plan/plan-bulk.ts";
export { folderSource, manifestSource } from "./plan/sources.ts";
export { type BulkWorker, type BulkWorkerOptions, bulkWorker } from "./queue/bulk-worker.ts";
export { type EnqueueBulkOptions, enqueueBulk, openBulkQueue } from "./queue/enqueue-bulk.ts";
export {
  cancelBulk,
  getBulkStatus,
  listSetAside,
  pauseBulk,
  type RetryBulkOptions,
  retryBulk,
  type SetAsideFile,
} from "./run/control.ts";
export type { BulkUploadOptions } from "./run/plain-sender.ts";
export { type RunBulkOptions, runBulk } from "./run/run-bulk.ts";
export type { BulkRunOptions } from "./run/run-options.ts";
export { type BulkStatus, formatBulkMetrics, type RunStatus, readRunStatus } from "./run/status.ts";
export { type BulkVerification, type VerifyBulkOptions, verifyBulk } from "./verify-bulk.ts";
