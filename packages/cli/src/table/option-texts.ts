// Generated from the doc comments of the options, by npm run docs:options

/** What an option does that a command passes on as it is. */
export const optionTexts = {
  "AmountOptions.amount": "what to pay, in the token's smallest unit",
  "AmountOptions.size": "bytes of storage to pay for",
  "BulkRunOptions.attempts": "how many times a batch is tried before its files are set aside; by default 5",
  "BulkRunOptions.batchesPerMinute":
    "the most batches that are started in a minute, over all workers that share an engine; by default no limit",
  "BulkRunOptions.workers": "how many batches are sent concurrently; by default 4",
  "DeleteFileOptions.storage": "storage class of the file; walrus has deletions of its own; by default any other",
  "DevnetOptions.host":
    "the IP address or name that all services bind to; by default 127.0.0.1: only programs of this machine",
  "DevnetOptions.port":
    "first of eight consecutive ports: API, upload, gateway, key nodes, upload in the class walrus, uploads that are paid one by one, control, EVM node; by default 0: free ones",
  "DevnetOptions.publicHost": "the host that the URLs of the services name, such as that of a container",
  "KeyProofOptions.strict":
    "accept the key only if four shards agree on it (one more than threshold), which excludes every faulty key node that was queried",
  "ListFilesOptions.storage": "only the files of this storage class, as the network names it; by default all",
  "PaidOrderOptions.orderId":
    "names what is paid for, such as an invoice: an order is paid once; by default an order of its own for each call",
  "PayOptions.searchBlocks":
    "how many blocks back the payer's payments are searched before an order is paid of which nothing is known here: a journal may have been lost; by default the network's, else 10,000",
  "PinOptions.fileName": "name of the file in the account's listing; by default the network's own",
  "PlanBulkOptions.encrypted": "encrypt the files, and save their keys on the key nodes",
  "PlanBulkOptions.name":
    "names the folders that are stored, one for each batch; by default the last part of the source's place",
  "PlanBulkOptions.oneKeyPerBatch":
    "encrypt all files of a batch with one key: small files take a fraction of the time, and the key of one file opens all files of its batch",
  "PriceOptions.token": "what to pay with; by default native",
  "RecoveryOptions.recovery":
    "add the key of each encrypted file to a recovery kit, for these age recipients (age1…, of X25519)",
  "RestoreOptions.outsideLinks": "restore symbolic links that may lead out of the folder, too",
  "RestoreOptions.overwrite": "replace files and links that differ from those of the snapshot",
  "RestoreOptions.workers": "how many files are restored concurrently; by default 16",
  "RunningOptions.maxFee":
    "the most that all transactions of the payment together may cost in network fees, in the smallest unit of the chain's own coin",
  "ShardRequestOptions.ownerAddress": "address of the file's owner, whose delegate requests the key",
  "StorageOptions.checkRoom":
    "whether to refuse files, before any is sent, that the account has no room for in the storage class; by default true if storage is set",
  "StorageOptions.storage":
    "storage class of the files, sent as X-Storage-Type; by default the network's own: the request names none",
  "UploadOptions.verifyCid":
    "compute the content ids of files and folders while they are sent, as Kubo does by default, and reject a response with others",
  "UploadOptions.wrapWithDirectory": "put everything into one folder, whose content id is the first in the result",
};
