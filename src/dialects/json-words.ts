/** What a model is told of the form of its answer where nothing holds it to that. */
import type { ResponseFormat } from './neutral.ts';

export function jsonInWords(format: ResponseFormat | undefined): string | undefined {
  if (!format || format.type === 'text') return undefined;
  const schema =
    format.type === 'schema' ? ` that fits this JSON schema:\n${JSON.stringify(format.schema)}` : '.';
  return `Answer only with a JSON object, without any text or code fence around it${schema}`;
}
