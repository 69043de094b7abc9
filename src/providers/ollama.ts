import { ollamaEmbed } from '../dialects/plain/ollama-embed.ts';
import { developerToSystem, openaiCompatible } from './openai-compatible.ts';
import type { Provider } from './provider.ts';

const compatible = openaiCompatible({
  type: 4,
  slug: 'ollama',
  label: 'Ollama',
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
  adjustBody(body) {
    developerToSystem(body);
    return body;
  },
});

/** Its own call for embeddings is as old as the server; OpenAI's came later. */
export const ollama: Provider = {
  ...compatible,
  speaks: { ...compatible.speaks, embeddings: [ollamaEmbed] },
};
