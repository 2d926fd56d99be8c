export {
  type IpnsKey,
  type IpnsPublishOptions,
  type IpnsRecord,
  ipnsGenerateKey,
  ipnsListRecords,
  ipnsPublishRecord,
  ipnsRemoveKey,
  type PublishedRecord,
  type RemovedIpnsKey,
  type RemovedIpnsKeys,
} from "./names.ts";
