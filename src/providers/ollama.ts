import { developerToSystem, openaiCompatible } from './openai-compatible.ts';

export const ollama = openaiCompatible({
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
  // The server takes pictures as data only.
  inlineMedia: true,
  form: { keyHint: 'any', baseUrlHint: 'http://localhost:11434' },
  adjustBody(body) {
    developerToSystem(body);
    return body;
  },
});
