import { openaiCompatible } from '../openai-compatible.ts';
import { minimaxEmbeddings } from './embeddings.ts';
import { readBase, STATUS } from './errors.ts';
import { images } from './images.ts';
import { speech } from './speech.ts';
import { films, videos } from './videos.ts';

export const minimax = openaiCompatible({
  type: 35,
  slug: 'minimax',
  label: 'MiniMax',
  systemRoleOnly: true,
  baseUrl: 'https://api.minimax.chat',
  models: [
    'MiniMax-M3',
    'MiniMax-M3.1-Flash',
    'MiniMax-M2',
    'MiniMax-M2.1',
    'MiniMax-M1',
    'MiniMax-Text-01',
    'abab6.5s-chat',
    'abab6.5-chat',
    'abab6-chat',
    'abab5.5-chat',
    'abab5.5s-chat',
    'speech-02-hd',
    'speech-02-turbo',
    'speech-2.5-hd-preview',
    'image-01',
    'embo-01',
  ],
  operations: ['chat', 'embeddings', 'images', 'speech', 'task'],
  dialects: { embeddings: [minimaxEmbeddings] },
  own: { images, speech, task: videos },
  tasks: films,
  messagesPath: '/anthropic/v1/messages',
  extensions: ['reasoning_content'],
  paths: { chat: '/v1/text/chatcompletion_v2' },
  modelsPath: null,
  // The last chunk of a stream is the whole answer once more: only a strict rewrite keeps it from being shown twice.
  strict: 'streams',
  readFault(_status, body) {
    const base = readBase(body);
    return base && { error: { message: base.message, code: String(base.code) } };
  },
  readAnswerError(body) {
    const base = readBase(body);
    return (
      base && { error: { message: base.message, code: String(base.code) }, status: STATUS[base.code] ?? 502 }
    );
  },
});
