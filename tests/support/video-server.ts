/** Services that make films, each as far as its wire goes: they take tasks, and say of all of them what a test has told. */
import { generateKeyPairSync } from 'node:crypto';
import { type JsonObject, parseObject } from '../../src/core/json.ts';

export const FILM = Buffer.from('a film'.repeat(20_000));

export interface VideoSeen {
  method: string;
  path: string;
  headers: Headers;
  /** Of a form its fields; a file as its type and bytes. */
  body: JsonObject;
}

export interface VideoServer {
  base: string;
  seen: VideoSeen[];
  /** What became of all films. */
  state: 'going' | 'done' | 'failed';
  /** What it answers to the next submission instead of taking it. */
  refuses: Response | null;
  /** A service account, for the wire that wants one. */
  account: string;
  submissions(): VideoSeen[];
  close(): Promise<void>;
}

const WHY = 'the prompt was refused by moderation';

type Wire = (to: { id: string; state: VideoServer['state']; base: string }) => JsonObject;

/** What each wire says of a film, by the beginning of its path. */
const NEWS: readonly (readonly [RegExp, Wire])[] = [
  [
    /^\/v1\/videos\/([\w-]+)$/,
    ({ id, state }) => ({
      ...{ id, object: 'video', progress: state === 'done' ? 100 : 40 },
      status: { going: 'in_progress', done: 'completed', failed: 'failed' }[state],
      ...(state === 'done' && { completed_at: 1_700_000_031, expires_at: 4_000_000_000 }),
      ...(state === 'failed' && { error: { code: 'moderation', message: WHY } }),
    }),
  ],
  [
    /^\/v1beta\/(models\/[\w.-]+\/operations\/[\w-]+)$/,
    ({ id, state, base }) => ({
      name: id,
      done: state !== 'going',
      ...(state === 'done' && {
        response: {
          generateVideoResponse: { generatedSamples: [{ video: { uri: `${base}/files/own?alt=media` } }] },
        },
      }),
      ...(state === 'failed' && {
        response: { generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [WHY] } },
      }),
    }),
  ],
  [
    /^\/api\/v1\/tasks\/([\w-]+)$/,
    ({ id, state, base }) => ({
      output: {
        task_id: id,
        task_status: { going: 'RUNNING', done: 'SUCCEEDED', failed: 'FAILED' }[state],
        ...(state === 'done' && { video_url: `${base}/files/bare.mp4` }),
        ...(state === 'failed' && { code: 'DataInspectionFailed', message: WHY }),
      },
    }),
  ],
  [
    /^\/api\/paas\/v4\/async-result\/([\w-]+)$/,
    ({ state, base }) => ({
      task_status: { going: 'PROCESSING', done: 'SUCCESS', failed: 'FAIL' }[state],
      ...(state === 'done' && { video_result: [{ url: `${base}/files/bare.mp4`, cover_image_url: 'x' }] }),
      ...(state === 'failed' && { error: { message: WHY } }),
    }),
  ],
  [
    /^\/api\/v3\/contents\/generations\/tasks\/([\w-]+)$/,
    ({ id, state, base }) => ({
      id,
      status: { going: 'running', done: 'succeeded', failed: 'failed' }[state],
      ...(state === 'done' && { content: { video_url: `${base}/files/bare.mp4` } }),
      ...(state === 'failed' && { error: { code: 'OutputVideoSensitiveContentDetected', message: WHY } }),
    }),
  ],
];

export function startVideos(): VideoServer {
  let next = 0;
  const answer = (seen: VideoSeen, url: URL): Response => {
    const { state, base } = videos;
    const { method, path, body } = seen;
    if (path === '/token') return Response.json({ access_token: 'ya29.token', expires_in: 3_600 });
    if (path.startsWith('/files/') || path.endsWith('/content')) {
      return new Response(FILM, { headers: { 'content-type': 'video/mp4' } });
    }
    if (path === '/v1/query/video_generation') {
      const status = { going: 'Processing', done: 'Success', failed: 'Fail' }[state];
      return Response.json({
        ...{ task_id: url.searchParams.get('task_id'), status, file_id: state === 'done' ? '77' : '' },
        base_resp: state === 'failed' ? { status_code: 1026, status_msg: WHY } : { status_code: 0 },
      });
    }
    if (path === '/v1/files/retrieve') {
      return Response.json({ file: { file_id: 77, download_url: `${base}/files/bare.mp4` } });
    }
    if (path.endsWith(':fetchPredictOperation')) {
      const bytes = { bytesBase64Encoded: FILM.toString('base64'), mimeType: 'video/mp4' };
      return Response.json({
        name: body.operationName,
        done: state !== 'going',
        ...(state === 'done' && { response: { videos: [bytes] } }),
        ...(state === 'failed' && { error: { code: 3, message: WHY } }),
      });
    }
    if (method === 'GET') {
      for (const [pattern, wire] of NEWS) {
        const [, id] = pattern.exec(path) ?? [];
        if (id) return Response.json(wire({ id, state, base }));
      }
      return new Response('no such thing', { status: 404 });
    }
    const refusal = videos.refuses;
    videos.refuses = null;
    return refusal ?? Response.json(taken(path, `vendor-${++next}`));
  };
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const url = new URL(request.url);
      const { method, headers } = request;
      const seen = { method, path: decodeURIComponent(url.pathname), headers, body: await bodyOf(request) };
      videos.seen.push(seen);
      return answer(seen, url);
    },
  });
  const base = `http://127.0.0.1:${listener.port}`;
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const videos: VideoServer = {
    base,
    seen: [],
    state: 'going',
    refuses: null,
    account: JSON.stringify({
      ...{ type: 'service_account', project_id: 'films-1', private_key_id: 'k', private_key: privateKey },
      ...{ client_email: 'films@films-1.iam.gserviceaccount.com', token_uri: `${base}/token` },
    }),
    submissions: () =>
      videos.seen.filter(({ method, path }) => method === 'POST' && !/token$|:fetch/.test(path)),
    close: () => listener.stop(true),
  };
  return videos;
}

/** That a film was taken, in the words of the wire. */
function taken(path: string, id: string): JsonObject {
  const [, model] = /\/(models\/[\w.-]+):predictLongRunning$/.exec(path) ?? [];
  if (path.startsWith('/v1beta/') && model) return { name: `${model}/operations/${id}` };
  if (model) return { name: `${path.slice('/v1/'.length).replace(/:.*/, '')}/operations/${id}` };
  if (path.startsWith('/api/v1/')) return { output: { task_id: id, task_status: 'PENDING' } };
  if (path === '/v1/video_generation') return { task_id: id, base_resp: { status_code: 0 } };
  if (path === '/v1/videos') return { id, object: 'video', status: 'queued', progress: 0 };
  return { id, task_status: 'PROCESSING' };
}

async function bodyOf(request: Request): Promise<JsonObject> {
  if (!request.headers.get('content-type')?.startsWith('multipart/')) {
    return parseObject(await request.text()) ?? {};
  }
  const fields: JsonObject = {};
  for (const [name, value] of await request.formData()) {
    fields[name] =
      typeof value === 'string'
        ? value
        : `${value.type} ${Buffer.from(await value.arrayBuffer()).toString()}`;
  }
  return fields;
}
