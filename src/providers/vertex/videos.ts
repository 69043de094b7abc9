/**
 * Vertex's films: the operation is asked for at the model that has it, `…:fetchPredictOperation` with `{operationName}`
 * (cloud.google.com: model-reference/veo-video-generation), and answers with the film itself, `response.videos[0]
 * .bytesBase64Encoded`, where no bucket was named for it. An API key instead of an account has no such operations that
 * could be looked up, and makes no films here.
 */
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { refuse } from '../../dialects/bounds.ts';
import { objectOf, objectsOf, textOf } from '../../dialects/fields.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import { googleSeconds, readOperation } from '../google-videos.ts';
import { bearer } from '../openai-compatible.ts';
import type { ChannelAccess, TaskWire, UpstreamRequest, VendorCall } from '../provider.ts';
import { isRegion } from '../region.ts';
import { readVertexKey, secretsOf, tokenOf } from './key.ts';

/** `projects/P/locations/L/publishers/google/models/M/operations/O` */
const OPERATION =
  /^(projects\/[\w.:-]+\/locations\/([a-z0-9-]+)\/publishers\/google\/models\/[\w.-]+)\/operations\/[\w-]+$/;

export const needsAccount = () =>
  refuse('model', {
    zh: '此模型的渠道以 API 密钥访问 Vertex，不提供视频',
    en: 'channels of this model call Vertex with an API key, which makes no videos',
  });

/** Asks after one operation; what is none of the service's own names leads nowhere. */
async function fetchOperation(
  { baseUrl, key: given }: ChannelAccess,
  name: string,
  http: VendorCall,
  hostOf: (region: string) => string,
): Promise<UpstreamRequest> {
  const [, resource = '', region = ''] = OPERATION.exec(name) ?? [];
  const key = readVertexKey(given);
  if (resource === '' || !isRegion(region) || key.kind !== 'account') throw needsAccount();
  const token = await tokenOf(given, key.account, http);
  return {
    method: 'POST',
    url: `${baseUrl || hostOf(region)}/v1/${resource}:fetchPredictOperation`,
    headers: { 'content-type': 'application/json', ...bearer(token) },
    body: JSON.stringify({ operationName: name }),
    secrets: [token, ...secretsOf(key.account)],
  };
}

const bytesIn = (response: unknown): string =>
  textOf(objectsOf(objectOf(response)?.videos)[0]?.bytesBase64Encoded) ?? '';

export const vertexFilms = (hostOf: (region: string) => string): TaskWire => ({
  singly: true,
  seconds: googleSeconds,
  answerBytes: limits.videoAnswerBytes,
  ask: (channel, [name = ''], http) => fetchOperation(channel, name, http, hostOf),
  // The film stays where it is: it is fetched again by whoever wants it.
  read: (body, id) =>
    readOperation(body, id, (response) => (bytesIn(response) ? { held: 'operation' } : null)),
  file: {
    async open(channel, { id }, ask, http, grow) {
      const told = await ask(await fetchOperation(channel, id, http, hostOf));
      if (!told.ok) return null;
      const body = objectOf(parseJson(await readBounded(told, limits.videoAnswerBytes, grow)));
      const bytes = bytesIn(body?.response);
      if (bytes === '') return null;
      return new Response(Buffer.from(bytes, 'base64'), { headers: { 'content-type': 'video/mp4' } });
    },
  },
});
