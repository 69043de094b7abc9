import { bearer, openaiCompatible } from '../openai-compatible.ts';
import { pricedAbroad } from '../price-notice.ts';
import { arkThoughts } from '../thought-limits.ts';
import { imageEdits, seriesOf } from './images.ts';
import { ARK, isSpeechKey, speech, speechHeaders, speechUrl } from './speech.ts';
import { films, videos } from './videos.ts';

const CHAT = '/api/v3/chat/completions';

/** Bots are chats with tools of the operator's making, under a path of their own. */
const isBot = (model: string): boolean => model.startsWith('bot');

export const volcano = openaiCompatible({
  type: 45,
  slug: 'volcengine',
  label: 'Volcano Ark / Doubao',
  systemRoleOnly: true,
  baseUrl: ARK,
  models: [
    'doubao-seed-1-6',
    'doubao-seed-1-6-flash',
    'doubao-seed-1-6-thinking',
    'doubao-1-5-pro-32k',
    'doubao-1-5-pro-256k',
    'doubao-1-5-lite-32k',
    'doubao-1-5-vision-pro-32k',
    'doubao-1-5-thinking-pro',
    'Doubao-pro-128k',
    'Doubao-pro-32k',
    'Doubao-pro-4k',
    'Doubao-lite-128k',
    'Doubao-lite-32k',
    'Doubao-lite-4k',
    'Doubao-embedding',
    'doubao-embedding-large-text',
    'doubao-seedream-4-0',
    'deepseek-r1',
    'deepseek-v3',
    'deepseek-v3-1',
    'kimi-k2',
  ],
  operations: ['chat', 'embeddings', 'images', 'image-edits', 'speech', 'rerank', 'task'],
  own: { 'image-edits': imageEdits, speech, task: videos },
  tasks: films,
  paths: {
    chat: CHAT,
    embeddings: '/api/v3/embeddings',
    images: '/api/v3/images/generations',
    rerank: '/api/v3/rerank',
  },
  responsesPath: '/api/v3/responses',
  modelsPath: '/api/v3/models',
  form: {
    notice: pricedAbroad(
      { zh: '豆包 Seed 系列', en: 'the Doubao Seed models' },
      { zh: ' BytePlus（国际站）', en: 'those of BytePlus, its site outside China' },
      'ark.cn-beijing.volces.com',
    ),
  },
  url(call, path) {
    if (call.operation === 'speech') return speechUrl(call.channel);
    const isBots = path === CHAT && isBot(call.model);
    return call.channel.baseUrl + (isBots ? '/api/v3/bots/chat/completions' : path);
  },
  modelIsKept: isBot,
  authorise: (key) => (isSpeechKey(key) ? speechHeaders(key) : bearer(key)),
  nameChars: 128,
  extensions: ['reasoning_content', 'thinking'],
  thoughtLimit: arkThoughts,
  // Its Responses take `max_tool_calls` from 1 to 10.
  toolLimit: () => 10,
  adjustBody: (body, call) => (call.operation === 'images' ? { ...body, ...seriesOf(body.n, call) } : body),
});
