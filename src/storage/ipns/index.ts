export {
  type IpnsKey,
  ipnsGenerateKey,
  ipnsRemoveKey,
  type RemovedIpnsKey,
  type RemovedIpnsKeys,
} from "./keys.ts";
export {
  type IpnsPublishOptions,
  type IpnsRecord,
  ipnsListRecords,
  ipnsPublishRecord,
  type PublishedRecord,
} from "./records.ts";
