import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { objectsOf } from '../dialects/fields.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { pricedAbroad } from './price-notice.ts';
import { finishJson, floatEmbeddings, picturesAnswer } from './vendor-operation.ts';
import { zhipuModerations } from './zhipu-moderations.ts';
import { zhipuFilms, zhipuVideos } from './zhipu-videos.ts';

/** Pictures as data go without their `data:` head. */
function bareImage(part: Json): Json {
  if (!isObject(part) || part.type !== 'image_url') return part;
  const image = isObject(part.image_url) ? part.image_url : {};
  const bare = typeof image.url === 'string' ? image.url.replace(/^data:[^,]*;base64,/, '') : image.url;
  return { ...(part as JsonObject), image_url: { ...(image as JsonObject), url: bare as Json } };
}

function adjustBody(body: JsonObject): JsonObject {
  if (typeof body.top_p === 'number' && body.top_p >= 1) body.top_p = 0.99;
  if (typeof body.stop === 'string') body.stop = [body.stop];
  if (Array.isArray(body.messages)) {
    body.messages = body.messages.map((message) =>
      isObject(message) && Array.isArray(message.content)
        ? { ...(message as JsonObject), content: (message.content as Json[]).map(bareImage) }
        : message,
    );
  }
  return body;
}

const ROOT = '/api/paas/v4';

export const zhipuV4 = openaiCompatible({
  type: 26,
  slug: 'zhipu_4v',
  label: 'Zhipu GLM-4',
  systemRoleOnly: true,
  baseUrl: 'https://open.bigmodel.cn',
  models: [
    'glm-4.6',
    'glm-4.5',
    'glm-4.5-air',
    'glm-4.5-x',
    'glm-4.5-flash',
    'glm-4.5v',
    'glm-4.7',
    'glm-5',
    'glm-5.3',
    'glm-5.3-flash',
    'glm-4-plus',
    'glm-4-0520',
    'glm-4',
    'glm-4-air',
    'glm-4-airx',
    'glm-4-long',
    'glm-4-flash',
    'glm-4v',
    'glm-4v-plus',
    'glm-4-alltools',
    'glm-3-turbo',
    'glm-z1-air',
    'cogview-4',
    'embedding-3',
    'embedding-2',
  ],
  operations: ['chat', 'embeddings', 'images', 'transcriptions', 'speech', 'rerank', 'moderations', 'task'],
  // Vectors come as numbers only.
  dialects: { embeddings: [floatEmbeddings] },
  extensions: ['reasoning_content', 'thinking'],
  paths: {
    chat: `${ROOT}/chat/completions`,
    embeddings: `${ROOT}/embeddings`,
    transcriptions: `${ROOT}/audio/transcriptions`,
    speech: `${ROOT}/audio/speech`,
    rerank: `${ROOT}/rerank`,
  },
  messagesPath: '/api/anthropic/v1/messages',
  tasks: zhipuFilms,
  own: {
    task: zhipuVideos,
    moderations: zhipuModerations(`${ROOT}/moderations`),
    images: {
      path: () => `${ROOT}/images/generations`,
      // Pictures come by address only.
      finish: finishJson((body, call, ask) =>
        Array.isArray(body.data) ? picturesAnswer(objectsOf(body.data), call, ask) : body,
      ),
    },
  },
  modelsPath: `${ROOT}/models`,
  form: {
    keyHint: 'id.secret',
    notice: pricedAbroad(
      { zh: ' GLM-4.5 及更新模型', en: 'GLM from 4.5 on' },
      { zh: ' Z.ai（国际站）', en: 'those of Z.ai, its site outside China' },
      'open.bigmodel.cn',
    ),
  },
  nameChars: 128,
  adjustBody: (body, { operation }) => (operation === 'chat' ? adjustBody(body) : body),
});
