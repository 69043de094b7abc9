/**
 * What the account at a vendor keeps for whoever names it: files, caches, containers, indexes, prompts, connections.
 * Nobody here knows whose it is, so that a request which names it is served only where the operator shares the account.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { HOST_END_MAX, upToHost, urlOf } from '../core/url.ts';
import { isAbsent } from './bounds.ts';
import { objectsOf } from './fields.ts';
import { type Address, plainAddress, schemeOf, UNSEEN } from './media.ts';

/** The way from a body to what holds a field. */
export type Path = readonly (string | number)[];

/** Whether the value of a field, in the object that holds it, names something of the kind. */
export type Keeps = (value: Json | undefined, holder: JsonObject, path?: Path) => boolean;

/** Says anything at all. */
export const named: Keeps = (value) =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

const isOfWeb = (address: Address | undefined): boolean =>
  address?.scheme === 'http' || address?.scheme === 'https';

/** What tools are asked of by another word than an address of the web, as gateways call the servers that they keep. */
const keptServer: Keeps = (value, holder) =>
  named(value, holder) && !(typeof value === 'string' && isOfWeb(schemeOf(value)));

const objectOnly: Keeps = (value) => isObject(value);

const objectWithId: Keeps = (value, holder) => isObject(value) && named((value as JsonObject).id, holder);

/** A machine by its name; `auto` makes a new one. */
export const namedContainer: Keeps = (value, holder) =>
  typeof value === 'string' ? value !== '' : objectWithId(value, holder);

/**
 * A field of a tool that the service runs, and that nobody here knows: vendors have ever new tools, which are told by an id
 * what to look through. Those of callers have no ids but in their schemas.
 */
export const isOfUnknownTool = (name: string, path: Path): boolean =>
  typeof path.at(-1) === 'number' && /^tools$/i.test(String(path.at(-2))) && /(?:_i|I)[dD][sS]?$/.test(name);

/** The names that any wire, and any vendor's additions to it, have for such things. */
export const ACCOUNT: Readonly<Record<string, Keeps>> = {
  // Files and what is made of them.
  file_id: named,
  file_ids: named,
  upload_file_id: named,
  upload_file_ids: named,
  vector_store_id: named,
  vector_store_ids: named,
  file_search_store_names: named,
  library_id: named,
  library_ids: named,
  collection_id: named,
  collection_ids: named,
  knowledge_id: named,
  knowledge_ids: named,
  knowledge_base_id: named,
  knowledge_base_ids: named,
  knowledge_bases: named,
  knowledge_resource_id: named,
  dataset_id: named,
  dataset_ids: named,
  memory_store_id: named,
  memory_store_name: named,
  // Azure On Your Data, whose managed identities open what the operator may read.
  data_sources: named,
  managed_identity: named,
  managed_identity_resource_id: named,
  // Vertex: datastores and corpora.
  retrieval: named,
  datastore: named,
  data_store_specs: named,
  vertex_ai_search: named,
  vertex_rag_store: named,
  rag_corpus: named,
  rag_corpora: named,
  rag_resources: named,
  cached_content: named,
  // Moonshot's caches are named in messages of their own: `tag=…;reset_ttl=3600`.
  role: (value, holder) =>
    typeof value === 'string' && value.trim().toLowerCase() === 'cache' && named(holder.content, holder),
  // What Google's tools sign in by: secrets of the project, and its accounts.
  api_key_secret: named,
  api_key_secret_version: named,
  credential_secret: named,
  service_account: named,
  // Machines.
  container: namedContainer,
  container_id: named,
  // A vendor's own skills are everybody's.
  skill_id: (value, holder) => named(value, holder) && holder.type !== 'anthropic',
  // Connections that the operator has signed in to.
  connector_id: named,
  // Servers of tools, in OpenAI's words and in Anthropic's: `litellm_proxy`, `litellm_proxy/mcp/…` (LiteLLM's guide to MCP).
  server_url: keptServer,
  mcp_servers: (value) => objectsOf(value).some((server) => keptServer(server.url, server)),
  // Ways into its private network.
  tunnel_id: named,
  connection_id: named,
  project_connection_id: named,
  // Conversations, prompts and agents by name.
  conversation: (value, holder) => named(value, holder) && value !== 'auto' && value !== 'none',
  conversation_id: named,
  chat_id: named,
  thread_id: named,
  thread: objectOnly,
  previous_message_id: named,
  previous_response_id: named,
  previous_interaction_id: named,
  prompt_id: named,
  preset: named,
  // Templates of a project of Google's, by which it looks through what is said.
  model_armor_config: named,
  // Bedrock's rules for what is said, each text of which is billed.
  guardrail_config: named,
  guardrail_identifier: named,
  assistant_id: named,
  agent_id: named,
  agent: objectOnly,
  bot_id: named,
  // A voice of the vendor's is a word; one that somebody had made is an object with its id.
  voice: objectOnly,
};

/** A prompt that a service keeps; on other wires the word is for what is asked. */
export const STORED_PROMPT: Readonly<Record<string, Keeps>> = { prompt: objectOnly };

/** What an account for music keeps of whoever made it: songs, voices, and parts of them by their ids. */
export const SONGS: Readonly<Record<string, Keeps>> = {
  persona_id: named,
  artist_clip_id: named,
  cover_clip_id: named,
  underpainting_clip_id: named,
  overpainting_clip_id: named,
  clip_id: named,
  clip_ids: named,
};

/**
 * An item of an input that names what the service keeps, of others' calls, too: whose it is the relay remembers. One that has
 * nothing but an id is a reference, whether it says so or not. Reasoning by its id is none: clients send whole answers back,
 * which hold it so, its words are never told, and the id is random and known from the answer alone.
 */
export const isReference = (item: unknown): boolean =>
  isObject(item) &&
  (item.type === 'item_reference' ||
    (isAbsent(item.type) && isAbsent(item.role)) ||
    (item.type === 'image_generation_call' && isAbsent(item.result)));

/** An address of what the account keeps, or one in a list. */
const keptAddress: Keeps = (value) =>
  Array.isArray(value) ? value.some(isKeptAddress) : isKeptAddress(value);

/** Of a bucket, or a file of the service's own, as whoever reads or writes addresses here understands them. */
function isKeptAddress(value: Json | undefined): boolean {
  if (typeof value !== 'string') return false;
  const address = schemeOf(value);
  if (!address) return KEPT_NAME.test(value);
  // The data may be megabytes.
  if (address.scheme === 'data') return false;
  return !isOfWeb(address) || isServiceFile(plainAddress(value, address));
}

/** What begins so, with whatever readers of addresses pass over. */
const beginningWith = (beginnings: readonly string[], flags?: string): RegExp =>
  new RegExp(
    `^(?:${beginnings
      .map((name) => [...name].map((letter) => `[^\\x21-\\x7e]*${letter}`).join(''))
      .join('|')})`,
    flags,
  );

/** Names of what Google keeps. */
const KEPT_NAME = beginningWith(['files/', 'cachedContents/', 'corpora/', 'fileSearchStores/']);

/**
 * Buckets, which the account of a channel reads and writes. Vendors have ever new fields for what is taken from one or put
 * into it, so that no field may name one but those in which texts stand.
 */
const BUCKET = beginningWith(['gs://', 's3://', 'oss://'], 'i');

export const namesBucket = (value: Json | undefined): boolean =>
  Array.isArray(value) ? value.some(namesBucket) : typeof value === 'string' && BUCKET.test(value);

/** Google's services keep files below their own hosts. Some readers leave out whatever cannot be seen. */
function isServiceFile(address: string): boolean {
  if (isElsewhere(address)) return false;
  const stripped = address.replace(UNSEEN, '');
  return isGoogles(address) || (stripped !== address && isGoogles(stripped));
}

function isGoogles(address: string): boolean {
  const start = upToHost(address);
  if (start.length > HOST_END_MAX) return mayHideGoogles(start);
  const host = (urlOf(start)?.hostname ?? '').replace(/\.$/, '');
  return host.endsWith(GOOGLE) && host.slice(0, -GOOGLE.length).split('.').some(isOfModels);
}

const GOOGLE = '.googleapis.com';
const isOfModels = (label: string): boolean => /(^|-)(generativelanguage|aiplatform)$/.test(label);

/** What is too long for a host may be one for whoever passes over some of it; a text is none, which has blanks. */
const mayHideGoogles = (start: string): boolean =>
  /googleapis|[^\x21-\x7e]|%/i.test(start) && !start.slice(start.lastIndexOf('@') + 1).includes(' ');

/** A host that needs no parsing to be told from Google's: a body may hold hundreds of thousands of addresses. */
function isElsewhere(address: string): boolean {
  const [, host] = /^https?:\/\/([\w.-]+)(?::\d*)?(?:[/?#]|$)/i.exec(address) ?? [];
  return host !== undefined && !/googleapis/i.test(host);
}

/** Alibaba's long-text models read files that stand by their ids at the beginning of a text. */
const isFileText: Keeps = (value) => typeof value === 'string' && /^\s*fileid:/i.test(value);

/** Fields that hold an address, alone, in a list or in an object. */
export const ADDRESSES: Readonly<Record<string, Keeps>> = {
  ...Object.fromEntries(
    [
      'url',
      'uri',
      'image',
      'images',
      'image_url',
      'image_urls',
      'mask',
      'video',
      'videos',
      'video_url',
      'audio_url',
      'file',
      'files',
      'file_url',
      'document_url',
      'file_uri',
      'gcs_uri',
      's3_uri',
      // Where an answer is put.
      'storage_uri',
      'output_gcs_uri',
      'output_uri_prefix',
      'data',
      'file_data',
    ].map((name) => [name, keptAddress]),
  ),
  // An object is the sound of an earlier answer by its id, and for whom that was spoken the relay remembers.
  audio: keptAddress,
};

/** Fields that hold what is said, or what becomes it on another wire. */
export const TEXTS: Readonly<Record<string, Keeps>> = {
  content: isFileText,
  text: isFileText,
  system: isFileText,
  system_instruction: isFileText,
  instructions: isFileText,
  input: isFileText,
};

/** Fields that hold what is said, found or done, in which the address of a bucket is a word like any other. */
export const SAID: readonly string[] = [
  ...Object.keys(TEXTS),
  // What is asked, and what it is asked of.
  'inputs',
  'prompt',
  'negative_prompt',
  'suffix',
  'query',
  'queries',
  'documents',
  'texts',
  'message',
  'description',
  'context',
  'title',
  'filename',
  // Of a search result, what its caller calls its place.
  'source',
  'stop',
  'stop_sequences',
  // What was answered, and what tools were given and gave.
  'thinking',
  'reasoning',
  'reasoning_content',
  'summary',
  'refusal',
  'transcript',
  'arguments',
  'output',
  'result',
  'error',
  'code',
  'command',
  'commands',
  'stdout',
  'stderr',
  'logs',
  'diff',
];

/**
 * What is kept in the words of any wire at all, for fields of which nobody knows by which wire they will be read. What
 * means something else on one of them is found here, too.
 */
export const ANYWHERE: Readonly<Record<string, Keeps>> = {
  ...ACCOUNT,
  ...ADDRESSES,
  ...TEXTS,
  ...STORED_PROMPT,
  ...SONGS,
  input: (value, holder) => (Array.isArray(value) ? value.some(isReference) : isFileText(value, holder)),
};
