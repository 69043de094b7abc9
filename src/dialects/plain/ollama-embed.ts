/** Ollama's own embed call, as its upstream is spoken to. */
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { compact, countOf, numberOf } from '../fields.ts';
import { tokensUsage, type UpstreamEmbeddingDialect, type Vector } from './embedding.ts';
import { listed, plainReply } from './plain.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'ollama-embed': true;
  }
}

function usageIn(body: JsonObject): Usage | null {
  const input = countOf(body.prompt_eval_count);
  return input === undefined ? null : tokensUsage(input);
}

const readVector = (value: unknown): Vector =>
  Array.isArray(value) ? value.map((number) => numberOf(number) ?? 0) : [];

export const ollamaEmbed: UpstreamEmbeddingDialect = {
  id: 'ollama-embed',
  readReply: (body) =>
    plainReply(body, (answer) => ({
      usage: usageIn(answer),
      ...listed(answer.embeddings, 'embeddings'),
    })),
  embedding: {
    says: ['dimensions'],
    writeRequest: ({ model, texts, dimensions }) =>
      compact<JsonObject>({ model, input: [...texts], dimensions }),
    readReply: (body) =>
      Array.isArray(body.embeddings)
        ? { vectors: body.embeddings.map(readVector), usage: usageIn(body) }
        : null,
  },
};
