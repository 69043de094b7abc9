/** Ollama's own embed call. */
import type { JsonObject } from '../../core/json.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import { modelIn } from '../bounds.ts';
import type { RequestFacts } from '../dialect.ts';
import { compact, countOf, numberOf, textOf } from '../fields.ts';
import { type EmbeddingDialect, tokensUsage, type Vector } from './embedding.ts';
import { bytesOf, noPrompt, plainDialect, plainFacts, plainReply, unread } from './plain.ts';
import { readInputs } from './text-input.ts';

declare module '../dialect.ts' {
  interface DialectIds {
    'ollama-embed': true;
  }
}

const textsOf = (body: JsonObject): string[] => readInputs(body.input, 'input').texts;

function usageIn(body: JsonObject): Usage | null {
  const input = countOf(body.prompt_eval_count);
  return input === undefined ? null : tokensUsage(input);
}

const readVector = (value: unknown): Vector =>
  Array.isArray(value) ? value.map((number) => numberOf(number) ?? 0) : [];

export const ollamaEmbed: EmbeddingDialect = {
  ...plainDialect({
    id: 'ollama-embed',
    readRequest(body, path): RequestFacts {
      const model = modelIn(path.model ?? body.model);
      return plainFacts(model, { prompt: { ...noPrompt(), textBytes: bytesOf(textsOf(body)) } });
    },
    promptTexts: textsOf,
    usageOf: ({ input }) => tokensUsage(input),
    readReply: (body) =>
      plainReply(body, (answer) => ({
        usage: usageIn(answer),
        missing: Array.isArray(answer.embeddings) ? null : 'embeddings',
      })),
  }),
  embedding: {
    readRequest: (body) => ({
      model: textOf(body.model) ?? '',
      texts: textsOf(body),
      dimensions: numberOf(body.dimensions),
      others: unread(body, ['model', 'input', 'dimensions']),
    }),
    says: ['dimensions'],
    writeRequest: ({ model, texts, dimensions }) =>
      compact<JsonObject>({ model, input: [...texts], dimensions }),
    readReply: (body) =>
      Array.isArray(body.embeddings)
        ? { vectors: body.embeddings.map(readVector), usage: usageIn(body) }
        : null,
    writeReply: ({ vectors, usage }, { model }) => ({
      model,
      embeddings: vectors.map((vector) => [...vector]),
      prompt_eval_count: usage ? promptTokens(usage) : 0,
    }),
  },
};
