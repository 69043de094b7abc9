import { ollama as ollamaChat } from '../dialects/ollama/wire.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { ollamaEmbed } from '../dialects/plain/ollama-embed.ts';
import { openaiCompatible } from './openai-compatible.ts';
import type { Provider } from './provider.ts';

const compatible = openaiCompatible({
  type: 4,
  slug: 'ollama',
  label: 'Ollama',
  systemRoleOnly: true,
  baseUrl: 'http://localhost:11434',
  models: [
    'llama3.3',
    'llama3.2',
    'qwen3',
    'qwen2.5',
    'deepseek-r1',
    'gemma3',
    'gpt-oss:20b',
    'gpt-oss:120b',
    'mistral',
    'phi4',
    'nomic-embed-text',
    'mxbai-embed-large',
    'bge-m3',
  ],
  operations: ['chat', 'completions', 'embeddings'],
  paths: { embeddings: '/api/embed' },
  // The server takes pictures as data only.
  inlineMedia: true,
  form: { keyHint: 'any', baseUrlHint: 'http://localhost:11434' },
});

/**
 * Its own calls are as old as the server, and have words that its copy of OpenAI's lacks: whether a model thinks, how
 * it samples. Chats of other dialects are written in them.
 */
export const ollama: Provider = {
  ...compatible,
  speaks: { ...compatible.speaks, chat: [ollamaChat, openaiChat], embeddings: [ollamaEmbed] },
  async prepare(call) {
    const request = await compatible.prepare(call);
    return call.dialect === ollamaChat ? { ...request, url: `${call.channel.baseUrl}/api/chat` } : request;
  },
};
