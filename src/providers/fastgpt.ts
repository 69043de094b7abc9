import { openaiCompatible } from './openai-compatible.ts';
import type { Provider } from './provider.ts';

/** A knowledge base that answers as a chat model; the model's name is for show. */
const asModel = openaiCompatible({
  type: 22,
  slug: 'fastgpt',
  label: 'FastGPT',
  systemRoleOnly: true,
  baseUrl: 'https://fastgpt.run/api/openapi',
  models: ['gpt-3.5-turbo', 'gpt-4'],
  operations: ['chat'],
  streamUsage: false,
  modelsPath: null,
  form: {
    keyHint: 'APIKey-AppId, fastgpt-…-64f3…',
    baseUrl: 'required',
    baseUrlHint: 'https://fastgpt.run/api/openapi',
  },
  adjustBody(body) {
    // Details would come as events of other names between those of the answer.
    body.detail = false;
    return body;
  },
});

// Each of its whole answers tells the same usage: one token read, one written, two in all.
export const fastgpt: Provider = { ...asModel, hasOwnPrompt: true, tellsNoUsage: true };
