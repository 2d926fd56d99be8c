export type { BulkLedger } from "./ledger/handle.ts";
export { openBulkLedger } from "./ledger/open-ledger.ts";
export type { FileProblem, FileStatus, PlanState } from "./ledger/types.ts";
export { type PayBulkOptions, payBulk } from "./pay/pay-bulk.ts";
export type { BulkCost } from "./plan/estimate-cost.ts";
export { folderSource } from "./plan/folder-source.ts";
export { manifestSource } from "./plan/manifest-source.ts";
export { type PlanBulkOptions, planBulk, readBulkPlan } from "./plan/plan-bulk.ts";
export type {
  BulkDisk,
  BulkFile,
  BulkListing,
  BulkOrigin,
  BulkPlan,
  BulkSource,
  BulkStore,
  SkippedPath,
  SkippedPaths,
} from "./plan/types.ts";
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
export { formatBulkMetrics } from "./run/metrics.ts";
export { type RunBulkOptions, runBulk } from "./run/run-bulk.ts";
export type { BulkRunOptions } from "./run/run-options.ts";
export { type RunStatus, readRunStatus } from "./run/run-status.ts";
export type { BulkStatus } from "./run/status.ts";
export type { BulkUploadOptions } from "./run/upload-options.ts";
export { type BulkVerification, type VerifyBulkOptions, verifyBulk } from "./verify/verify-bulk.ts";
