/** Claude on Bedrock: Anthropic's bodies in AWS's frame. Models of other makers go by Bedrock's own Converse. */

import { isObject, type JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { joinBetas } from '../../dialects/anthropic-messages/betas.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import { bedrockConverse } from '../../dialects/bedrock-converse/wire.ts';
import type { MediaPlace } from '../../dialects/media-kind.ts';
import { type AwsCredentials, awsEncode, signAwsCall } from '../auth/aws-sigv4.ts';
import { asTaken, BETAS_OF_BEDROCK } from '../claude-clouds.ts';
import { messagesHeaders } from '../messages-headers.ts';
import { bearer } from '../openai-compatible.ts';
import type { Provider, UpstreamCall } from '../provider.ts';
import { isRegion, regionIn } from '../region.ts';
import { BEDROCK_MODELS, bedrockId, isClaude } from './models.ts';

type Access = { region: string } & ({ apiKey: string } | { credentials: AwsCredentials });

/** `AccessKey|SecretKey|Region`, with a fourth part for the token of a session; or `ApiKey|Region`. */
function readKey(key: string): Access {
  const parts = key.split('|');
  if (parts.length < 3) return { apiKey: parts[0] ?? '', region: parts[1] ?? '' };
  const [accessKeyId = '', secretAccessKey = '', region = '', sessionToken] = parts;
  return { region, credentials: { accessKeyId, secretAccessKey, region, sessionToken } };
}

const secretsOf = (key: string): string[] => {
  const [first = '', second = '', region = '', ...rest] = key.split('|');
  return region === '' ? [first] : [first, second, ...rest];
};

/** Regions of China are a world of their own. Throws TokenRefused. */
const hostOf = (service: string, region: string): string =>
  `https://${service}.${regionIn(region)}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

interface Call {
  method: 'GET' | 'POST';
  base: string;
  path: string;
  body: string;
}

function authorised({ method, base, path, body }: Call, key: string): Record<string, string> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const access = readKey(key);
  if ('apiKey' in access) return { ...headers, ...bearer(access.apiKey) };
  const call = { method, host: new URL(base).host, path, headers, body, service: 'bedrock', at: new Date() };
  return signAwsCall(call, access.credentials);
}

function prepare({ channel, model, stream, dialect, body }: UpstreamCall) {
  const { region } = readKey(channel.key);
  const base = channel.baseUrl || hostOf('bedrock-runtime', region);
  const [whole, streamed] =
    dialect === anthropicMessages && isClaude(model)
      ? ['invoke', 'invoke-with-response-stream']
      : ['converse', 'converse-stream'];
  const path = `/model/${awsEncode(bedrockId(model, region))}/${stream ? streamed : whole}`;
  return {
    method: 'POST' as const,
    url: base + path,
    headers: authorised({ method: 'POST', base, path, body }, channel.key),
    secrets: secretsOf(channel.key),
  };
}

/** Of Anthropic's own service, unknown here. */
const FOREIGN_FIELDS = ['model', 'stream', 'metadata', 'service_tier', 'container', 'mcp_servers'] as const;

/** What travels in headers and addresses elsewhere stands in the body here, and the other way round. */
function adjustBody(body: JsonObject, call: Omit<UpstreamCall, 'body'>): JsonObject {
  if (!isClaude(call.model)) return body;
  for (const field of FOREIGN_FIELDS) delete body[field];
  const taken = asTaken(body, BETAS_OF_BEDROCK);
  const given = Array.isArray(taken.anthropic_beta) ? taken.anthropic_beta.map(String) : [];
  const betas = joinBetas(messagesHeaders(call, BETAS_OF_BEDROCK)['anthropic-beta'], ...given);
  return {
    anthropic_version: 'bedrock-2023-05-31',
    ...taken,
    ...(betas ? { anthropic_beta: betas.split(',') } : {}),
  };
}

/**
 * Of pictures the service bounds none, but Claudes there take 5 MiB of base64 for one (`image exceeds 5 MB maximum: … bytes >
 * 5242880 bytes`). Of documents it bounds all but PDFs of Claudes from the fourth on, and PDFs and Word files of Nova
 * (docs.aws.amazon.com/bedrock: inference-api-restrictions).
 */
function mediaBytes({ model, place }: { model: string; place: MediaPlace }): number | null {
  if (isClaude(model)) return place === 'image' ? limits.bedrockPictureBytes : null;
  return place === 'file' && !model.includes('nova') ? limits.bedrockDocumentBytes : null;
}

/** What AWS says of credentials that are no good. */
const DEAD = /security token|signature we calculated|token .* expired|api key/i;

export const bedrock: Provider = {
  type: 33,
  homeOf: ['claude'],
  slug: 'aws',
  label: 'AWS Claude (Bedrock)',
  baseUrl: '',
  domains: ['amazonaws.com', 'amazonaws.com.cn'],
  hasGoodRegion({ key }) {
    const { region } = readKey(key);
    return region === '' || isRegion(region);
  },
  keyGoesTo({ baseUrl, key }) {
    const { region } = readKey(key);
    if (baseUrl || !isRegion(region)) return [baseUrl];
    return [hostOf('bedrock-runtime', region), hostOf('bedrock', region)];
  },
  speaks: { chat: [anthropicMessages] },
  toolLimit: () => limits.toolUsesMax,
  dialectsOf: ({ operation, model }) => (operation === 'chat' && isClaude(model) ? [anthropicMessages] : []),
  wire: bedrockConverse,
  inlineMedia: true,
  mediaBytes,
  streamUsage: true,
  form: {
    keyHint: 'AccessKey|SecretKey|Region',
    baseUrl: 'hidden',
  },
  keyFormat: {
    isGood: (key) => /^[^|\s]+(\|[^|\s]+){1,3}$/.test(key),
    expected: {
      zh: '应为 AccessKey|SecretKey|Region（临时凭证再加 |SessionToken），或 ApiKey|Region',
      en: 'it must be AccessKey|SecretKey|Region (and |SessionToken of temporary ones), or ApiKey|Region',
    },
  },
  models: BEDROCK_MODELS,
  // The ARN of a prompt of the account stands where that of a model may.
  modelIsKept: (model) => /^arn:.*:prompt\//.test(model),
  prepare,
  adjustBody,
  readFault(status, body) {
    const { message, Message } = isObject(body) ? body : {};
    const said = typeof message === 'string' ? message : Message;
    if (typeof said !== 'string') return null;
    return { error: { message: said }, ...(status === 403 && DEAD.test(said) && { keyDead: true }) };
  },
  listModels(channel) {
    const { region } = readKey(channel.key);
    const base = channel.baseUrl || hostOf('bedrock', region);
    const path = '/foundation-models';
    const headers = authorised({ method: 'GET', base, path, body: '' }, channel.key);
    return {
      request: { method: 'GET', url: base + path, headers, secrets: secretsOf(channel.key) },
      read: (body) =>
        (isObject(body) && Array.isArray(body.modelSummaries) ? body.modelSummaries : []).flatMap(
          (model: unknown) => (isObject(model) && typeof model.modelId === 'string' ? [model.modelId] : []),
        ),
    };
  },
};
