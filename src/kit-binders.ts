import type { JournalOptions } from "./journal/handle.ts";
import type { OwnerOptions } from "./kavach/auth/owner.ts";
import { mergeOptions } from "./kavach/nodes/merge-options.ts";
import type { KeyNodeOptions } from "./kavach/nodes/node-client.ts";
import type { BearerOptions, Optional } from "./options.ts";
import type { SavedFile } from "./platform/saved-file.ts";
import type { RecoveryOptions } from "./recovery-file/recorder-options.ts";
import type { AsBlob, AsBytes, AsStream, ToPath } from "./transfer/download/output.ts";
import type { UploadAccess } from "./transfer/upload/upload-access.ts";
import { isOptions, type KeysOf, type OptionNames, pickOptions } from "./validation/check-options.ts";
import type { SigningOptions } from "./validation/sign-in-message.ts";
import type { SignerLike } from "./validation/signer.ts";

/** Options to bind; see {@link createKit}. */
export type KitDefaults = Optional<BearerOptions> & {
  /** Endpoint of one's own server that uploads are sent through, instead of an API key. @default none */
  via?: UploadAccess["via"];
} & KeyNodeOptions &
  JournalOptions &
  RecoveryOptions &
  (OwnerOptions | (SigningOptions & { signer?: undefined; address?: undefined; authToken?: undefined }));

/** What a kit of one account binds. */
export type AccountDefaults = { apiKey: string; signer: SignerLike };

/** Refuses unknown options, which a type that is inferred from them would include. */
export type NoUnknown<Defaults> = Record<Exclude<keyof Defaults, KeysOf<KitDefaults>>, never>;

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
type UnboundOptions<Options, Name extends PropertyKey> = Options extends { authToken: string }
  ? WithOptional<Options, Name> & WholeOwner
  : Options extends unknown
    ? WithOptional<Options, Name>
    : never;

/** Options of a call of a kit: those that the kit's defaults bind may be left out. */
export type KitOptions<Options, Defaults extends KitDefaults = AccountDefaults> = UnboundOptions<
  Options,
  BoundName<Defaults>
>;

/** The last argument of a call: it may be left out if no option is required. */
type OptionsArgument<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/** A call whose options say in which form it returns a file. */
export interface OutputCall<Options> {
  (cid: string, options: Options & ToPath): Promise<SavedFile>;
  (cid: string, options: Options & AsBlob): Promise<Blob>;
  (cid: string, options: Options & AsStream): Promise<ReadableStream<Uint8Array>>;
  (cid: string, ...options: OptionsArgument<Options & AsBytes>): Promise<Uint8Array<ArrayBuffer>>;
}

/** The last argument of a call to a kit with these defaults. */
type KitArgument<Options, Defaults extends KitDefaults> = OptionsArgument<KitOptions<NonNullable<Options>, Defaults>>;

/** `Call`, which has a first argument besides its options, as a call of a kit. */
export type SubjectCall<Call extends (subject: never, options: never) => unknown, Defaults extends KitDefaults> = (
  subject: Parameters<Call>[0],
  ...options: KitArgument<Parameters<Call>[1], Defaults>
) => ReturnType<Call>;

/** `Call`, which has options only, as a call of a kit. */
export type OptionsCall<Call extends (options: never) => unknown, Defaults extends KitDefaults> = (
  ...options: KitArgument<Parameters<Call>[0], Defaults>
) => ReturnType<Call>;

/** Returns functions that bind defaults to a call: those of its options that `names` lists. */
export function createBinders<Defaults extends KitDefaults>(defaults: Defaults) {
  function merge(names: OptionNames): (options: object | undefined) => never {
    const bound = pickOptions(defaults, names);
    // The call itself refuses anything but options.
    return (options = {}) => {
      if (!isOptions(options)) return options as never;
      // Read once; the call itself copies what they hold.
      const own = { ...options };
      return mergeOptions(replaceAccess(bound, own), own) as never;
    };
  }

  return {
    /** For a call with a first argument besides its options. */
    bind<Call extends (subject: never, options: never) => unknown>(
      call: Call,
      names: OptionNames,
    ): SubjectCall<Call, Defaults> {
      const withDefaults = merge(names);
      return (subject, ...[options]) => call(subject as never, withDefaults(options)) as ReturnType<Call>;
    },
    /** For a call with options only. */
    bindOptions<Call extends (options: never) => unknown>(call: Call, names: OptionNames): OptionsCall<Call, Defaults> {
      const withDefaults = merge(names);
      return (...[options]) => call(withDefaults(options)) as ReturnType<Call>;
    },
  };
}

/** What lets uploads in, a bound API key or endpoint, is replaced as a whole. */
function replaceAccess(bound: object, { apiKey, via }: { apiKey?: unknown; via?: unknown }): object {
  return (apiKey ?? via) === undefined ? bound : { ...bound, apiKey: undefined, via: undefined };
}
