/** Every call of the relay: chats as their dialects say, and a row for each other call. */
import type { CallersDialect } from '../../dialects/body-rules.ts';
import type { Dialect, Operation } from '../../dialects/dialect.ts';
import { arrayJoiner, type Joiner } from '../../dialects/framing.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { anthropicCount, geminiCount } from '../../dialects/plain/count-tokens.ts';
import { geminiBatchEmbed, geminiEmbed } from '../../dialects/plain/gemini-embeddings.ts';
import { mcp } from '../../dialects/plain/mcp.ts';
import { openaiSpeech, openaiTranscriptions, openaiTranslations } from '../../dialects/plain/openai-audio.ts';
import { openaiCompletions } from '../../dialects/plain/openai-completions.ts';
import { openaiEmbeddings } from '../../dialects/plain/openai-embeddings.ts';
import { openaiImageEdits, openaiImages, openaiImageVariations } from '../../dialects/plain/openai-images.ts';
import { openaiModerations } from '../../dialects/plain/openai-moderations.ts';
import { cohereRerank, openaiRerank } from '../../dialects/plain/openai-rerank.ts';
import { openaiVideos } from '../../dialects/plain/openai-videos.ts';
import { chatDialects } from '../../dialects/registry.ts';

export interface Endpoint {
  path: string;
  operation: Operation;
  /** What callers speak there. */
  dialect: CallersDialect;
  /** What the path says of the answer, where the body does not say it. */
  stream?: boolean;
  /** Whether forms with files come there, and whether anything else does. */
  form?: 'always' | 'also';
  /** How the caller wants a stream framed, where that is not as events. */
  joiner?(query: URLSearchParams): (() => Joiner) | null;
}

/** Chats, whose paths their dialects name. */
const chats = chatDialects.flatMap(({ dialect }): Endpoint[] =>
  dialect.path ? [{ path: dialect.path, operation: 'chat', dialect }] : [],
);

export const endpoints: readonly Endpoint[] = [
  ...chats,
  { path: '/v1/messages/count_tokens', operation: 'count-tokens', dialect: anthropicCount },
  { path: '/v1/completions', operation: 'completions', dialect: openaiCompletions },
  { path: '/v1/embeddings', operation: 'embeddings', dialect: openaiEmbeddings },
  { path: '/v1/moderations', operation: 'moderations', dialect: openaiModerations },
  { path: '/v1/rerank', operation: 'rerank', dialect: openaiRerank },
  { path: '/v2/rerank', operation: 'rerank', dialect: cohereRerank },
  { path: '/v1/images/generations', operation: 'images', dialect: openaiImages },
  { path: '/v1/images/edits', operation: 'image-edits', dialect: openaiImageEdits, form: 'also' },
  {
    path: '/v1/images/variations',
    operation: 'image-variations',
    dialect: openaiImageVariations,
    form: 'always',
  },
  { path: '/v1/videos', operation: 'task', dialect: openaiVideos, form: 'also' },
  { path: '/v1/audio/speech', operation: 'speech', dialect: openaiSpeech },
  {
    path: '/v1/audio/transcriptions',
    operation: 'transcriptions',
    dialect: openaiTranscriptions,
    form: 'always',
  },
  { path: '/v1/audio/translations', operation: 'translations', dialect: openaiTranslations, form: 'always' },
];

/** Google's calls, whose paths name the model and what is done with it: `ROOT/{model}:{action}`. */
export const modelRoots = ['/v1beta/models', '/v1/models'] as const;

/** By action. */
export const modelActions: Readonly<Record<string, Omit<Endpoint, 'path'>>> = {
  generateContent: { operation: 'chat', dialect: gemini, stream: false },
  streamGenerateContent: {
    operation: 'chat',
    dialect: gemini,
    stream: true,
    joiner: (query) => (query.get('alt') === 'sse' ? null : arrayJoiner),
  },
  countTokens: { operation: 'count-tokens', dialect: geminiCount },
  embedContent: { operation: 'embeddings', dialect: geminiEmbed },
  batchEmbedContents: { operation: 'embeddings', dialect: geminiBatchEmbed },
};

/** A message to one of the operator's tool services, whose name stands in the path. */
export const toolEndpoint: Omit<Endpoint, 'path'> = { operation: 'tool', dialect: mcp };

/** Where a call becomes a session. */
export const sessionPath = '/v1/realtime';

export const asksForSocket = ({ headers }: Request): boolean =>
  headers.get('upgrade')?.toLowerCase() === 'websocket';

/** The dialect in which a call of no known path is refused: that of the client which makes it. */
export const dialectOf = (path: string, headers: Headers): Dialect =>
  chatDialects.findLast(({ dialect }) => dialect.isClient?.(path, headers))?.dialect ?? openaiChat;
