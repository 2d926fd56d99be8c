import {
  isOptions,
  type KeysOf,
  type Operation,
  type OptionSchema,
  pickOptions,
  resolveChanges,
  unchecked,
} from "../base/operation.ts";
import { type BearerOptions, type CallOptions, checkEndpoints, type Optional } from "../base/options.ts";
import { pinSigner, type SigningOptions } from "../base/validation/sign.ts";
import type { SignerLike } from "../base/validation/signer.ts";
import { type RecoveryOptions, recoverySchema } from "../formats/recovery-file/recorder-options.ts";
import { type JournalOptions, journalSchema } from "../journal/handle.ts";
import { mergeOptions, type OwnerOptions, ownerSchema } from "../keys/auth/owner.ts";
import { type KeyNodeOptions, keyNodeSchema } from "../keys/nodes/node-client.ts";
import type { SavedFile } from "../platform/types.ts";
import type { DecryptOptions } from "../storage/download/decrypt.ts";
import type { AsBlob, AsBytes, AsStream, ToPath, ToPathOrBytes } from "../storage/download/output.ts";
import type { UploadAccess } from "../storage/upload/upload-access.ts";
import * as calls from "./calls.ts";

/** Options to bind; see {@link createKit}. */
export type KitDefaults = Optional<BearerOptions> & {
  /** Endpoint of one's own server that uploads are sent through, instead of an API key. @default none */
  via?: UploadAccess["via"];
} & KeyNodeOptions &
  JournalOptions &
  Optional<RecoveryOptions> &
  (OwnerOptions | (SigningOptions & { signer?: undefined; address?: undefined; authToken?: undefined }));

/** What a kit of one account binds. */
type AccountDefaults = { apiKey: string; signer: SignerLike };

/** Refuses unknown options, which a type that is inferred from them would include. */
type NoUnknown<Defaults> = Record<Exclude<keyof Defaults, KeysOf<KitDefaults>>, never>;

/** Names of the options that `Defaults` bind: not of those that may be undefined. */
type BoundName<Defaults, Name = keyof Defaults> = Name extends keyof Defaults
  ? Defaults[Name] extends NonNullable<Defaults[Name]>
    ? Name
    : never
  : never;

/** `Options`, of which those with these names may be left out. */
type WithOptional<Options, Name extends PropertyKey> = Omit<Options, Name> &
  Optional<Pick<Options, Extract<keyof Options, Name>>>;

/** An address replaces the bound owner as a whole, so it requires its token. */
type WholeOwner =
  | { address?: undefined }
  | {
      /** Of the account that calls, instead of the bound one. */
      address: string;
      /** A signature of its sign-in message, or a JWT. */
      authToken: string;
    };

/** `Options`, of which those with these names are bound. */
type UnboundOptions<Options, Name extends PropertyKey> = Options extends unknown
  ? WithOptional<Options, Name> &
      ("authToken" extends Name ? (Options extends { authToken: string } ? WholeOwner : unknown) : unknown)
  : never;

/**
 * Options of a call of a kit: those that the kit's defaults bind may be left out.
 *
 * An intersection, because editors show the name of one, where they would show all that a conditional type resolves to.
 */
export type KitOptions<Options, Defaults extends KitDefaults = AccountDefaults> = Partial<Pick<CallOptions, "signal">> &
  UnboundOptions<Options, BoundName<Defaults>>;

/** The last argument of a call: it may be left out if no option is required. */
type OptionsArgument<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/** `Call`, with `Defaults` bound to its last argument. */
type BoundCall<Call, Defaults extends KitDefaults> = Call extends (...args: infer Arguments) => infer Result
  ? Required<Arguments> extends [...infer Subject, infer Options]
    ? (...args: [...Subject, ...OptionsArgument<KitOptions<Options, Defaults>>]) => Result
    : never
  : never;

/** A call whose options say in which form it returns a file, with other options than the function has. */
interface OutputCall<Options> {
  (cid: string, options: Options & ToPath): Promise<SavedFile>;
  (cid: string, options: Options & AsBlob): Promise<Blob>;
  (cid: string, options: Options & AsStream): Promise<ReadableStream<Uint8Array>>;
  (cid: string, ...options: OptionsArgument<Options & AsBytes>): Promise<Uint8Array<ArrayBuffer>>;
  (cid: string, options: Options & ToPathOrBytes): Promise<SavedFile | Uint8Array<ArrayBuffer>>;
}

type Calls = typeof calls;
type OperationName<Export> = Export extends `${infer Name}Operation` ? Extract<Name, keyof Calls> : never;

/** Calls that use nothing of the network: unchanged. */
const local = {
  commitToKey: calls.commitToKey,
  createRecoveryIdentity: calls.createRecoveryIdentity,
  decryptBytes: calls.decryptBytes,
  encryptBytes: calls.encryptBytes,
  kavachGenerate: calls.kavachGenerate,
  kavachRecoverKey: calls.kavachRecoverKey,
  kavachShardKey: calls.kavachShardKey,
} as const;

/**
 * Calls whose types differ from {@link BoundCall}, which does not see overloads, or of which a kit binds no account. Editors
 * show the documentation of the first overload: that of the function.
 */
type OtherCalls<Defaults extends KitDefaults> = typeof local & {
  decrypt: Calls["decrypt"] & OutputCall<KitOptions<DecryptOptions, Defaults>>;
  download: Calls["download"];
  estimatePayment: Calls["estimatePayment"];
  payWithToken: Calls["payWithToken"];
};

type CallName = OperationName<keyof Calls> | keyof typeof local;

/**
 * The kit's functions, those that use the network with `Defaults` bound: an API key and a signer, unless the type says
 * otherwise. Nothing that may be undefined counts as bound, and so nothing is in a `Kit<KitDefaults>`.
 */
// `Pick` keeps the documentation of each function.
export type Kit<Defaults extends KitDefaults = AccountDefaults> = {
  readonly [Name in keyof Pick<Calls, CallName>]: Name extends keyof OtherCalls<Defaults>
    ? OtherCalls<Defaults>[Name]
    : BoundCall<Calls[Name], Defaults>;
};

/** What a kit may bind. */
const kitSchema = {
  ...keyNodeSchema,
  endpoints: checkEndpoints,
  ...ownerSchema,
  ...journalSchema,
  ...recoverySchema,
  // Only calls that need one refuse it.
  apiKey: unchecked<string>(),
  via: unchecked<UploadAccess["via"]>(),
} satisfies OptionSchema<KitDefaults>;

/**
 * Returns the same functions with these options as their defaults, each with those that it accepts. Options of a call
 * take precedence; an owner (`signer`, or `address` and `authToken`) is replaced as a whole. What is bound is no longer
 * required: with `{ apiKey }` uploads need no key, with `{ apiKey, signer }` encrypted ones need no owner either. A
 * payment requires its own `signer` or `privateKey`. A kit keeps the account that a wallet shared first, also when its
 * user switches to another one.
 *
 * @throws `INVALID_OPTION`
 *
 * @example
 * const kit = createKit({ apiKey, signer });
 * const [file] = await kit.uploadEncrypted("./secret.pdf");
 */
export function createKit<Defaults extends KitDefaults>(defaults: Defaults & NoUnknown<Defaults>): Kit<Defaults>;
export function createKit(defaults?: KitDefaults): Kit<KitDefaults>;
export function createKit(defaults: KitDefaults = {}): Kit<KitDefaults> {
  const checked = resolveChanges(kitSchema, defaults) as KitDefaults;
  const { signer } = checked;
  const bound = signer === undefined ? checked : { ...checked, signer: pinSigner(signer) };
  const kit: Record<string, unknown> = { ...local };
  for (const [name, call] of Object.entries(calls)) {
    const operation = (calls as Partial<Record<string, unknown>>)[`${name}Operation`];
    if (typeof call === "function" && operation)
      kit[name] = bindCall(call as AnyCall, operation as Operation<never>, bound);
  }
  return Object.freeze(kit) as unknown as Kit<KitDefaults>;
}

type AnyCall = (...args: unknown[]) => unknown;

/** Returns a function that adds the defaults which a call takes to its options. */
function bindCall(
  call: AnyCall,
  { options: schema, at = 1, unbound = [] }: Operation<never>,
  defaults: object,
): AnyCall {
  const bound = pickOptions(defaults, schema);
  for (const name of unbound) Reflect.deleteProperty(bound, name);
  return (...args) => {
    const options = args[at];
    // The call itself refuses anything but options.
    if (options !== undefined && !isOptions(options)) return call(...args);
    // Read once; the call itself copies what they hold.
    const own = { ...options };
    const subject = Array.from({ length: at }, (_, position) => args[position]);
    return call(...subject, mergeOptions(replaceAccess(bound, own), own));
  };
}

/** What lets uploads in, a bound API key or endpoint, is replaced as a whole. */
function replaceAccess(
  bound: object,
  { apiKey, via, payPerUpload }: { apiKey?: unknown; via?: unknown; payPerUpload?: unknown },
): object {
  return (apiKey ?? via ?? payPerUpload) === undefined ? bound : { ...bound, apiKey: undefined, via: undefined };
}
