/**
 * What a provider record says. A provider is an upstream vendor: an address, a way to authenticate, the dialects it
 * speaks, its quirks. It writes no wire format itself, and never imports another provider.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { ModelFamily } from '../core/model-variant.ts';
import type { Effort } from '../core/openai-thinkers.ts';
import type { TaskNews } from '../core/tasks.ts';
import type { Usage } from '../core/usage.ts';
import type { ChatExtension } from '../dialects/chat-extension.ts';
import type {
  DialectId,
  FormFile,
  Operation,
  SpokenDialect,
  ThoughtLimit,
  UpstreamErrorBody,
} from '../dialects/dialect.ts';
import type { MediaPlace } from '../dialects/media-kind.ts';
import type { VendorWire } from './vendor-wire.ts';

/** What a provider sees of a channel during a call. */
export interface ChannelAccess {
  id: number;
  /** Without a trailing slash; the provider's own address when the operator gave none. */
  baseUrl: string;
  key: string;
  organization: string;
  /** Meaning depends on the type: api version, region, account id. */
  other: string;
  /** Who calls, for vendors that want to know. The address is empty when nobody set it. */
  site: { name: string; address: string };
}

/** What operators have set for families of models. */
export interface ModelSettings {
  /** Version of the API by model; `default` is for all others. */
  geminiVersions: Readonly<Record<string, string>>;
  /** Threshold by category; `default` is for all others. */
  geminiSafety: Readonly<Record<string, string>>;
  /** Headers by the model that the caller named. */
  claudeHeaders: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** The answer to a call of a provider's own. */
export interface VendorAnswer {
  status: number;
  text: string;
}

/**
 * Calls the vendor on the provider's own account, the way that the channel's calls go. Rejects when there is no answer.
 * `asGiven`: the address stands in the channel's key, so that it is judged like any other that an operator typed.
 */
export type VendorCall = (request: UpstreamRequest, asGiven?: boolean) => Promise<VendorAnswer>;

/**
 * Asks the vendor on while a call is under way, within the call's time. Rejects as the call would; `asGiven` as with
 * VendorCall, for addresses that stand in an answer.
 */
export type Ask = (request: UpstreamRequest, asGiven?: boolean) => Promise<Response>;

/** A form's files, for vendors that want them otherwise. */
export interface CallForm {
  files: readonly FormFile[];
  /** Throws `invalid_request` for a file too large to be held. */
  bytesOf(file: FormFile): Promise<Uint8Array>;
}

/** A vendor gave no token for a key: a failure of the upstream like any other, with its status and its words. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  constructor(
    readonly answer: VendorAnswer,
    /** Texts of the key that must not be seen in those words. */
    readonly secrets: readonly string[],
  ) {
    super('no token for the key');
  }
}

export interface UpstreamCall {
  operation: Operation;
  dialect: SpokenDialect;
  channel: ChannelAccess;
  /** The upstream's name of the model, after the channel's mapping. */
  model: string;
  /** The model as the caller named it. */
  requested: string;
  /** How much it is to think, as far as its caller, the model's name or the channel says so. */
  effort: Effort | undefined;
  stream: boolean;
  /** The caller's query string, for the few fields that may pass (`api-version`). */
  query: URLSearchParams;
  /** The caller's headers, for the few that may pass (`anthropic-beta`). */
  headers: Headers;
  /** The body in `dialect`, all overrides applied; signatures are made over exactly this. */
  body: string;
  /** What the caller asks, in his dialect; of a form its fields. */
  asked: JsonObject;
  askedIn: DialectId;
  /** Set where the caller's request is a form: it goes up as it is, unless `prepare` gives a body. */
  form: CallForm | null;
  settings: ModelSettings;
  http: VendorCall;
}

export interface UpstreamRequest {
  method: 'POST' | 'GET' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  /** Replaces the body, or the form, of the call where a provider must wrap it. */
  body?: string | Uint8Array<ArrayBuffer>;
  /** Parts of the key, and tokens made of it, that must not be seen in the upstream's words. */
  secrets?: readonly string[];
  /** Spoken over a websocket: the body goes up as one message, and the messages that come down are the answer's frames. */
  socket?: { isLast(message: string): boolean };
}

/** How the channel form looks for a type; the console draws it from this alone. */
export interface ProviderForm {
  /** Shown in the key field, like `APIKey|SecretKey`. */
  keyHint: string;
  /** A text area instead of a line. */
  keyMultiline?: boolean;
  /** Whether the operator may, must or cannot give an address. */
  baseUrl: 'optional' | 'required' | 'hidden';
  baseUrlHint?: string;
  /** That is the whole address of the call: nothing is added to it. */
  wholeAddress?: true;
  /** Label and sample of the field `other`, where the type uses it. */
  other?: { label: { zh: string; en: string }; hint: string; default?: string; multiline?: boolean };
  organization?: boolean;
  notice?: { zh: string; en: string };
}

/** A key or its wire was refused for good: what the failure means for the channel. */
export interface FaultReading {
  error: UpstreamErrorBody;
  /** The key itself is bad (revoked, out of credit), not just this call; where it is absent, the status says it. */
  keyDead?: boolean;
  /** The status that says it, where the vendor's code stands for another than its answer had. */
  keyStatus?: number;
  /** Access was refused: to the account as such or, where the request names something of others, perhaps to that. */
  isDenied?: boolean;
  /** The status that the failure stands for, where the vendor gave it another. */
  status?: number;
  /** It is about what the caller named, and says nothing of key or account whatever its words. */
  isCallers?: boolean;
}

/** Asks the vendor about an account and answers its JSON; rejects for an answer that is none or not good. */
export type AskAccount = (request: UpstreamRequest) => Promise<unknown>;

/** A file of a task that is done. */
export interface ResultFile {
  /** The upstream's name of the task. */
  id: string;
  /** What `read` said came out. */
  data: Json;
  /** One of those that a wire names. */
  variant: string;
  /** Which piece's, counted from 0, where a task makes several. */
  piece: number;
}

export interface FileWire {
  /** Beside `video`. */
  readonly variants?: readonly string[];
  /**
   * The answer that holds the file; null where there is none. The channel's own headers are added where it is asked itself.
   * `grow` is told of the bytes of an answer that is read whole, as they come; it throws where its caller has no room.
   */
  open(
    channel: ChannelAccess,
    file: ResultFile,
    ask: Ask,
    http: VendorCall,
    grow: (bytes: number) => void,
  ): Promise<Response | null>;
}

/** A call, as far as it depends on it whether a limit of its answer counts thoughts. */
export interface ThoughtPlace {
  dialect: DialectId;
  /** The upstream's name of the model. */
  model: string;
  baseUrl: string;
  stream: boolean;
}

/** Work that goes on after its call has ended, as it is asked after. */
export interface TaskWire {
  /** Names under which the upstream's own words stand in results, which are cleaned before their owners read them. */
  readonly words?: readonly string[];
  /** The upstream has no call that asks after several: each of `ids` alone. */
  readonly singly?: true;
  /** The most that an answer may be, where results stand in it. */
  readonly answerBytes?: number;
  ask(
    channel: ChannelAccess,
    ids: readonly string[],
    http: VendorCall,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  /** What a good answer says of each task that it names, or of the one that was asked after; null for one that cannot be read. */
  read(body: unknown, id: string): TaskNews[] | null;
  /**
   * The seconds that a model's films may have; absent, or undefined, where nobody knows: there the upstream itself refuses
   * all others, or its operator names them with its price.
   */
  seconds?(model: string): readonly number[] | undefined;
  /** Present where files come out of tasks: films, songs. */
  readonly file?: FileWire;
  /** By which number a picture can be drawn again, where the upstream tells that; null for an answer that does not. */
  readonly seed?: {
    ask(channel: ChannelAccess, id: string): UpstreamRequest;
    read(body: unknown): string | null;
  };
}

/** An answer in OpenAI's words. */
export interface Finished extends Response {
  /** What the vendor told of its usage, where the answer has no place for it: a sound is nothing but bytes, a failure has none. */
  readonly usage?: Usage;
}

export type Finish = (answer: Response, call: UpstreamCall, ask: Ask) => Promise<Finished>;

/** A service that a host bills beside the tokens though nobody asks for it, which no usage tells. */
export interface Unasked {
  /** Addresses that lead to the host, also those of channels of another type. */
  host: RegExp;
  /** A call with files or pictures, in whichever wire, that declines it; as it is where it asks for it. */
  decline(body: JsonObject, model: string): JsonObject;
}

/** Tools that a host runs itself beside any model, and bills at prices of its own. */
export interface HostTools {
  /** As of what it does unasked. */
  host: RegExp;
  /** Whether it runs this one, which may go by another vendor's name for one of his. */
  runs(tool: JsonObject): boolean;
}

/** A call as far as it chooses the dialect that it goes by. */
export interface AskedOf {
  operation: Operation;
  /** The upstream's name of it. */
  model: string;
  key: string;
  baseUrl: string;
  /** How much it is to think, as far as anybody says so. */
  effort: Effort | undefined;
  /** In its caller's words. */
  body: JsonObject;
}

export interface Provider {
  /** Its upstream puts prompts and documents of its own before what is asked: it is an app rather than a model. */
  hasOwnPrompt?: true;
  /** Families that are at home here: no model of it has such a name, so that it always means the one behind it. */
  readonly homeOf?: readonly ModelFamily[];
  /** Wire number of the channel type; never reused. */
  readonly type: number;
  /** The vendor's word, as model lists name the owner of a model. */
  readonly slug: string;
  readonly label: string;
  /** Where the label is words and no name. */
  readonly zhLabel?: string | undefined;
  /** Null: the operator must give one. Empty: it follows from the key, unless the operator gives one. */
  readonly baseUrl: string | null;
  /**
   * Domains of the vendor below which its hosts are, where these follow from a region or an operation. Calls to them
   * and to `baseUrl` go without the check that addresses get which somebody wrote.
   */
  readonly domains?: readonly string[];
  /**
   * Every address that a key, or a token made of it, goes to, where that does not follow from `baseUrl` alone: hosts
   * made of a region. `baseUrl` is the provider's own where the operator gave none.
   */
  keyGoesTo?(channel: Pick<ChannelAccess, 'baseUrl' | 'key' | 'other'>): readonly string[];
  /** Addresses that stand in a key, where keys are documents. */
  keyNames?(key: string): readonly string[];
  /** What a key of this type looks like, where it is more than one word. */
  readonly keyFormat?: { isGood(key: string): boolean; expected: { zh: string; en: string } };
  /** What the field `other` looks like, where it stands in an address. An empty one is good. */
  readonly otherFormat?: { isGood(other: string): boolean; expected: { zh: string; en: string } };
  /** The field `other` names something that the account keeps, so that to change it opens another. */
  readonly otherIsKept?: true;
  /** Whether a model of this name is something that the account keeps, such as a bot with the operator's own files and tools. */
  modelIsKept?(model: string): boolean;
  /** Whether `other` is a version of the vendor's calls: each has them all, so that to change it leads to no other place. */
  isVersion?(other: string): boolean;
  /** False where key and `other` name no region that could stand in a host's name. */
  hasGoodRegion?(written: { key: string; other: string }): boolean;
  /** Dialects by operation, the native one first. An operation that is missing is not served. */
  readonly speaks: Partial<Record<Operation, readonly SpokenDialect[]>>;
  /** Whether `stream_options.include_usage` is understood on streams. */
  readonly streamUsage: boolean;
  /** Words beyond OpenAI's own that it takes on OpenAI's chat wire. */
  readonly extensions?: ReadonlySet<ChatExtension>;
  /** Whether it takes `reasoning_content` beside those, and thoughts in Messages, where that depends on who is asked. */
  wantsThoughtsBack?(on: { model: string; baseUrl: string }): boolean;
  /** The longest name of a caller's end user or conversation that it takes; absent where nobody knows of a bound. */
  readonly nameChars?: number;
  /** Those of `speaks` that a call takes, where that depends on it; none: the chat goes by `wire`. */
  dialectsOf?(on: AskedOf): readonly SpokenDialect[];
  /** The chat wire of a vendor that speaks no dialect of ours; every call is converted. */
  readonly wire?: VendorWire;
  /**
   * The most uses of tools that it takes as a limit in a request, where its wire has a field for one; absent or null where
   * it documents none, so that none is written for it and none that a caller writes is relied upon.
   */
  toolLimit?(on: { model: string; baseUrl: string }): number | null;
  /** The words in which it refuses what is said and takes money for that; absent or null where no refusal costs anything. */
  chargedRefusals?(on: { dialect: DialectId; model: string; baseUrl: string }): RegExp | null;
  /** What its host bills though nobody asks for it; absent where it bills what was asked for alone. */
  readonly unasked?: Unasked;
  /** What its host runs beside any model; absent where tools are those of the model's own vendor. */
  readonly hostTools?: HostTools;
  /** Its host does not count: what it tells of usage is filled in. */
  readonly tellsNoUsage?: true;
  /** It may give an answer that it has kept, tells that as nothing read and nothing written, and bills nothing. */
  readonly keepsAnswers?: { host: RegExp };
  /** Operators put gateways of their own behind its address as often as its vendor: the host alone tells who is there. */
  readonly opensToAnyone?: true;
  /** Its usage tells what it has Google keep of a prompt, by the token and for no longer than is told. */
  readonly tellsStores?: true;
  /** Its usage of Responses tells all of a call whose conversation is summed up first; absent where nobody knows. */
  tellsSummaries?(baseUrl: string): boolean;
  /** How it is told how much to think; absent or null where a limit of the answer counts thoughts too. */
  thoughtLimit?(on: ThoughtPlace): ThoughtLimit | null;
  /** Whether a model thinks nothing when that word of `extensions` says so which switches thoughts; absent where each obeys. */
  canSwitchThoughts?(model: string): boolean;
  /** Its answers, or its streams alone, break the rules of their dialect, so they are always read and written anew. */
  readonly strict?: 'answers' | 'streams';
  /** It has no streams: a caller who wants one gets a whole answer told as a stream. */
  readonly plainOnly?: boolean;
  /** It only streams: a caller who wants a whole answer gets what the stream adds up to. */
  readonly streamOnly?: boolean;
  /** Pictures and files must go as data, not by address. */
  readonly inlineMedia?: boolean;
  /** The most bytes of one of them that it takes in such a place; absent or null where it documents no such bound. */
  mediaBytes?(on: { model: string; place: MediaPlace }): number | null;
  readonly form: ProviderForm;
  /** Prefilled in the form. */
  readonly models: readonly string[];
  /** Address and headers. May exchange tokens first (cached by the provider), hence the promise. */
  prepare(call: UpstreamCall): UpstreamRequest | Promise<UpstreamRequest>;
  /** Changes of the body that this vendor needs; gets a copy that it may change in place. */
  adjustBody?(body: JsonObject, call: Omit<UpstreamCall, 'body'>): JsonObject;
  /**
   * Turns the good answer to an operation beside chat, given in words of the vendor's own, into what OpenAI would have
   * answered; asks on where the vendor needs it (a task that must be waited for, a picture to be fetched).
   */
  readonly finish?: Partial<Record<Operation, Finish>>;
  /** Present where it takes tasks. */
  readonly tasks?: TaskWire;
  /** The error of a failed answer, where the common look-up order would miss it. */
  readFault?(status: number, body: unknown): FaultReading | null;
  /** The error that an answer of status 200 carries instead of an answer, with the status that it stands for. */
  readAnswerError?(body: unknown): { error: UpstreamErrorBody; status: number } | null;
  /** Where and how the models are listed; absent when the vendor has no such call. */
  listModels?(channel: ChannelAccess): { request: UpstreamRequest; read(body: unknown): string[] };
  /** What is left on the account behind the key, in US dollars; null when the vendor's answer does not say. */
  balance?(channel: ChannelAccess, ask: AskAccount): Promise<number | null>;
  /** Forgets the token of a key that was refused; true when there was one, so that the call may be made once more. */
  forget?(key: string): boolean;
}
